// Generates clients from the published document with generators of other makers, compiles them, and calls every operation of a
// mock server with them. `-- hey-api` runs one.
import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startMockServer } from "@call-transfer/mock-server";
import { temporaryFolder } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";
import { environment, expectedLines, serverOptions } from "./conversation.ts";

const here = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const document = join(root, "packages/spec/openapi.json");
/** A limit for what hangs, not for what takes long. */
const limitMs = 900_000;
const execute = promisify(execFile);
const warning = /warn|deprecat|✗/i;

/** Runs a program in the folder of a generator to its end. Returns both of its streams. Throws if it fails. */
type Run = (
  program: string,
  options: readonly string[],
  variables?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A generator with its program in the folder of its name here, of which it works on a copy. */
interface Generator {
  readonly language: string;
  /** Installs the generator into the copy. Returns the versions of what is used. */
  install(folder: string, run: Run): Promise<string>;
  /** Generates the client. Returns what the generator said. */
  generate(run: Run): Promise<string>;
  /** Compiles the client and the program. */
  compile(run: Run): Promise<unknown>;
  /** Runs the program. Returns what it printed. */
  call(run: Run, variables: Readonly<Record<string, string>>): Promise<string>;
}

/** Makes a copy a program in TypeScript that uses the packages of the workspace. */
function prepareProgram(folder: string): void {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  cpSync(join(here, "world.ts"), join(folder, "world.ts"));
  cpSync(join(here, "tsconfig.client.json"), join(folder, "tsconfig.json"));
}

/** How each program in TypeScript is checked by the workspace's compiler, bundled for Node, and run. */
const program = {
  language: "TypeScript",
  async compile(run: Run, strictness: readonly string[] = []) {
    await run(process.execPath, [...tsc, "-p", ".", ...strictness]);
    const options = ["calls.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=calls.mjs"];
    await run(join(root, "node_modules/.bin/esbuild"), [...options, "--log-level=warning"]);
  },
  call: (run: Run, variables: Readonly<Record<string, string>>) => run(process.execPath, ["calls.mjs"], variables),
};

/** The programs of the Python environment, below the folder of a generator. */
const inEnvironment = (program: string): string => join("environment", "bin", program);

/** Installs what requirements.txt pins into a Python environment in the folder. */
async function installRequirements(run: Run): Promise<void> {
  await run("python3", ["-m", "venv", "environment"]);
  const options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--require-hashes", "--no-deps"];
  await run(inEnvironment("python"), ["-m", "pip", "install", ...options, "-r", "requirements.txt"]);
}

/** What openapi-generator says of any document of OpenAPI 3.1. Its other warnings count, such as two files of one name. */
const saidOfAny = /.*(?:OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null).*\n/g;

/** By name, in the order in which they run. */
const generators: Readonly<Record<string, Generator>> = {
  // The workspace has it, because it also generates the schemas of packages/spec.
  "hey-api": {
    ...program,
    async install(folder) {
      prepareProgram(folder);
      const manifest = readFileSync(join(root, "node_modules/@hey-api/openapi-ts/package.json"), "utf8");
      return `openapi-ts ${(JSON.parse(manifest) as { version: string }).version}`;
    },
    generate: (run) => run(process.execPath, ["node_modules/@hey-api/openapi-ts/bin/run.js"]),
  },
  "openapi-generator": {
    ...program,
    async install(folder, run) {
      prepareProgram(folder);
      await installRequirements(run);
      const version = await run(inEnvironment("openapi-generator-cli"), ["version"]);
      return `openapi-generator ${version.trim()}`;
    },
    async generate(run) {
      // The API of the webhooks is left out: 7.26.0 writes `import type ,` where only a webhook refers to a schema.
      const apis = ["Accounts", "Calls", "DestinationGroups", "Destinations", "Members", "Roles"].join(":");
      const only = ["--global-property", `apis=${apis},models,supportingFiles`];
      const options = ["-i", "openapi.json", "-g", "typescript-fetch", "-o", "client", ...only];
      const said = await run(inEnvironment("openapi-generator-cli"), ["generate", ...options]);
      return said.replaceAll(saidOfAny, "");
    },
    compile: (run) => program.compile(run, ["--noUncheckedIndexedAccess", "false"]),
  },
  "oapi-codegen": {
    language: "Go",
    async install(_folder, run) {
      await run("go", ["mod", "download"]);
      const version = await run("go", ["list", "-m", "-f", "{{.Version}}", "github.com/oapi-codegen/oapi-codegen/v2"]);
      return `oapi-codegen ${version.trim()}, ${(await run("go", ["env", "GOVERSION"])).trim()}`;
    },
    generate: (run) => run("go", ["tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "openapi.json"]),
    async compile(run) {
      await run("go", ["build", "-o", "calls", "."]);
      await run("go", ["vet", "./..."]);
    },
    call: (run, variables) => run("./calls", [], variables),
  },
};

/** Runs programs in a folder. */
const runIn =
  (folder: string): Run =>
  async (program, options, variables = {}) => {
    const env = { ...process.env, NO_COLOR: "1", ...variables };
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
