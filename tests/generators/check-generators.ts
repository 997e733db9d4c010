// Generates clients from the published document with generators of other makers, compiles them, and calls every operation of a
// mock server with them. `-- orval` runs one.
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startMockServer } from "@call-transfer/mock-server";
import { temporaryFolder } from "../../scripts/packed.ts";
import { environment, expectedLines, serverOptions } from "./conversation.ts";
import { environmentPrograms, type Generator, generators, type Run } from "./generators.ts";

const here = fileURLToPath(new URL("./", import.meta.url));
const document = fileURLToPath(new URL("../../packages/spec/openapi.json", import.meta.url));
/** A limit for what hangs, not for what takes long. */
const limitMs = 900_000;
const execute = promisify(execFile);
const warning = /warn|deprecat|✗/i;

/** Runs programs in a folder. */
const runIn =
  (folder: string): Run =>
  async (program, options, variables = {}) => {
    // openapi-python-client looks for its formatter on the path.
    const PATH = [join(folder, environmentPrograms), process.env.PATH].join(delimiter);
    const env = { ...process.env, NO_COLOR: "1", PATH, ...variables };
    const settings = { cwd: folder, env, timeout: limitMs, maxBuffer: 1 << 28 };
    try {
      const { stdout, stderr } = await execute(program, options, settings);
      return stdout + stderr;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        throw new Error(`${program} is missing. Install it, or name the generators to run.`);
      const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
      throw new Error(`${message}\n${stdout}${stderr}`);
    }
  };

/** The operations and statuses that the server answered, as a program prints them. */
async function answered(url: string): Promise<string[]> {
  const response = await fetch(`${url}/_control/v1/requests`);
  const { requests } = (await response.json()) as { requests: { operationId?: string; status?: number }[] };
  return requests.map(({ operationId, status }) => `${operationId} ${status}`);
}

/** Lines of which one list has more than the other. */
const difference = (lines: readonly string[], others: readonly string[], sign: string): string[] =>
  lines.flatMap((line, index) => (line === others[index] ? [] : [`${sign} ${line}`]));

function expectLines(what: string, lines: readonly string[], expected: readonly string[]): void {
  const differing = [...difference(expected, lines, "-"), ...difference(lines, expected, "+")];
  if (differing.length > 0) throw new Error(`${what} differs from what is expected:\n${differing.join("\n")}`);
}

/** Calls every operation with the generated client, and compares what it read and what the server answered. */
async function converse(generator: Generator, run: Run): Promise<void> {
  const server = await startMockServer(serverOptions);
  try {
    const printed = await generator.call(run, { ...environment, CALL_TRANSFER_BASE_URL: server.url });
    expectLines("What the program printed", printed.trim().split("\n"), expectedLines);
    const statuses = expectedLines.map((line) => line.split(" ", 2).join(" "));
    expectLines("What the server answered", await answered(server.url), statuses);
  } finally {
    await server.close();
  }
}

/** Runs a generator in a new folder. Returns the versions of what it used. */
async function check(name: string, generator: Generator): Promise<string> {
  using folder = temporaryFolder(name);
  cpSync(join(here, name), folder.path, { recursive: true, filter: (path) => !path.includes("node_modules") });
  cpSync(document, join(folder.path, "openapi.json"));
  const run = runIn(folder.path);
  const versions = await generator.install(folder.path, run);
  const said = await generator.generate(run);
  if (warning.test(said)) throw new Error(`The generator warns:\n${said}`);
  await generator.compile(run);
  await converse(generator, run);
  return versions;
}

function chosen(): readonly (readonly [string, Generator])[] {
  const all = Object.entries(generators);
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in generators));
  if (unknown.length > 0)
    throw new Error(`Unknown generator ${unknown.join(", ")}. Choose from ${Object.keys(generators).join(", ")}.`);
  return all.filter(([name]) => names.length === 0 || names.includes(name));
}

/** Runs a generator and prints the result. Returns whether it passed. */
async function passes(name: string, generator: Generator): Promise<boolean> {
  const from = performance.now();
  try {
    const versions = await check(name, generator);
    const seconds = Math.round((performance.now() - from) / 1000);
    console.log(
      `ok      ${name.padEnd(22)} ${generator.language}, ${versions}: ${expectedLines.length} calls (${seconds} s)`,
    );
    return true;
  } catch (error) {
    console.log(`failed  ${name.padEnd(22)} ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

try {
  for (const one of chosen()) if (!(await passes(...one))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
