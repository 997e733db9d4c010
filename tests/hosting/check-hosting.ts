// Tests the hosted mock server in Cloudflare's runtime, as docs/hosting.md describes it. Builds the packages and installs the
// runtime. Names of tests, such as restarts, run only those.
import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureTools, run } from "../../scripts/packed.ts";
import { runSteps } from "../../scripts/steps.ts";
import { tsc } from "../../scripts/tsc.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const suffix = ".check.ts";
const asked = process.argv.slice(2);
const words = ["--conditions=@call-transfer/source", "--test", "--test-force-exit", "--test-reporter=spec"];
/** The longest, in this order. */
const first = ["restarts", "objects"];

run(root, process.execPath, "scripts/build.ts");
ensureTools(folder);
run(root, process.execPath, ...tsc, "-p", folder);
const steps = globSync(`*${suffix}`, { cwd: folder })
  .map((file) => ({ name: basename(file, suffix), command: [process.execPath, ...words, `${folder}${file}`] as const }))
  .filter(({ name }) => asked.length === 0 || asked.includes(name))
  .sort((one, other) => first.indexOf(other.name) - first.indexOf(one.name));
const results = await runSteps(steps, 2);
if (results.length === 0 || results.some(({ passed }) => !passed)) process.exitCode = 1;
