// Tests servers that are killed, several servers behind a proxy, and a Worker in Cloudflare's runtime, as docs/hosting.md
// describes them. Builds the packages and installs the runtime. `--installed` only says
// whether this machine has nginx. Without it the tests that need it are left out, or fail if CI is set. Names of tests, such as
// restarts, run only those.
import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureTools, run } from "../../scripts/packed.ts";
import { runSteps, type Step } from "../../scripts/steps.ts";
import { tsc } from "../../scripts/tsc.ts";
import { findNginx } from "./nginx.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const suffix = ".check.ts";
const withNginx = ["sharding.check.ts"];
const howToInstall = "This machine has no nginx. Install nginx-light.";
const hasNginx = findNginx() !== undefined;

const testIn = (file: string): Step => ({
  name: basename(file, suffix),
  command: [
    process.execPath,
    "--conditions=@call-transfer/source",
    ...["--test", "--test-force-exit", "--test-reporter=spec", `${folder}${file}`],
  ],
});
/** The longest, in this order. */
const first = ["objects", "restarts"];
const rank = ({ name }: Step): number => (first.includes(name) ? first.indexOf(name) : first.length);

/** Runs the tests, and returns the status of the process. */
async function check(asked: readonly string[]): Promise<number> {
  if (!hasNginx) {
    if (process.env.CI) {
      console.error(howToInstall);
      return 1;
    }
    console.log(`${howToInstall} The tests with it are left out.`);
  }
  run(root, process.execPath, "scripts/build.ts");
  ensureTools(folder);
  run(root, process.execPath, ...tsc, "-p", folder);
  const files = globSync(`*${suffix}`, { cwd: folder }).filter((file) => hasNginx || !withNginx.includes(file));
  const all = files.map(testIn).sort((one, other) => rank(one) - rank(other));
  const chosen = all.filter(({ name }) => asked.length === 0 || asked.includes(name));
  const results = await runSteps(chosen, 2);
  return results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
}

if (process.argv.includes("--installed")) {
  if (!hasNginx) console.log(howToInstall);
  process.exitCode = hasNginx ? 0 : 1;
} else process.exitCode = await check(process.argv.slice(2));
