import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPage, openPage } from "../../build/browser.ts";
import type { MountedPage } from "./mounted-inspector-page.ts";

describe("the inspector inside an app, over a backend in the page", () => {
  let app: OpenPage<MountedPage>;
  let page: Page;
  beforeAll(async () => {
    app = await openPage<MountedPage>(new URL("mounted-inspector-page.ts", import.meta.url));
    page = app.page;
    await page.setViewportSize({ width: 1280, height: 1200 });
  });
  afterAll(() => app.close());

  const inspector = (id: string) => page.locator(`#${id} call-transfer-inspector`);
  /** The tab of the screen that is shown. */
  const tab = (id: string) => inspector(id).getByRole("navigation", { name: "Screens" }).locator("[aria-current]");
  /** A point over the inspector where nothing reacts to the mouse. */
  const hover = (id: string) => inspector(id).getByText("Live", { exact: true }).hover();

  it("shows what happens in the app's backend", async () => {
    await inspector("one").getByText("Live", { exact: true }).waitFor();
    await inspector("one").getByRole("button", { name: "Freeze the clock" }).waitFor();
    await app.call("freeze");
    await inspector("one").getByRole("button", { name: "Run the clock" }).waitFor();
  });

  it("gets no style of the app, and the app none of it", async () => {
    const style = await tab("one").evaluate((element) => {
      const { fontSize, letterSpacing, textAlign, color } = getComputedStyle(element);
      return { fontSize, letterSpacing, textAlign, isRed: color === "rgb(255, 0, 0)" };
    });
    expect(style).toEqual({ fontSize: "13px", letterSpacing: "normal", textAlign: "start", isRed: false });
    expect(await app.call("buttonPadding")).toBe("40px");
  });

  it("takes keys inside it from the app, and leaves others to the app", async () => {
    await page.locator("#app-button").focus();
    await page.locator("#app-button").hover();
    await page.keyboard.press("?");
    expect(await app.call("appKeys")).toEqual(["?"]);
    await expect.poll(() => inspector("one").getByRole("dialog").count()).toBe(0);

    await inspector("two").getByRole("searchbox", { name: "Filter" }).focus();
    await page.keyboard.press("x");
    expect(await app.call("appKeys")).toEqual([]);
  });

  it("takes keys while the pointer is over it, but none that are typed into the app", async () => {
    await page.locator("#app-text").focus();
    await hover("two");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    expect(await page.locator("#app-text").inputValue()).toBe("gc");
    await page.locator("#app-button").focus();
    await hover("two");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await expect.poll(() => tab("two").textContent()).toBe("Calls");
    expect(await tab("one").textContent()).toBe("Events");
  });

  it("leaves nothing behind", async () => {
    expect(await app.call("unmount")).toBe(0);
    expect(await app.call("listRoles")).toBe(4);
  });
});
