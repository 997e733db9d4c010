// What customers rely on besides types and the contract, read from where it comes from: the tables that commands parse with,
// which `packages/<name>/command.json` shows; defaults, environment variables, tables of databases, addresses and tools, which
// `promises.json` shows.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { policyTable } from "../../packages/backend/src/generated/policies.gen.ts";
import * as contract from "../../packages/contract/src/remote/options.ts";
import * as mcp from "../../packages/mcp/src/cli/options.ts";
import { openTarget } from "../../packages/mcp/src/server/target.ts";
import { controlTools } from "../../packages/mcp/src/tools/control-tools.ts";
import { operationTools } from "../../packages/mcp/src/tools/operation-tools.ts";
import { partsOf } from "../../packages/mock-server/src/cli/command.ts";
import { commands } from "../../packages/mock-server/src/cli/commands.ts";
import * as mock from "../../packages/mock-server/src/cli/options.ts";
import { settingVariables } from "../../packages/mock-server/src/cli/settings.ts";
import { home } from "../../packages/mock-server/src/web/inspector-page.ts";
import { capacity, msPerGain, retryCost, successGain } from "../../packages/sdk/src/options/retry-budget.ts";
import { defaultRetryPolicy, defaults } from "../../packages/sdk/src/options/settings.ts";
import { delayFor } from "../../packages/sdk/src/send/retry.ts";
import { defaults as handlerDefaults } from "../../packages/sdk/src/webhooks/options.ts";
import { checkRetention } from "../../packages/sdk/src/webhooks/timeout.ts";
import type { JsonObject } from "./json.ts";
import { pythonPackage } from "./versions.ts";

/** The reports of a package, by its name. */
type Reports = ReadonlyMap<string, JsonObject>;

/** An option of the parser, see `util.parseArgs`. `fallback` is a default that the command applies itself. */
interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
  readonly fallback?: string;
}

type OptionTable = Readonly<Record<string, CommandOption>>;

/** The tables that a command parses with. */
interface CommandTables {
  readonly name: string;
  /** Options by subcommand. A command without subcommands has one, with its own name. */
  readonly subcommands: Readonly<Record<string, OptionTable>>;
  /** Environment variables that the command reads or writes. */
  readonly variables: Readonly<Record<string, string>>;
  readonly exitStatus: Readonly<Record<string, number>>;
}

/** The tables as they are committed. */
function commandOf({ name, subcommands, variables, exitStatus }: CommandTables): JsonObject {
  const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
    Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
  const options = (table: OptionTable) =>
    sorted(Object.entries(table).map(([option, facts]) => [`--${option}`, described(facts)]));
  return {
    command: name,
    subcommands: sorted(Object.entries(subcommands).map(([subcommand, table]) => [subcommand, options(table)])),
    variables: sorted(Object.values(variables).map((variable) => [variable, true])),
    exitStatus: sorted(Object.entries(exitStatus).map(([meaning, status]) => [String(status), meaning])),
  };
}

function described({ type, short, multiple, default: given, fallback }: CommandOption): JsonObject {
  const usual = fallback ?? given;
  return {
    value: type === "string" ? "text" : "none",
    ...(short !== undefined && { short: `-${short}` }),
    ...(multiple === true && { repeatable: true }),
    ...(usual !== undefined && usual !== false && { default: usual }),
  };
}

/** What commander and the program read themselves. */
const help = { help: { type: "boolean", short: "h" }, all: { type: "boolean" } } as const;

/** The options of the mock server's tables, in the form of the others. */
const optionsIn = (table: mock.OptionTable): Record<string, CommandOption> => ({
  ...help,
  ...Object.fromEntries(
    Object.entries(table).map(([name, { value, repeats, fallback }]) => [
      mock.flagOf(name).slice(2),
      {
        type: value === undefined ? "boolean" : "string",
        ...(repeats && { multiple: repeats }),
        ...(fallback !== undefined && { fallback }),
      },
    ]),
  ),
});

/** The options of each action, with those that lead to a server: `clock`, `clock advance` and so on. */
const actions = commands.flatMap(({ name, actions }) =>
  actions.map((action) => [
    `${name} ${partsOf(action).word}`.trim(),
    optionsIn({ ...mock.connectionOptions, ...action.options }),
  ]),
);

