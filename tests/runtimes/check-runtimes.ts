// The packed packages on each runtime that they support, in rows: `npm run check -- runtimes node-22 bun` runs two, and without
// names all run. On each Node the contract suite, the vectors, the stores and the unit tests; on the others one program that uses
// the SDK as a customer does; on each Python the tests of its client. Requires built packages.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundleAsWorkersDo } from "esbuild";
import { build as bundleAsPagesDo } from "vite";
import { ensureInstalled, published, temporaryFolder, tools } from "../../scripts/packed.ts";
import { withPackedServer } from "../../scripts/packed-server.ts";
import { ensureEnvironment } from "../../scripts/python.ts";
import { bundleTests, installPacked } from "../packages/packed/bundle.ts";
import { missingPrograms, startPostgres, startRedis } from "../receiving/servers.ts";
import { openLosses } from "./losses.ts";
import { openRuntimes, type Runtime } from "./runtimes.ts";
import { now, stage } from "./stage.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const oldestWithVitest = 22;
/** The packages whose code is the same on every system. The tests of others start processes as Linux does. */
const everywhere = ["spec", "sdk", "backend"];
const isLinux = process.platform === "linux";

interface RowResult {
  readonly passed: boolean;
  /** What ran, with the numbers of tests. */
  readonly summary: string;
}
/** Undefined if this machine lacks what the row needs. */
type Row = () => Promise<RowResult | undefined>;

/** A Node of a row, and a folder for its reports. */
interface NodeOfRow {
  readonly node: string;
  readonly version: string;
  readonly folder: string;
}

