// Prints the browser that the checks use, and downloads one if necessary; `-- --installed` downloads none. Fails without one.
import { browserHere, installedBrowser } from "../../packages/contract/targets/browser/find-browser.ts";

try {
  const browser = process.argv.includes("--installed") ? installedBrowser() : await browserHere();
  console.log(
    browser?.executablePath ??
      "No browser found. Install Chromium, or run npm run check -- browser with network access.",
  );
  if (browser === undefined) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