const mockCommand: CommandTables = {
  name: "call-transfer-mock",
  subcommands: {
    start: { ...optionsIn(mock.startOptions), version: { type: "boolean" } },
    attack: optionsIn(mock.attackOptions),
    ...Object.fromEntries(actions),
  },
  variables: {
    ...mock.variables,
    ...Object.fromEntries([...settingVariables].map(([variable, name]) => [name, variable])),
  },
  exitStatus: mock.exitStatus,
};

/** A command without subcommands. */
const single = (name: string, { options, ...tables }: typeof contract | typeof mcp): CommandTables => ({
  name,
  subcommands: { [name]: options },
  variables: tables.variables,
  exitStatus: tables.exitStatus,
});

/** The command of each package that has one. */
export const commandsOf = (): Reports =>
  new Map([
    ["@call-transfer/mock-server", commandOf(mockCommand)],
    ["@call-transfer/contract", commandOf(single("call-transfer-contract", contract))],
    ["@call-transfer/mcp", commandOf(single("call-transfer-mcp", mcp))],
  ]);

const compact = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Everything that a pattern finds in the sources of a package. */
const found = (root: string, folder: string, pattern: RegExp): string[] => {
  const paths = globSync(`packages/${folder}/src/**/*.{ts,py}`, { cwd: root }).sort();
  const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, all = ""]) => compact(all))))];
};

/** Statements that create or change tables: customers' databases and files have them. A name in braces is put in later. */
const tables = (root: string, folder: string): JsonObject =>
  Object.fromEntries(
    found(root, folder, /[`"'](\s*(?:create|alter|drop)\s+(?:table|index)[^`]*?)(?:`|""?"?[;\n),])/gi).map((sql) => [
      `table ${sql}`,
      true,
    ]),
  );

const variables = (root: string, folder: string): JsonObject =>
  Object.fromEntries(
    found(root, folder, /["'](CALL_TRANSFER_[A-Z_]+)["']/g)
      .sort()
      .map((name) => [`variable ${name}`, true]),
  );

const defaultsIn = (values: object, prefix = ""): JsonObject =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => ["boolean", "number", "string"].includes(typeof value))
      .map(([name, value]) => [`default ${prefix}${name}`, value]),
  );

const sdk = (root: string): JsonObject => ({
  ...variables(root, "sdk"),
  ...defaultsIn(defaults),
  ...defaultsIn(defaultRetryPolicy, "retry."),
  ...defaultsIn({ capacity, gainPerMs: 1 / msPerGain, retryCost, successGain }, "retry budget, "),
  "longest waits before retries, in milliseconds": [0, 1, 2, 3, 4, 5, 6].map((retry) => delayFor(retry, 0, () => 1)),
  ...defaultsIn(handlerDefaults, "handler."),
  "default retentionMs": checkRetention({}),
  ...tables(root, "sdk"),
});

/** The numbers of the retry budget, which no signature shows, have names in capitals. */
const python = (root: string): JsonObject => ({
  ...variables(root, "python"),
  ...Object.fromEntries(
    found(root, "python", /^(_?(?:CAPACITY|RETRY_COST|SUCCESS_GAIN|GAIN_PER_SECOND) = [^#\n]*)/gm).map((line) => {
      const [name = "", value = ""] = line.split(" = ");
      return [`default retry budget, ${name.replace(/^_/, "").toLowerCase()}`, value];
    }),
  ),
  ...tables(root, "python"),
});

const backend = (): JsonObject =>
  Object.fromEntries(Object.entries(policyTable).map(([name, row]) => [`default policy ${name}`, row.default]));

const mockServer = (root: string): JsonObject => ({ "address of the inspector": home, ...tables(root, "mock-server") });

async function mcpTools(): Promise<JsonObject> {
  const target = await openTarget();
  const tools = [...operationTools(target).tools, ...(target.control ? controlTools(target.control) : [])];
  return Object.fromEntries(
    tools.map(({ name, inputSchema }) => [`tool ${name}`, { required: inputSchema.required ?? [] }]).sort(),
  );
}

/** The promises of each package. */
export const promisesOf = async (root: string): Promise<Reports> =>
  new Map([
    ["@call-transfer/sdk", sdk(root)],
    ["@call-transfer/backend", backend()],
    ["@call-transfer/mock-server", mockServer(root)],
    ["@call-transfer/mcp", await mcpTools()],
    [pythonPackage, python(root)],
  ]);
