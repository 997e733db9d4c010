import { demo } from "@call-transfer/backend";
import { ApiError } from "@call-transfer/sdk";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inspectorTests } from "./page.ts";

const open = inspectorTests();
const frozen = { clockMode: "frozen", now: "2026-03-02T12:00:00Z" } as const;
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

/** The cell of an operation in the column of a status. */
async function cellOf(page: Page, operationId: string, status: number): Promise<string | undefined> {
  const columns = await page.getByRole("columnheader").allTextContents();
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: operationId, exact: true }) });
  const cells = [operationId, ...(await row.getByRole("cell").allTextContents())];
  return cells[columns.indexOf(String(status))];
}

it("counts what a program of the SDK met, while it runs", async () => {
  await using inspector = await open({ server: frozen, screen: "coverage" });
  const { page } = inspector;
  const client = inspector.client({ maxRetries: 0 });
  expect(await cellOf(page, "listRoles", 200)).toBe("0×");
  await client.roles.list();
  await client.roles.list();
  await expect(inspector.client({ apiKey: `${demo.apiKey}x`, maxRetries: 0 }).roles.list()).rejects.toThrow(ApiError);
  await page.getByRole("cell", { name: "2×" }).waitFor();
  await page.getByText("1 of 8").waitFor();
  await expect.poll(() => cellOf(page, "listRoles", 401)).toBe("1×");
  expect(await cellOf(page, "createCall", 201)).toBe("0×");
  expect(await cellOf(page, "createCall", 200)).toBe("–");
});

it("provokes a code that the program then meets", async () => {
  await using inspector = await open({ server: frozen });
  const { page } = inspector;
  await inspector.go("coverage", "createCall");
  await button(page, /^Provoke queue_full/).click();
  await page.getByText("The next createCall gets queue_full.", { exact: false }).waitFor();
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  const client = inspector.client({ maxRetries: 0 });
  await expect(client.calls.create(call)).rejects.toMatchObject({ code: "queue_full" });
  const code = page.getByRole("listitem").filter({ hasText: "queue_full" });
  await code.getByText("1×").waitFor();
  await page.getByLabel("What to show").selectOption("never");
  await code.waitFor({ state: "detached" });
});

it("copies a report, and begins the counts again", async () => {
  await using inspector = await open({ server: frozen, screen: "coverage" });
  const { page } = inspector;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await inspector.client().roles.list();
  await page.getByRole("cell", { name: "1×" }).waitFor();
  // It is said for a moment only.
  await Promise.all([page.getByText("Copied").waitFor(), button(page, "Copy as Markdown").click()]);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/^Operations: 1 of 8 \(13 %\)\./);
  await button(page, "Clear the request log").click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
  await page.getByText("0 of 8").waitFor();
  expect(await inspector.server.requests()).toEqual([]);
});

it("is used by the keyboard, and has no serious finding of axe-core, wide and narrow", async () => {
  await using inspector = await open({ server: frozen, screen: "traffic" });
  const { page } = inspector;
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("o")]);
  await page.getByRole("columnheader", { name: "Operation" }).waitFor();
  await page.keyboard.press("j");
  const details = page.getByRole("region", { name: "Details" });
  await details.waitFor();
  const [first] = await page.getByRole("rowheader").allTextContents();
  expect(await details.getByRole("heading").first().textContent()).toBe(first);
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  await inspector.client().roles.list();
  for (const rest of [[], ["createCall"]])
    expect(await inspector.findingsInLooks(() => inspector.go("coverage", ...rest))).toEqual([]);
});
