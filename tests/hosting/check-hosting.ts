// Tests servers that are killed, several servers behind a proxy, and a Worker, as docs/hosting.md describes them. `--installed`
// only says whether this machine has nginx. Without it the tests that need it are left out, or fail if CI is set.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findNginx } from "./nginx.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const withNginx = ["sharding.check.ts"];
const howToInstall = "This machine has no nginx. Install nginx-light.";
const hasNginx = findNginx() !== undefined;

/** Runs the tests, and returns the status of the process. */
function check(): number {
  if (!hasNginx) {
    if (process.env.CI) {
      console.error(howToInstall);
      return 1;
    }
    console.log(`${howToInstall} The tests with it are left out.`);
  }
  const files = globSync("*.check.ts", { cwd: folder }).filter((file) => hasNginx || !withNginx.includes(file));
  const options = ["--conditions=@call-transfer/source", "--test", "--test-concurrency=2", "--test-reporter=spec"];
  const { status } = spawnSync(process.execPath, [...options, ...files.sort()], { cwd: folder, stdio: "inherit" });
  return status ?? 1;
}

if (process.argv.includes("--installed")) {
  if (!hasNginx) console.log(howToInstall);
  process.exitCode = hasNginx ? 0 : 1;
} else process.exitCode = check();
