import { operations } from "@call-transfer/spec";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { cases } from "../cases.ts";
import type { Run } from "../run.ts";
import { mswBrowser, type OpenPage, openMswPage } from "./msw-browser.ts";
import type { MswPage } from "./msw-page.ts";

it("the contract is kept in Chromium under MSW's worker, with nothing left out", { timeout: 180_000 }, async () => {
  const runs: Run[] = [];
  await mswBrowser.run(cases, (run) => runs.push(run));
  expect(runs.filter(({ failure, hindrances, deviation }) => failure ?? hindrances ?? deviation)).toEqual([]);
  expect(runs).toHaveLength(cases.length);
});

let page: OpenPage<MswPage>;
beforeAll(async () => {
  page = await openMswPage();
}, 60_000);
afterAll(() => page.close());
beforeEach(() => page.call("useSandboxes"));

const roles = { method: operations.listRoles.method, path: operations.listRoles.path, headers: {} };
const arm = (fault: string) =>
  page.call("send", {
    method: "POST",
    path: "/_control/v1/faults",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ do: fault }),
  });

it.each(["reset", "empty", "truncate", "processThenDrop"])(
  "a page meets the fault %s as a failed request",
  async (fault) => {
    await arm(fault);
    await expect(page.call("send", roles)).rejects.toThrow(/Failed to fetch|network error|ECONNRESET/);
    expect((await page.call("send", roles)).status).toBe(401);
  },
);

it("a page's EventSource follows the control plane's events", async () => {
  const events = await page.call("follow", "request", roles);
  expect(JSON.parse(events)).toMatchObject({ type: "request", operationId: "listRoles" });
});
