// Steps that the checks of the playground share.
import type { Page } from "playwright-core";
import type { ServedSite } from "./served-site.ts";

export const editor = (page: Page) => page.getByRole("textbox", { name: "Program" });
export const press = (page: Page, name: RegExp) =>
  page.getByRole("toolbar", { name: "Program" }).getByRole("button", { name }).click();
export const ended = (page: Page) =>
  page
    .getByRole("status")
    .getByText(/^(?:Done|Failed) after/)
    .waitFor();

/** Opens the playground, with a program in place of the first one if there is one. */
export async function openPlayground(
  site: ServedSite,
  source?: string,
  options: Parameters<ServedSite["open"]>[1] = {},
  hash = "",
) {
  const opened = await site.open(`/playground${hash}`, options);
  await editor(opened.page).waitFor();
  if (source !== undefined) await editor(opened.page).fill(source);
  return opened;
}

/** Runs the program of the editor. Returns its output. */
export async function run(page: Page): Promise<string> {
  await press(page, /^Run/);
  await ended(page);
  return output(page);
}

/** The output so far. */
export async function output(page: Page): Promise<string> {
  const texts = await page.locator(".pg-text").allTextContents();
  return texts.join("\n");
}
