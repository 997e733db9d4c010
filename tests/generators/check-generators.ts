// Generates clients from the published document with generators of other makers, compiles them, and calls every operation of a
// mock server with them. `-- hey-api` runs one.
import { execFile } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { demo } from "@call-transfer/backend";
import { type MockServerOptions, startMockServer } from "@call-transfer/mock-server";
import { temporaryFolder } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";

const here = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
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
  /** Installs the generator into the copy. */
  install(folder: string, run: Run): Promise<unknown>;
  /** Generates the client. Returns what the generator said. */
  generate(run: Run): Promise<string>;
  /** Compiles the client and the program. */
  compile(run: Run): Promise<unknown>;
  /** Runs the program. Returns what it printed. */
  call(run: Run, variables: Readonly<Record<string, string>>): Promise<string>;
}

/** Programs in TypeScript use the packages of the workspace. Each is checked by its compiler, bundled for Node, and run. */
const program = {
  async install(folder: string): Promise<void> {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    cpSync(join(here, "world.ts"), join(folder, "world.ts"));
    cpSync(join(here, "tsconfig.client.json"), join(folder, "tsconfig.json"));
  },
  async compile(run: Run, strictness: readonly string[] = []) {
    await run(process.execPath, [...tsc, "-p", ".", ...strictness]);
    const options = ["calls.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=calls.mjs"];
    await run(join(root, "node_modules/.bin/esbuild"), [...options, "--log-level=warning"]);
  },
  call: (run: Run, variables: Readonly<Record<string, string>>) => run(process.execPath, ["calls.mjs"], variables),
};

/** What openapi-generator says of any document of OpenAPI 3.1. Its other warnings count, such as two files of one name. */
const saidOfAny = /.*(?:OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null).*\n/g;

