// Builds the site and tests it in a browser. Installs the site's own packages. Names of checks, such as playground, run only
// those; `--built` takes the site as it is.
import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, run } from "../../scripts/packed.ts";
import { runSteps } from "../../scripts/steps.ts";
import { tsc } from "../../scripts/tsc.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const suffix = ".check.ts";
const [isBuilt, asked] = [process.argv.includes("--built"), process.argv.slice(2).filter((name) => name !== "--built")];

if (!isBuilt) {
  ensureInstalled(`${root}site`);
  run(root, process.execPath, ...tsc, "-p", "site");
  console.log(run(root, process.execPath, "--conditions=@call-transfer/source", "site/build.ts"));
}
const checks = globSync(`*${suffix}`, { cwd: folder })
  .sort()
  .map((file) => ({ file, name: basename(file, suffix) }))
  .filter(({ name }) => asked.length === 0 || asked.includes(name));
const results = await runSteps(
  checks.map(({ file, name }) => ({
    name,
    command: [process.execPath, "--conditions=@call-transfer/source", "--test", "--test-reporter=spec", folder + file],
  })),
);
if (results.length === 0 || results.some(({ passed }) => !passed)) process.exitCode = 1;
