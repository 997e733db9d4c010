// Tests the SDK's event stores over real servers: Redis and PostgreSQL. Without them it leaves their tests out, or fails if CI is
// set.
import { spawnSync } from "node:child_process";
import { cpSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureInstalled, run } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";
import { missingPython, pythonCommand } from "./python.ts";
import { missingPrograms } from "./servers.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
/** They need no server. */
const serverless = [".cache/examples/own-store.test.ts"];

const missing = missingPrograms();
const withoutPython = missingPython();
const howToInstall = `This machine has no ${missing.join(", ")}. Install redis-server and postgresql.`;

/** Runs the tests, and returns the status of the process. */
function check(): number {
  if (missing.length > 0) {
    if (process.env.CI) {
      console.error(howToInstall);
      return 1;
    }
    console.log(`${howToInstall} Their tests are left out.`);
  }
  if (withoutPython !== undefined)
    console.log(`${withoutPython} The tests of the Python client's stores are left out.`);
  if (withoutPython !== undefined && process.env.CI) return 1;
  ensureInstalled(folder);
  // Copies find the database clients, which are installed here.
  cpSync(`${root}examples/stores`, `${folder}.cache/examples`, { recursive: true });
  run(root, process.execPath, ...tsc, "-p", folder);
  const all = globSync(["*.check.ts", ".cache/examples/*.test.ts"], { cwd: folder });
  // Once, before several processes use it.
  if (withoutPython === undefined) pythonCommand();
  const files =
    missing.length > 0 ? serverless : all.filter((file) => withoutPython === undefined || !file.startsWith("python"));
  const options = [
    "--conditions=@call-transfer/source",
    "--test",
    "--test-concurrency=2",
    "--test-force-exit",
    "--test-reporter=spec",
  ];
  const { status } = spawnSync(process.execPath, [...options, ...files.sort()], { cwd: folder, stdio: "inherit" });
  return status ?? 1;
}

process.exitCode = check();
