import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHere, type OpenPage, openPage } from "../../build/browser.ts";
import type { QueryPage } from "./query-page.ts";

describe.runIf(await browserHere())("TanStack Query in a browser", () => {
  let page: OpenPage<QueryPage>;
  beforeAll(async () => {
    page = await openPage(new URL("query-page.ts", import.meta.url));
  });
  afterAll(() => page.close());

  it("sends 3 requests for a query that fails; it would send 12 if both retried", async () => {
    expect(await page.call("failingQuery", "options")).toBe(3);
    expect(await page.call("failingQuery", "function")).toBe(12);
  });

  it("sends a placement offline at once and never again; it would pause it and send it later", async () => {
    await page.setOffline(true);
    const sent = await page.call("place", "options");
    await page.setOffline(false);
    expect(sent).toEqual({ onLine: false, isPaused: false, status: "success", requests: 1 });
    expect(await page.call("resume")).toBe(1);

    await page.setOffline(true);
    const paused = await page.call("place", "function");
    await page.setOffline(false);
    expect(paused).toEqual({ onLine: false, isPaused: true, status: "pending", requests: 0 });
    expect(await page.call("resume")).toBe(1);
  });

  it.each(["unmount", "cancel"] as const)("aborts the request on %s", async (way) => {
    expect(await page.call("leave", way)).toBe("AbortError");
  });
});
