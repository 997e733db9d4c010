// Tests servers that are killed, several servers behind a proxy, and a Worker in Cloudflare's runtime, as docs/hosting.md
// describes them, and makes the short run of lab/kills. Builds the packages and installs the runtime. `--installed` only says
// whether this machine has nginx. Without it the tests that need it are left out, or fail if CI is set. Names of tests, such as
// restarts, run only those.
import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong, leftOut } from "../../scripts/long.ts";
import { ensureTools, run } from "../../scripts/packed.ts";
import { runSteps, type Step } from "../../scripts/steps.ts";
import { tsc } from "../../scripts/tsc.ts";
import { findNginx } from "./nginx.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const suffix = ".check.ts";
const kills = "../../lab/kills/kills.check.ts";
const withNginx = ["sharding.check.ts"];
const howToInstall = "This machine has no nginx. Install nginx-light.";
const hasNginx = findNginx() !== undefined;

const node = (name: string, ...options: string[]): Step => ({
  name,
  command: [process.execPath, "--conditions=@call-transfer/source", ...options],
});
const testIn = (file: string): Step =>
  node(basename(file, suffix), "--test", "--test-reporter=spec", `${folder}${file}`);
const contract = node("contract", `${root}packages/contract/targets/test-contract.ts`, "--target", "durable-object");
/** The longest, in this order. */
const first = ["contract", "kills", "objects", "restarts"];
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
  const all = [contract, ...[kills, ...files].map(testIn)].sort((one, other) => rank(one) - rank(other));
  const usual = all.filter((step) => isLong || step !== contract);
  if (asked.length === 0 && !isLong) leftOut("the contract suite on a Durable Object");
  const chosen = asked.length === 0 ? usual : all.filter(({ name }) => asked.includes(name));
  const results = await runSteps(chosen, 2);
  return results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
}

if (process.argv.includes("--installed")) {
  if (!hasNginx) console.log(howToInstall);
  process.exitCode = hasNginx ? 0 : 1;
} else process.exitCode = await check(process.argv.slice(2));
