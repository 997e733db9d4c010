// Rows of the matrix for a version of Node: the unit tests of the published packages and the tests of the packed ones, and their
// stores in databases.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, published, temporaryFolder, tools } from "../../scripts/packed.ts";
import { bundleTests, installPacked } from "../packages/packed/bundle.ts";
import { missingPrograms, startPostgres, startRedis } from "../receiving/servers.ts";
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

/** The Node of a row, and a folder for its reports. */
interface NodeOfRow {
  readonly node: string;
  readonly version: string;
  readonly folder: string;
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

async function withDatabases<T>(use: (addresses: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const redis = await startRedis();
  try {
    const postgres = await startPostgres();
    return await use({ MATRIX_REDIS: redis.url, MATRIX_POSTGRES: postgres.url }).finally(() => postgres.stop());
  } finally {
    await redis.stop();
  }
}

/** Runs tests of the packed packages, given by their paths in this repository. */
async function runBuilt({ node, version, folder }: NodeOfRow, tests: string[], addresses: NodeJS.ProcessEnv = {}) {
  const files = await bundleTests(installPacked(folder), tests, "tests/matrix/expected-node.ts");
  const report = join(folder, "built.tap");
  const reporters = ["--test-reporter=tap", `--test-reporter-destination=${report}`, "--test-reporter=dot"];
  // One file at a time: a process that stalls for seconds finds its idle connections closed.
  const words = ["--test", "--test-concurrency=1", ...reporters, "--test-reporter-destination=stdout", ...files];
  const passed = await runOn(node, version, words, addresses);
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

async function runUnitTests({ node, version, folder }: NodeOfRow) {
  const report = join(folder, "unit.json");
  const names = published.filter((name) => name !== "python" && (isLinux || everywhere.includes(name)));
  if (!isLinux) console.log(`Only on Linux: the unit tests of other packages than ${everywhere.join(", ")}.`);
  const folders = names.map((name) => `packages/${name}`);
  const options = [
    "--project=unit",
    "--project=vite",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const passed = await runOn(node, version, ["node_modules/vitest/vitest.mjs", "run", ...options, ...folders]);
  if (!existsSync(report)) return { passed: false, summary: "the unit tests stopped" };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  return { passed, summary: `${numPassedTests} unit tests passed, ${numFailedTests} failed` };
}

async function onNode<T>(major: number, use: (row: NodeOfRow) => Promise<T>): Promise<T> {
  ensureInstalled(tools);
  ensureInstalled(receiving);
  const folder = join(tools, "node_modules", `node-${major}`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  using temporary = temporaryFolder("matrix");
  return await use({ node, version: `v${version}`, folder: temporary.path });
}

/** Runs everything that this version of Node can run without a database. */
export const runNodeRow = (major: number): Promise<RowResult> =>
  onNode(major, async (row) => {
    const names = ["clients", "contract", "stores"].map((name) => `tests/matrix/built/${name}.check.ts`);
    const built = await runBuilt(row, names);
    if (major < oldestWithVitest) {
      const why = "Vitest does not start on it; the tests of the packed packages take their place";
      return {
        ...built,
        summary: `${row.version}: ${built.summary}`,
        leftOut: [{ what: "unit tests", why }, ...built.leftOut],
      };
    }
    const unit = await runUnitTests(row);
    const summary = `${row.version}: ${built.summary}, ${unit.summary}`;
    return { passed: built.passed && unit.passed, summary, leftOut: built.leftOut };
  });

/** Runs the stores in Redis and PostgreSQL on this version of Node; undefined if this machine lacks a server. */
export async function runStoresRow(major: number): Promise<RowResult | undefined> {
  if (missingPrograms().length > 0) return undefined;
  return onNode(major, (row) =>
    withDatabases(async (addresses) => {
      const built = await runBuilt(row, ["tests/receiving/stores-on-node.ts"], addresses);
      return { ...built, summary: `${row.version}: ${built.summary}` };
    }),
  );
}
