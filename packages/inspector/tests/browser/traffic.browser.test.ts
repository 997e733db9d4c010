// The screen Traffic, while programs of the SDK run beside it.
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { type Inspector, inspectorTests } from "./page.ts";

const open = inspectorTests();
const { flows, numbers, recipients, destinations } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

const rowsOf = ({ page }: Inspector) => page.getByRole("listbox").getByRole("option");
const detailOf = ({ page }: Inspector) => page.getByRole("region", { name: "Details" });

/** A few requests of different kinds and a webhook. Waits for their rows: one that comes later moves those below it. */
async function play(inspector: Inspector): Promise<void> {
  const { server, client } = inspector;
  const sdk = client({ maxRetries: 0 });
  await sdk.roles.list();
  await sdk.calls.create(call);
  await sdk.calls.create({ ...call, toNumber: "nobody" }).result();
  await server.trigger(destinations.app);
  await rowsOf(inspector).nth(3).waitFor();
}

it("shows a request that a fault made the SDK repeat as two rows", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page, server, client } = inspector;
  await page.getByText("No request yet").waitFor();
  await server.addFault("createCall rateLimit 0");

  await client().calls.create(call);

  const rows = rowsOf(inspector);
  await rows.nth(1).waitFor();
  await expect.poll(() => rows.allInnerTexts()).toHaveLength(2);
  const [latest, first] = await rows.allInnerTexts();
  expect([first, latest]).toEqual([
    expect.stringMatching(/429\s+createCall\s+rate_limit_exceeded[\s\S]*fault-1/),
    expect.stringContaining("201"),
  ]);

  await rows.nth(1).click();
  const detail = detailOf(inspector);
  await detail.getByText("A fault").waitFor();
  expect(await detail.getByRole("link", { name: "fault-1" }).getAttribute("href")).toBe("#/default/faults/fault-1");
});

it("takes a request apart: what decided, what it changed, the timers, and the secrets when asked", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page } = inspector;
  await play(inspector);
  await rowsOf(inspector).filter({ hasText: "201" }).click();
  const detail = detailOf(inspector);
  await detail.getByText("Added to calls").waitFor();
  await detail.getByText("call.ends").waitFor();
  await detail.getByText("§4.6").waitFor();
  expect(await detail.innerText()).not.toContain(demo.apiKey);
  await detail.getByRole("button", { name: "Show the secrets" }).click();
  await detail.getByRole("button", { name: "Hide the secrets" }).waitFor();
  await detail.getByText("Headers").first().click();
  await detail.getByText(demo.apiKey).waitFor();
  expect(page.url()).toMatch(/#\/default\/traffic\/2$/);
});

it("says which operation an unmatched request is closest to", async () => {
  await using inspector = await open({ screen: "traffic" });
  await fetch(`${inspector.server.url}${operations.listRoles.path}s`);
  await rowsOf(inspector).filter({ hasText: "unmatched" }).click();
  await detailOf(inspector).getByText("To match it: ").first().waitFor();
  expect(await detailOf(inspector).getByRole("link", { name: "listRoles" }).count()).toBe(1);
});

it("filters by text and words, also with the keyboard alone", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page } = inspector;
  await play(inspector);
  const rows = rowsOf(inspector);
  await expect.poll(() => rows.count()).toBe(4);

  await page.keyboard.press("/");
  await page.keyboard.type("op:createCall status:4xx");
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([expect.stringMatching(/400\s+createCall\s+validation_failed/)]);

  await page.getByRole("searchbox", { name: "Filter" }).fill("is:webhook");
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("transfer.offer")]);
  await page.getByRole("searchbox", { name: "Filter" }).fill("nothing of this");
  await page.getByText("Nothing matches the filter").waitFor();
});

it("selects with j and k, keeps the selection in the address, and closes with Escape", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page } = inspector;
  await play(inspector);
  await expect.poll(() => rowsOf(inspector).count()).toBe(4);

  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);

  await expect.poll(() => page.url()).toMatch(/#\/default\/traffic\/3$/);
  await detailOf(inspector).getByText("validation_failed").first().waitFor();
  await page.reload();
  await detailOf(inspector).getByText("validation_failed").first().waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.url()).toMatch(/#\/default\/traffic$/);
});

it("takes each key of a key that is held down, also between two paints of the page", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page } = inspector;
  await play(inspector);
  await expect.poll(() => rowsOf(inspector).count()).toBe(4);

  await page.evaluate(async () => {
    for (const key of ["j", "j", "j", "k"]) {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
      // Components are drawn again in microtasks. The page is painted after all of them.
      for (let turn = 0; turn < 50; turn += 1) await null;
    }
  });

  await expect.poll(() => page.url()).toMatch(/#\/default\/traffic\/3$/);
});