/** Runs a program of a Node that is also the first of the PATH. Returns whether it passed. */
async function runOn({ node, version }: NodeOfRow, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const env: NodeJS.ProcessEnv = { ...process.env, ...more, MATRIX_NODE: version };
  // Windows calls it Path.
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[name] = `${dirname(node)}${delimiter}${env[name] ?? ""}`;
  const child = spawn(node, words, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
  const [status] = await once(child, "exit");
  return status === 0;
}

/** Runs tests of the packed packages, given by their paths. Fails if another number of them is skipped. */
async function runBuilt(row: NodeOfRow, tests: string[], skipped: number, addresses: NodeJS.ProcessEnv = {}) {
  const files = await bundleTests(installPacked(row.folder), tests);
  const report = join(row.folder, "built.tap");
  const reporters = ["--test-reporter=tap", `--test-reporter-destination=${report}`, "--test-reporter=dot"];
  // One file at a time: a process that stalls for seconds finds its idle connections closed.
  const words = ["--test", "--test-concurrency=1", ...reporters, "--test-reporter-destination=stdout", ...files];
  const passed = await runOn(row, words, addresses);
  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  if (!passed)
    console.error(text.match(/^ *not ok .+\n(?: +.*\n){0,30}/gm)?.join("\n") ?? "The packed packages' tests stopped.");
  if (count("skipped") !== skipped)
    console.error(
      `${count("skipped")} tests were skipped instead of ${skipped}:\n${text.match(/.*# SKIP.*/g)?.join("\n")}`,
    );
  return {
    passed: passed && count("skipped") === skipped,
    summary: `${count("pass")} tests of the packed packages, ${skipped} skipped`,
  };
}

async function runUnitTests(row: NodeOfRow): Promise<RowResult> {
  const names = published.filter((name) => name !== "python" && (isLinux || everywhere.includes(name)));
  if (!isLinux) console.log(`Only on Linux: the unit tests of other packages than ${everywhere.join(", ")}.`);
  const words = ["node_modules/vitest/vitest.mjs", "run", "--project=unit", "--project=vite", "--reporter=dot"];
  const passed = await runOn(row, [...words, ...names.map((name) => `packages/${name}`)]);
  return { passed, summary: `unit tests ${passed ? "passed" : "failed"}` };
}

async function onNode<T>(major: number, use: (row: NodeOfRow) => Promise<T>): Promise<T> {
  ensureInstalled(tools);
  ensureInstalled(join(root, "tests/receiving"));
  const folder = join(tools, "node_modules", `node-${major}`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  using temporary = temporaryFolder("runtimes");
  return await use({ node, version: `v${version}`, folder: temporary.path });
}

/** Everything that this version of Node can run without a database. Vitest does not start on Node 20. */
const nodeRow = (major: number) => (): Promise<RowResult> =>
  onNode(major, async (row) => {
    const names = ["clients", "contract", "stores"].map((name) => `tests/runtimes/built/${name}.check.ts`);
    // A data file is either kept, or refused with the way out.
    const built = await runBuilt(row, names, 1);
    const unit = major < oldestWithVitest ? { passed: true, summary: "no unit tests" } : await runUnitTests(row);
    return { passed: built.passed && unit.passed, summary: `${row.version}: ${built.summary}, ${unit.summary}` };
  });

/** The stores in Redis and PostgreSQL. */
const storesRow =
  (major: number): Row =>
  async () => {
    if (missingPrograms().length > 0) return undefined;
    return onNode(major, async (row) => {
      await using redis = await startRedis();
      await using postgres = await startPostgres();
      const addresses = { MATRIX_REDIS: redis.url, MATRIX_POSTGRES: postgres.url };
      // The servers must outlive the tests.
      return await runBuilt(row, ["tests/receiving/stores-on-node.ts"], 0, addresses);
    });
  };

const pythonFolder = join(root, "packages/python");
/** Prints the version if the interpreter can make virtual environments. */
const probe = "import ensurepip, venv, sys; print('.'.join(map(str, sys.version_info[:3])))";

/** The command of an interpreter on the PATH or of pyenv. */
function findPython(version: string): string | undefined {
  const pyenv = process.env.PYENV_ROOT ?? join(homedir(), ".pyenv");
  const found = globSync(join(pyenv, "versions", `${version}.*`, "bin", "python"));
  return [...found, `python${version}`, "python3"].find((command) => {
    const { status, stdout } = spawnSync(command, ["-c", probe], { encoding: "utf8" });
    return status === 0 && stdout.startsWith(`${version}.`);
  });
}

const pythonRow =
  (version: string): Row =>
  async () => {
    const command = findPython(version);
    if (command === undefined) return undefined;
    const commands = ensureEnvironment(`python-${version}`, join(pythonFolder, "requirements.txt"), command);
    const env = { ...process.env, PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" };
    const words = ["-m", "pytest", "-rs", "-p", "no:cacheprovider"];
    const child = spawn(join(commands, "python"), words, {
      cwd: pythonFolder,
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    const printed: string[] = [];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
    child.stdout?.pipe(process.stdout);
    const [status] = await once(child, "close");
    const summary = /(\d+ passed.*?)\s*=*\s*$/m.exec(printed.join(""))?.[1] ?? "the tests stopped";
    return { passed: status === 0 && !summary.includes("skipped"), summary: `${command}: ${summary}` };
  };

const imports = `import * as sdk from "@call-transfer/sdk";
import * as webhooks from "@call-transfer/sdk/webhooks";
import { exercise } from "./program.mjs";
`;

/** Writes the program for a runtime into a project, as modules or bundled as for it. Returns the file, which defines `program`. */
async function scriptFor(runtime: Runtime, project: string): Promise<string> {
  const at = (name: string) => join(project, name);
  copyFileSync(fileURLToPath(new URL("./program.mjs", import.meta.url)), at("program.mjs"));
  writeFileSync(at("modules.mjs"), `${imports}const program = { run: (input) => exercise(sdk, webhooks, input) };\n`);
  if (runtime.resolves) return at("modules.mjs");
  const entry = at("bundled.mjs");
  writeFileSync(entry, `${imports}export const run = (input) => exercise(sdk, webhooks, input);\n`);
  if (runtime.name === "workerd") {
    const shared = { bundle: true, format: "iife", globalName: "program", minify: true, logLevel: "error" } as const;
    const conditions = ["workerd", "worker"];
    await bundleAsWorkersDo({ ...shared, entryPoints: [entry], outfile: at("worker.js"), conditions });
    return at("worker.js");
  }
  const lib = { entry, formats: ["iife" as const], name: "program", fileName: () => "page.js" };
  const output = { emptyOutDir: false, outDir: project, lib };
  await bundleAsPagesDo({ root: project, logLevel: "error", build: output });
  return at("page.js");
}

/** Serves an empty page from another origin than the API, for the browser. */
async function openPage(): Promise<{ url: string } & Disposable> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>A customer's page</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

const programRow =
  (name: string): Row =>
  async () => {
    const runtime = (await openRuntimes()).find((one) => one.name.toLowerCase() === name);
    if (runtime === undefined) return undefined;
    using folder = temporaryFolder("runtimes");
    const project = installPacked(folder.path);
    const script = await scriptFor(runtime, project);
    using page = await openPage();
    let shown: unknown;
    await withPackedServer(project, ["--clock", "frozen", "--now", now, "--cors-origin", page.url], async ({ url }) => {
      const { losses, close } = await openLosses(runtime.hasErrorCodes);
      try {
        const input = { ...(await stage(url, name)), losses };
        shown = await runtime.run(script, `program.run(${JSON.stringify(input)})`, page.url);
      } finally {
        close();
      }
    });
    return { passed: true, summary: `${runtime.version}: ${shown}` };
  };

const rows: Readonly<Record<string, Row>> = Object.fromEntries([
  ...[20, 22, 24, 26].flatMap((major) => [
    [`node-${major}`, nodeRow(major)] as const,
    [`stores-${major}`, storesRow(major)] as const,
  ]),
  ...["bun", "deno", "workerd", "chromium"].map((name) => [name, programRow(name)] as const),
  ...[11, 12, 13, 14].map((minor) => [`python-3.${minor}`, pythonRow(`3.${minor}`)] as const),
]);

const neededBy = (row: string): string => {
  if (row.startsWith("stores-")) return "redis-server and PostgreSQL";
  return row.startsWith("python-") ? "that version of Python, with venv" : "a browser";
};

/** Runs a row and prints its result. Returns whether it passed. */
async function check(name: string, row: Row, mustBeThere: boolean): Promise<boolean> {
  console.log(`\n--- ${name}`);
  try {
    const result = await row();
    const { passed, summary } = result ?? {
      passed: !mustBeThere,
      summary: `this machine lacks what it needs. Install ${neededBy(name)}.`,
    };
    console.log(`${passed ? (result ? "ok    " : "absent") : "failed"}  ${name}, ${summary}`);
    return passed;
  } catch (error) {
    console.log(`failed  ${name}, ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`Unknown row ${unknown.join(", ")}. There are ${Object.keys(rows).join(", ")}.`);
  process.exitCode = 2;
} else {
  const chosen = Object.entries(rows).filter(([row]) => named.length === 0 || named.includes(row));
  for (const [name, row] of chosen) if (!(await check(name, row, named.length > 0))) process.exitCode = 1;
}
