// What customers rely on besides types, options and the contract: defaults, environment variables, tables, addresses, tools.
// `packages/<name>/promises.json` shows it.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { policyTable } from "../../packages/backend/src/generated/policies.gen.ts";
import { openTarget } from "../../packages/mcp/src/server/target.ts";
import { controlTools } from "../../packages/mcp/src/tools/control-tools.ts";
import { operationTools } from "../../packages/mcp/src/tools/operation-tools.ts";
import { migrations } from "../../packages/mock-server/src/store/migrations.ts";
import { home } from "../../packages/mock-server/src/web/inspector-page.ts";
import { capacity, msPerGain, retryCost, successGain } from "../../packages/sdk/src/options/retry-budget.ts";
import { defaultRetryPolicy, defaults } from "../../packages/sdk/src/options/settings.ts";
import { delayFor } from "../../packages/sdk/src/send/retry.ts";
import { defaults as handlerDefaults } from "../../packages/sdk/src/webhooks/options.ts";
import { checkRetention } from "../../packages/sdk/src/webhooks/timeout.ts";
import { pythonPackage } from "./python-package.ts";

/** Promises of a package by what they are about, e.g. `default maxRetries` → `2`. */
export type Promises = Readonly<Record<string, unknown>>;

const compact = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The sources of a package by path, without generated ones. */
function sourcesOf(root: string, folder: string): string[] {
  const paths = globSync(`packages/${folder}/src/**/*.{ts,py}`, { cwd: root }).sort();
  return paths.map((path) => readFileSync(join(root, path), "utf8"));
}

/** Everything that a pattern finds in the sources of a package. */
const found = (root: string, folder: string, pattern: RegExp): string[] => [
  ...new Set(
    sourcesOf(root, folder).flatMap((text) => [...text.matchAll(pattern)].map(([, all = ""]) => compact(all))),
  ),
];

/** Statements that create or change tables: customers' databases and files have them. A name in braces is put in later. */
const tables = (root: string, folder: string): Promises =>
  Object.fromEntries(
    found(root, folder, /[`"'](\s*(?:create|alter|drop)\s+(?:table|index)[^`]*?)(?:`|""?"?[;\n),])/gi).map((sql) => [
      `table ${sql}`,
      true,
    ]),
  );

const variables = (root: string, folder: string): Promises =>
  Object.fromEntries(
    found(root, folder, /["'](CALL_TRANSFER_[A-Z_]+)["']/g)
      .sort()
      .map((name) => [`variable ${name}`, true]),
  );

const defaultsIn = (values: object, prefix = ""): Promises =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => ["boolean", "number", "string"].includes(typeof value))
      .map(([name, value]) => [`default ${prefix}${name}`, value]),
  );

const sdk = (root: string): Promises => ({
  ...variables(root, "sdk"),
  ...defaultsIn(defaults),
  ...defaultsIn(defaultRetryPolicy, "retry."),
  ...defaultsIn({ capacity, gainPerMs: 1 / msPerGain, retryCost, successGain }, "retry budget, "),
  "longest waits before retries, in milliseconds": [0, 1, 2, 3, 4, 5, 6].map((retry) => delayFor(retry, 0, () => 1)),
  ...defaultsIn(handlerDefaults, "handler."),
  "default retentionMs": checkRetention({}),
  ...tables(root, "sdk"),
});

const backend = (): Promises =>
  Object.fromEntries(Object.entries(policyTable).map(([name, row]) => [`default policy ${name}`, row.default]));

/** A change of a released migration would part the files of old servers from those of new ones. */
const mockServer = (root: string): Promises => ({
  "address of the inspector": home,
  ...tables(root, "mock-server"),
  ...Object.fromEntries(
    migrations.map((migration, from) => [
      `migration of a data file from version ${from}`,
      createHash("sha256")
        .update(compact(String(migration)))
        .digest("hex")
        .slice(0, 16),
    ]),
  ),
});

async function mcp(): Promise<Promises> {
  const target = await openTarget();
  const tools = [...operationTools(target).tools, ...(target.control ? controlTools(target.control) : [])];
  return Object.fromEntries(
    tools.map(({ name, inputSchema }) => [`tool ${name}`, { required: inputSchema.required ?? [] }]).sort(),
  );
}

/** The promises of each package, by its name. */
export async function promisesOf(root: string): Promise<Map<string, Promises>> {
  return new Map([
    ["@call-transfer/sdk", sdk(root)],
    ["@call-transfer/backend", backend()],
    ["@call-transfer/mock-server", mockServer(root)],
    ["@call-transfer/mcp", await mcp()],
    [pythonPackage, { ...variables(root, "python"), ...tables(root, "python") }],
  ]);
}