it("sends a request again, and copies it as a command and as a program", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page, client } = inspector;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await client().roles.list();
  await rowsOf(inspector).click();
  const detail = detailOf(inspector);
  await detail.getByRole("button", { name: "Copy as SDK code" }).click();
  await expect.poll(copied).toContain("client.roles.list()");
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await expect.poll(copied).toContain("Bearer $CALL_TRANSFER_API_KEY");

  await detail.getByRole("button", { name: "Send again" }).click();

  await detail.getByText("sends request").waitFor();
  expect(page.url()).toMatch(/#\/default\/traffic\/2$/);
  await expect
    .poll(() => rowsOf(inspector).allInnerTexts())
    .toEqual([expect.stringContaining("replay"), expect.anything()]);
});

it("says that a copy has masked numbers, and copies them whole once they are shown", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page } = inspector;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await play(inspector);
  await rowsOf(inspector).filter({ hasText: "201" }).click();
  const detail = detailOf(inspector);
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("The copy has masked phone numbers.", { exact: false }).waitFor();
  expect(await copied()).not.toContain(demo.recipients.anyone);

  await detail.getByRole("button", { name: "Show the secrets" }).click();
  await detail.getByRole("button", { name: "Hide the secrets" }).waitFor();
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  await expect.poll(copied).toContain(demo.recipients.anyone);
});

it("shows in the row why a request was refused, before its address", async () => {
  await using inspector = await open({ screen: "traffic" });
  await play(inspector);
  const row = rowsOf(inspector).filter({ hasText: "validation_failed" });
  expect(await row.innerText()).toMatch(/createCall\s+validation_failed\s+toNumber .*\s+\/api\/v1\/calls/);
});

it("leaves out what the server itself refused", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { server, page } = inspector;
  await fetch(`${server.url}/api/v1/roles`, { headers: { Origin: "http://elsewhere.example" } });
  await inspector.client().roles.list();
  await rowsOf(inspector).filter({ hasText: "listRoles" }).waitFor();
  expect(await rowsOf(inspector).count()).toBe(1);
  expect(await page.getByText("elsewhere.example").count()).toBe(0);
});

it("shows the day of a time, in UTC, once the clock is on another day", async () => {
  await using inspector = await open({
    screen: "traffic",
    server: { clockMode: "frozen", now: "2021-05-06T23:30:00Z" },
  });
  await inspector.client().roles.list();
  await rowsOf(inspector).getByText("23:30:00.000").waitFor();
  expect(await rowsOf(inspector).innerText()).not.toContain("2021-05-06");
  await inspector.server.advance(3_600_000);
  await rowsOf(inspector).getByText("2021-05-06 23:30:00.000").waitFor();
});

it("sends the first request itself, and is empty again after the request log is cleared or the sandbox reset", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { page, server } = inspector;
  await page.getByRole("button", { name: "Issue an API key" }).click();
  await expect.poll(() => page.getByRole("region", { name: "Command" }).innerText()).toContain("Bearer svc_");
  await page.getByRole("button", { name: "Place a call" }).click();
  await rowsOf(inspector).filter({ hasText: "201" }).waitFor();

  await page.getByRole("button", { name: "Clear the request log" }).click();
  await page.getByRole("dialog", { name: "Clear the request log?" }).getByRole("button", { name: "Clear" }).click();
  await page.getByText("No request yet").waitFor();
  expect(await server.requests()).toEqual([]);

  await inspector.client().roles.list();
  await rowsOf(inspector).waitFor();
  await server.reset();
  await page.getByText("No request yet").waitFor();
});

it("keeps requests that arrive while another screen is shown, each once", async () => {
  await using inspector = await open({ screen: "traffic" });
  const { client } = inspector;
  await client().roles.list();
  await rowsOf(inspector).waitFor();
  await Promise.all([inspector.page.keyboard.press("g"), inspector.page.keyboard.press("c")]);
  await client().roles.list();
  await Promise.all([inspector.page.keyboard.press("g"), inspector.page.keyboard.press("t")]);
  await expect.poll(() => rowsOf(inspector).count()).toBe(2);
});

it("has no serious finding of axe-core, wide and narrow", async () => {
  await using inspector = await open({ screen: "traffic" });
  await play(inspector);
  await expect.poll(() => rowsOf(inspector).count()).toBe(4);
  expect(await inspector.findingsInLooks(() => inspector.go("traffic", "2"))).toEqual([]);
});
