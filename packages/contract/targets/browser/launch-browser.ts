import { type Browser, chromium } from "playwright-core";
import { browserHere } from "./find-browser.ts";

const browserArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const startWithinMs = 120_000;

/**
 * Starts the browser of this machine without a window.
 *
 * @throws {Error} if there is none; `browserHere()` tells before.
 */
export async function launchBrowser(): Promise<Browser> {
  const browser = await browserHere();
  if (browser === undefined) throw new Error("There is no browser to start.");
  return chromium.launch({ ...browser, args: browserArguments, timeout: startWithinMs });
}