/** By name, in the order in which they run. */
const generators: Readonly<Record<string, Generator>> = {
  // The workspace has it, because it also generates the schemas of packages/spec.
  "hey-api": {
    ...program,
    generate: (run) => run(process.execPath, ["node_modules/@hey-api/openapi-ts/bin/run.js"]),
  },
  "openapi-generator": {
    ...program,
    async install(folder, run) {
      await program.install(folder);
      await run("python3", ["-m", "venv", "environment"]);
      const options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--require-hashes", "--no-deps"];
      await run("environment/bin/python", ["-m", "pip", "install", ...options, "-r", "requirements.txt"]);
    },
    async generate(run) {
      // The API of the webhooks is left out: 7.26.0 writes `import type ,` where only a webhook refers to a schema.
      const apis = ["Accounts", "Calls", "DestinationGroups", "Destinations", "Members", "Roles"].join(":");
      const only = ["--global-property", `apis=${apis},models,supportingFiles`];
      const options = ["-i", "openapi.json", "-g", "typescript-fetch", "-o", "client", ...only];
      return (await run("environment/bin/openapi-generator-cli", ["generate", ...options])).replaceAll(saidOfAny, "");
    },
    compile: (run) => program.compile(run, ["--noUncheckedIndexedAccess", "false"]),
  },
  "oapi-codegen": {
    install: (_folder, run) => run("go", ["mod", "download"]),
    generate: (run) => run("go", ["tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "openapi.json"]),
    async compile(run) {
      await run("go", ["build", "-o", "calls", "."]);
      await run("go", ["vet", "./..."]);
    },
    call: (run, variables) => run("./calls", [], variables),
  },
};

/** What a newer server may answer: a code that is not listed yet, under a status that only `default` describes. */
const newCode = { code: "code_of_tomorrow", status: 409, title: "Conflict", detail: "A newer server says more." };
/** The same for a field. */
const newFieldCode = {
  ...{ code: "validation_failed", status: 400, title: "Validation failed", detail: "The name is wrong." },
  errors: [{ field: "name", code: "field_code_of_tomorrow", message: "A newer server says more." }],
};
/** What the fault `unknown_enum_value` puts in the place of each value of an open list. */
const unknown = "value_of_a_newer_version";

/** One call at a time, so that the second one waits. What only a newer or a busy server answers comes from faults. */
const serverOptions: MockServerOptions = {
  port: 0,
  clockMode: "frozen",
  policies: { concurrentCallLimit: 1 },
  faults: [
    { match: { operationId: "listAccounts" }, do: ["pass", { status: newCode.status, body: newCode }] },
    "listRoles pass, unknown_enum_value",
    "getMemberAvailability pass, unknown_enum_value",
    {
      match: { operationId: "createDestinationGroup" },
      do: ["pass", "pass", { status: newFieldCode.status, body: newFieldCode }, "unknown_enum_value"],
    },
    "rotateDestinationSecret pass, unknown_enum_value",
    { match: { operationId: "createCall" }, do: ["pass", "pass", { rateLimit: { retryAfterSecs: 7 } }] },
  ],
};

/** What a program knows of the server besides its address. */
const environment = {
  CALL_TRANSFER_API_KEY: demo.apiKey,
  MEMBER_ID: demo.members.member,
  APP_ID: demo.destinations.app,
  PHONE_ID: demo.destinations.phone,
  FLOW_ID: demo.flows.published,
  FROM_NUMBER: demo.numbers.working,
  TO_NUMBER: demo.recipients.anyone,
} as const;

/** Operation, status, and what the program read from the parsed response. */
const expectedLines: readonly string[] = [
  `listAccounts 200 ${demo.accountId}`,
  "listAccounts 409 code_of_tomorrow",
  "listRoles 200 agent member admin owner",
  `listRoles 200 ${unknown} ${unknown} ${unknown} ${unknown}`,
  "getMemberAvailability 200 away member",
  `getMemberAvailability 200 ${unknown} ${unknown}`,
  "createDestinationGroup 201 simultaneous 30",
  "createDestinationGroup 409 resource_already_exists",
  "createDestinationGroup 400 validation_failed name field_code_of_tomorrow",
  `createDestinationGroup 201 ${unknown} 30`,
  "rotateDestinationSecret 200 app",
  `rotateDestinationSecret 200 ${unknown}`,
  "deleteMemberHours 204",
  "createCall 201 initiated",
  "createCall 202 queued 1",
  "createCall 429 rate_limit_exceeded 7",
  "listCalls 200 2 of 5",
];

/** Runs programs in a folder. */
const runIn =
  (folder: string): Run =>
  async (program, options, variables = {}) => {
    const env = { ...process.env, NO_COLOR: "1", ...variables };
    try {
      const { stdout, stderr } = await execute(program, options, {
        cwd: folder,
        env,
        timeout: limitMs,
        maxBuffer: 1 << 28,
      });
      return stdout + stderr;
    } catch (error) {
      const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
      throw new Error(`${message}\n${stdout}${stderr}`);
    }
  };

function expectLines(what: string, lines: readonly string[], expected: readonly string[]): void {
  const found = lines.filter((line, index) => line !== expected[index]).map((line) => `+ ${line}`);
  const missing = expected.filter((line, index) => line !== lines[index]).map((line) => `- ${line}`);
  if (found.length + missing.length > 0)
    throw new Error(`${what} differs from what is expected:\n${[...missing, ...found].join("\n")}`);
}

/** Calls every operation with the generated client, and compares what it read and what the server answered. */
async function converse(generator: Generator, run: Run): Promise<void> {
  const server = await startMockServer(serverOptions);
  try {
    const printed = await generator.call(run, { ...environment, CALL_TRANSFER_BASE_URL: server.url });
    expectLines("What the program printed", printed.trim().split("\n"), expectedLines);
    const answered = server.backend.requests.list().map(({ operationId, status }) => `${operationId} ${status}`);
    const statuses = expectedLines.map((line) => line.split(" ", 2).join(" "));
    expectLines("What the server answered", answered, statuses);
  } finally {
    await server.close();
  }
}

/** Goes through a generator in a new folder. */
async function check(name: string, generator: Generator): Promise<void> {
  using folder = temporaryFolder(name);
  cpSync(join(here, name), folder.path, { recursive: true, filter: (path) => !path.includes("node_modules") });
  cpSync(join(root, "packages/spec/openapi.json"), join(folder.path, "openapi.json"));
  const run = runIn(folder.path);
  await generator.install(folder.path, run);
  const said = await generator.generate(run);
  if (warning.test(said)) throw new Error(`The generator warns:\n${said}`);
  await generator.compile(run);
  await converse(generator, run);
}

const [chosen = Object.keys(generators).join()] = process.argv.slice(2);
for (const name of chosen.split(",")) {
  try {
    const generator = generators[name];
    if (generator === undefined) throw new Error(`Choose from ${Object.keys(generators).join(", ")}.`);
    await check(name, generator);
    console.log(`ok      ${name}: ${expectedLines.length} calls`);
  } catch (error) {
    console.log(`failed  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
