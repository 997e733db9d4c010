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
const startWithinMs = 300_000;

/**
 * Starts the browser of this machine without a window.
 *
 * @param options More arguments of its command line.
 * @throws {Error} without a browser; check with `browserHere()` first.
 */
export async function launchBrowser(options: readonly string[] = []): Promise<Browser> {
  const browser = await browserHere();
  if (browser === undefined) throw new Error("No browser is installed.");
  return chromium.launch({ ...browser, args: [...browserArguments, ...options], timeout: startWithinMs });
}
