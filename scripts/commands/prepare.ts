// Gets what the checks use besides the workspace, for .ci/run and scripts/ci.ts, so that checks side by side do not fetch it twice.
// `browser` prints the browser that the checks use, and downloads one if necessary; `browser --installed` downloads none and fails
// without one. `tools` installs tests/tools: runtimes, compilers, package managers, MSW 2.
import { browserHere, installedBrowser } from "../../build/browser.ts";
import { ensureInstalled, tools } from "../packed.ts";

const [what, option] = process.argv.slice(2);
try {
  if (what === "tools") ensureInstalled(tools);
  else if (what === "browser") {
    const browser = option === "--installed" ? installedBrowser() : await browserHere();
    console.log(browser?.executablePath ?? "No browser found. Install Chromium, or run this with network access.");
    if (browser === undefined) process.exitCode = 1;
  } else throw new Error("Name browser or tools.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
