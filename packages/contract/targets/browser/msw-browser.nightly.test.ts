import { operations } from "@call-transfer/spec";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserHere } from "./find-browser.ts";
import { type OpenPage, openMswPage } from "./msw-browser.ts";
import type { MswPage } from "./msw-page.ts";

describe.runIf(await browserHere())("under MSW in a browser", () => {
  let page: OpenPage<MswPage>;
  beforeAll(async () => {
    page = await openMswPage();
  });
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

  it.each(["reset", "empty", "truncate", "process_then_reset"])(
    "a page meets the fault %s as a failed request",
    async (fault) => {
      await arm(fault);
      await expect(page.call("send", roles)).rejects.toThrow(/Failed to fetch|network error|ECONNRESET/);
      expect((await page.call("send", roles)).status).toBe(401);
    },
  );

  it("a page's EventSource follows the control plane's events", async () => {
    const events = await page.call("follow", "request", roles);
    expect(JSON.parse(events)).toMatchObject({ type: "request.completed", operationId: "listRoles" });
  });
});
