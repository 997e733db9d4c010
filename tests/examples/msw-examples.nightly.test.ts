import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserHere, type OpenPage, openPage } from "../../build/browser.ts";
import type { ExamplePage } from "./msw-example-page.ts";

describe.runIf(await browserHere())("in a browser", () => {
  let page: OpenPage<ExamplePage>;
  beforeAll(async () => {
    page = await openPage(new URL("msw-example-page.ts", import.meta.url));
  });
  afterAll(() => page.close());

  it("the documented page calls the mocked API", async () => {
    expect(await page.call("accountNames")).toEqual(["Example Dental"]);
  });

  it("the documented page reaches the control plane and its own files", async () => {
    expect(await page.call("controlStatus")).toBe(200);
    expect(await page.call("ownFile")).toBe("text/html; charset=utf-8");
  });
});
