// The generators of other makers: how each is installed, generates, compiles what it generated, and runs its program.
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";

/** Runs a program in the folder of a generator to its end. Returns both of its streams. Throws if it fails. */
export type Run = (
  program: string,
  options: readonly string[],
  variables?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A generator with its program in the folder of its name here, of which it works on a copy. */
export interface Generator {
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

const here = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Versions of installed packages, by the folder that has them. */
const versionsIn = (folder: string, names: readonly string[]): string =>
  names
    .map((name) => {
      const text = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
      return `${name} ${(JSON.parse(text) as { version: string }).version}`;
    })
    .join(", ");

/** Makes a copy a program in TypeScript that uses the packages of a folder. */
function prepareProgram(folder: string, home: string): void {
  symlinkSync(join(home, "node_modules"), join(folder, "node_modules"), "junction");
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

/** A generator of TypeScript from npm. */
const typescript = (home: string, packages: readonly string[], command: readonly string[]): Generator => ({
  ...program,
  compile: (run) => program.compile(run),
  async install(folder) {
    if (home !== root) ensureInstalled(home);
    prepareProgram(folder, home);
    return versionsIn(home, packages);
  },
  generate: (run) => run(process.execPath, command),
});

/** The programs of the Python environment, below the folder of a generator. */
export const environmentPrograms = join("environment", "bin");
const inEnvironment = (program: string): string => join(environmentPrograms, program);

/** Installs what requirements.txt pins into a Python environment in the folder. */
async function installRequirements(run: Run): Promise<void> {
  await run("python3", ["-m", "venv", "environment"]);
  const options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--require-hashes", "--no-deps"];
  await run(inEnvironment("python"), ["-m", "pip", "install", ...options, "-r", "requirements.txt"]);
}

/** What openapi-generator says of any document of OpenAPI 3.1. Its other warnings count, such as two files of one name. */
const saidOfAny = /.*(?:OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null).*\n/g;

/** By name, in the order in which they run. */
export const generators: Readonly<Record<string, Generator>> = {
  // The workspace has it, because it also generates the schemas of packages/spec.
  "hey-api": typescript(root, ["@hey-api/openapi-ts", "zod"], ["node_modules/@hey-api/openapi-ts/bin/run.js"]),
  "openapi-python-client": {
    language: "Python",
    async install(_folder, run) {
      await installRequirements(run);
      const installed = await run(inEnvironment("python"), ["-m", "pip", "list", "--format=freeze"]);
      const used = /^(?:openapi-python-client|mypy)==.*$/gm;
      return (installed.match(used) ?? []).join(", ").replaceAll("==", " ");
    },
    generate: (run) => {
      const options = ["--path", "openapi.json", "--config", "config.yml", "--meta", "none", "--fail-on-warning"];
      return run(inEnvironment("openapi-python-client"), ["generate", ...options]);
    },
    compile: (run) => run(inEnvironment("mypy"), ["call_transfer_client", "calls.py"]),
    call: (run, variables) => run(inEnvironment("python"), ["calls.py"], variables),
  },
  orval: typescript(
    join(here, "orval"),
    ["orval", "zod"],
    ["node_modules/orval/dist/bin/orval.mjs", "--fail-on-warnings"],
  ),
  kubb: typescript(join(here, "kubb"), ["@kubb/cli", "zod"], ["node_modules/@kubb/cli/bin/kubb.cjs", "generate"]),
  "openapi-generator": {
    ...program,
    async install(folder, run) {
      prepareProgram(folder, root);
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
