// Says which browser the checks open, after fetching one if need be; `-- --installed` fetches none. Fails where there is none.
import { browserHere, installedBrowser } from "../packages/contract/targets/browser/find-browser.ts";

try {
  const browser = process.argv.includes("--installed") ? installedBrowser() : await browserHere();
  console.log(browser?.executablePath ?? "There is no browser.");
  if (browser === undefined) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
