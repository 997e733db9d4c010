import { callTransferFixtures } from "@call-transfer/mock-server/playwright";
import { test as base, expect } from "@playwright/test";

const test = base.extend(callTransferFixtures);

// The address that the app was built with. The page is logged in as an agent.
test.use({ callTransferBaseUrl: "https://api.example.com", callTransferRole: "agent" });

test("an agent sees how a call ends", async ({ page, callTransfer }) => {
  await page.clock.install({ time: callTransfer.clock.now() });
  await page.goto("/");
  await page.getByRole("button", { name: "Call" }).click();
  await expect(page.getByRole("listitem").first()).toHaveText("in_progress");

  await callTransfer.clock.advance({ by: 60_000 });
  await page.clock.runFor(60_000);

  await expect(page.getByRole("listitem").first()).toHaveText("completed");
});

test("the page says that the service is unavailable", async ({ page, callTransfer }) => {
  callTransfer.faults.add({ match: { operationId: "listCalls" }, do: { code: "service_unavailable" } });
  await page.goto("/");
  await expect(page.getByRole("alert")).toHaveText("Calls cannot be shown at the moment.");
});

test("an admin sees the call that an agent places", async ({ page, browser, callTransfer }) => {
  const admins = await browser.newContext();
  await callTransfer.logIn(admins, "admin");
  await page.goto("/");
  await page.getByRole("button", { name: "Call" }).click();
  await expect(page.getByRole("listitem")).toHaveCount(4);

  const adminsPage = await admins.newPage();
  await adminsPage.goto(page.url());

  await expect(adminsPage.getByRole("listitem")).toHaveCount(4);
});
