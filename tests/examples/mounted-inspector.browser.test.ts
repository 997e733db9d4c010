import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPage, openPage } from "../../packages/contract/targets/browser/msw-browser.ts";
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
  const heading = (id: string) => inspector(id).getByRole("heading", { level: 1 });
  /** A point over the inspector where nothing reacts to the mouse. */
  const hover = (id: string) => heading(id).hover();

  it("shows what happens in the app's backend", async () => {
    await inspector("one").getByText("Live", { exact: true }).waitFor();
    await inspector("one").getByText("running", { exact: true }).waitFor();
    await app.call("freeze");
    await inspector("one").getByText("frozen", { exact: true }).waitFor();
  });

  it("has the sandboxes of its own backend", async () => {
    const names = (id: string) =>
      inspector(id).getByRole("combobox", { name: "Sandbox" }).locator("option").allTextContents();
    await expect.poll(() => names("two")).toEqual(["default", "other"]);
    await expect.poll(() => names("one")).toEqual(["default"]);
  });

  it("gets no style of the app, and the app none of it", async () => {
    const style = await heading("one").evaluate((element) => {
      const { fontSize, letterSpacing, textAlign, color } = getComputedStyle(element);
      return { fontSize, letterSpacing, textAlign, isRed: color === "rgb(255, 0, 0)" };
    });
    expect(style).toEqual({ fontSize: "15px", letterSpacing: "normal", textAlign: "start", isRed: false });
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
    await expect.poll(() => heading("two").textContent()).toBe("Clock");
    expect(await heading("one").textContent()).toBe("Traffic");
  });

  it("has colours of its own", async () => {
    const scheme = (id: string) => inspector(id).evaluate((host) => getComputedStyle(host).colorScheme);
    expect(await scheme("two")).toBe("dark");
    await inspector("one").getByRole("button", { name: "Dark colours" }).click();
    expect(await scheme("one")).toBe("dark");
    expect(await page.evaluate(() => document.documentElement.style.colorScheme)).toBe("");
  });

  it("leaves nothing behind", async () => {
    expect(await app.call("unmount")).toBe(0);
    expect(await app.call("listRoles")).toBe(4);
  });
});
