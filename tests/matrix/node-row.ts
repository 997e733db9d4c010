// A row of the matrix for a version of Node: the unit tests of the published packages, and tests of the packed ones.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong, leftOut as printLeftOut } from "../../scripts/long.ts";
import { ensureTools, published, temporaryFolder, tools } from "../../scripts/packed.ts";
import { bundleTests, installPacked } from "../packages/packed/bundle.ts";
import { startPostgres, startRedis } from "../receiving/servers.ts";
import { type LeftOut, readTap } from "./left-out.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const receiving = join(root, "tests/receiving");
const oldestWithVitest = 22;
const isLinux = process.platform === "linux";
/** The packages whose code is the same on every system. The tests of others start processes as Linux does. */
const everywhere = ["spec", "sdk", "backend"];

export interface RowResult {
  readonly passed: boolean;
  /** What ran, with the numbers of tests. */
  readonly summary: string;
  readonly leftOut: readonly LeftOut[];
}

/** Writes the tests of the packed packages into a project that has them. Returns their paths. */
function testsIn(project: string): Promise<string[]> {
  const names = ["clients", "contract", "stores"].map((name) => `tests/matrix/built/${name}.check.ts`);
  const tests = isLong ? [...names, "tests/receiving/stores-on-node.ts"] : names;
  return bundleTests(project, tests, "tests/matrix/expected-node.ts");
}

/** Runs a program of a Node that is also the first of the PATH. Returns its status. */
async function runOn(node: string, version: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const env: NodeJS.ProcessEnv = { ...process.env, ...more, MATRIX_NODE: version };
  // Windows calls it Path.
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[name] = `${dirname(node)}${delimiter}${env[name] ?? ""}`;
  const child = spawn(node, words, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
  const [status] = await once(child, "exit");
  return status === 0;
}

/** The databases of the long form. */
async function withDatabases<T>(use: (addresses: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  if (!isLong) return use({});
  const redis = await startRedis();
  try {
    const postgres = await startPostgres();
    return await use({ MATRIX_REDIS: redis.url, MATRIX_POSTGRES: postgres.url }).finally(() => postgres.stop());
  } finally {
    await redis.stop();
  }
}

async function runBuilt(node: string, version: string, folder: string) {
  const files = await testsIn(installPacked(folder));
  if (!isLong) printLeftOut("the stores in Redis and PostgreSQL");
  const report = join(folder, "built.tap");
  const reporters = ["--test-reporter=tap", `--test-reporter-destination=${report}`, "--test-reporter=dot"];
  // One file at a time: a process that stalls for seconds finds its idle connections closed.
  const words = ["--test", "--test-concurrency=1", ...reporters, "--test-reporter-destination=stdout", ...files];
  const passed = await withDatabases((addresses) => runOn(node, version, words, addresses));
  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  const result = readTap(text);
  if (!passed)
    console.error(text.match(/^ *not ok .+\n(?: +.*\n){0,30}/gm)?.join("\n") ?? "The packed packages' tests stopped.");
  return { ...result, passed, summary: `${result.passed} tests of the packed packages` };
}

/** Which numbers Vitest reports. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

async function runUnitTests(node: string, version: string, folder: string) {
  const report = join(folder, "unit.json");
  const names = published.filter((name) => name !== "python" && (isLinux || everywhere.includes(name)));
  if (!isLinux) console.log(`Only on Linux: the unit tests of other packages than ${everywhere.join(", ")}.`);
  const folders = names.map((name) => `packages/${name}`);
  const options = ["--project=!slow", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const passed = await runOn(node, version, ["node_modules/vitest/vitest.mjs", "run", ...options, ...folders]);
  if (!existsSync(report)) return { passed: false, summary: "the unit tests stopped" };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  return { passed, summary: `${numPassedTests} unit tests passed, ${numFailedTests} failed` };
}

/** Runs everything that this version of Node can run. */
export async function runNodeRow(major: number): Promise<RowResult> {
  ensureTools(receiving);
  const folder = join(tools, "node_modules", `node-${major}`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  using temporary = temporaryFolder("matrix");
  const built = await runBuilt(node, `v${version}`, temporary.path);
  if (major < oldestWithVitest) {
    const why = "Vitest does not start on it; the tests of the packed packages take their place";
    return {
      ...built,
      summary: `v${version}: ${built.summary}`,
      leftOut: [{ what: "unit tests", why }, ...built.leftOut],
    };
  }
  const unit = await runUnitTests(node, `v${version}`, temporary.path);
  const summary = `v${version}: ${built.summary}, ${unit.summary}`;
  return { passed: built.passed && unit.passed, summary, leftOut: built.leftOut };
}
