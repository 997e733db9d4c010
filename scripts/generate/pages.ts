// Writes what follows from the contract into the pages and comments that show it: tables between two comments, and limits in
// sentences.
import { readFileSync } from "node:fs";
import type { OpenApiDocument, OperationObject } from "./read/document.ts";
import { limitText } from "./read/limits.ts";
import type { OperationModel } from "./read/model.ts";

/** A table, by the name in the comments around it, and the pages that show it. */
interface Table {
  readonly name: string;
  readonly head: string;
  readonly pages: readonly string[];
  rowOf(operation: OperationModel): string;
}

const tables: readonly Table[] = [
  {
    name: "operations",
    head: "| Operation | Method |\n|---|---|\n",
    pages: ["docs/sdk.md", "packages/sdk/README.md"],
    rowOf: (operation) => `| ${operation.summary} | \`${methodOf(operation, inputOf(operation).join(", "))}\` |\n`,
  },
  {
    name: "permissions",
    head: "| Method | Roles | Scope of a key |\n|---|---|---|\n",
    pages: ["docs/authentication.md"],
    rowOf: (operation) =>
      `| \`${methodOf(operation, "…")}\` | ${operation.roles.join(", ")} | \`${operation.scope}\` |\n`,
  },
];

const methodOf = ({ resource, sdkMethod }: OperationModel, input: string): string =>
  `client.${resource}.${sdkMethod}(${input})`;

const inputOf = ({ pathParameters, requestSchema, queryParameters }: OperationModel): readonly string[] => [
  ...pathParameters.map(({ name }) => name),
  ...(requestSchema ? ["body"] : []),
  ...(queryParameters.length > 0 ? ["query"] : []),
];

/** Sentences of pages and comments that state limits, by file. Each must be there, with any number in the place of a name. */
const limitSentences: Readonly<Record<string, readonly string[]>> = {
  "docs/specification.md": [
    "| `name` | string | yes | {name.minLength} to {name.maxLength} characters",
    "| `totalTimeoutSecs` | integer | yes | {totalTimeoutSecs.minimum} to {totalTimeoutSecs.maximum} seconds",
    "| yes | {members.minItems} to {members.maxItems} items",
    "The ring time of this member: {ringTimeoutSecs.minimum} to {ringTimeoutSecs.maximum} seconds",
    "an optional integer from {ringTimeoutSecs.minimum} to {ringTimeoutSecs.maximum}.",
    "| no | {totalTimeoutSecs.minimum} to {totalTimeoutSecs.maximum} seconds, {totalTimeoutSecs.default} by default",
    "For {previousSecretOverlapHours} hours after the rotation",
    "within the {previousSecretOverlapHours} hours",
    "`previousSecretExpiresAt`, {previousSecretOverlapHours} hours",
    "is not between {callableFromHour} and {callableUntilHour} |",
    "| Members of a group | {members.minItems} to {members.maxItems} |",
    "| Length of a group's name | {name.minLength} to {name.maxLength} characters",
    "| `totalTimeoutSecs` | {totalTimeoutSecs.minimum} to {totalTimeoutSecs.maximum} seconds, {totalTimeoutSecs.default} by",
    "| `ringTimeoutSecs` | {ringTimeoutSecs.minimum} to {ringTimeoutSecs.maximum} seconds |",
    "| Overlap with the previous secret | {previousSecretOverlapHours} hours |",
    "| Callable hours | {callableFromHour} to {callableUntilHour} in",
    "| Retries of the official clients | {clientMaxRetries} by default",
    "| Timeout of the official clients | {clientTimeoutSecs} seconds by default",
  ],
  "docs/assumptions.md": [
    "`limit` is {limit.minimum} to {limit.maximum}, by default {limit.default}. `offset` is",
    "The hint is the last {signingSecretHintLength} characters.",
  ],
  "docs/paging.md": ["`limit` is the size of a page: {limit.default} by default, at most {limit.maximum} ("],
  "docs/transfers.md": [
    "| `ringTimeoutSecs` of a destination | {ringTimeoutSecs.minimum} to {ringTimeoutSecs.maximum}, cut",
    "destinations without one | {totalTimeoutSecs.minimum} to {totalTimeoutSecs.maximum} |",
  ],
  "docs/webhooks.md": [
    "For {previousSecretOverlapHours} hours after a rotation",
    "both secrets within {previousSecretOverlapHours} hours.",
    "After {previousSecretOverlapHours} hours, remove",
    "rotate twice within {previousSecretOverlapHours} hours:",
  ],
  "docs/testing.md": ["For {previousSecretOverlapHours} hours, webhooks carry both signatures"],
  "docs/mock-server-webhooks.md": ["rotation within {previousSecretOverlapHours} hours invalidates"],
  "docs/mock-server-faults.md": ["two signatures for {previousSecretOverlapHours} hours."],
  "docs/inspector.md": ["shows two signatures for {previousSecretOverlapHours} hours"],
  "docs/sdk.md": ["| `timeoutMs` | {clientTimeoutMs} |", "| `maxRetries` | {clientMaxRetries} |"],
  "docs/python.md": ["An attempt may take {clientTimeoutSecs} seconds", "| `max_retries` | {clientMaxRetries} |"],
  "docs/migrating.md": ["`maxRetries`, {clientMaxRetries} by default", "| {clientTimeoutSecs} seconds for one attempt"],
  "docs/placing-calls.md": ["retries a placement, by default up to {clientMaxRetries} times,"],
  "packages/sdk/README.md": [
    "secrets as a list for {previousSecretOverlapHours} hours.",
    "The SDK retries up to {clientMaxRetries} times,",
  ],
  "packages/sdk/src/options/options.ts": [
    "up to 2³¹−1; {clientTimeoutMs} by default (§8)",
    "from 0; {clientMaxRetries} by default (§8)",
  ],
  "packages/sdk/src/errors/details.ts": ["whole pages of {limit.maximum}"],
  "packages/python/src/call_transfer/_options.py": [
    "its body included; {clientTimeoutSecs} by default (§8)",
    "from 0; {clientMaxRetries} by default (§8)",
  ],
  "packages/python/src/call_transfer/_client.py": ["its body included; {clientTimeoutSecs} by default (§8)"],
  "packages/python/src/call_transfer/_errors.py": ["whole pages of {limit.maximum}"],
};

type Keywords = Readonly<Record<string, unknown>>;

/** The limits that sentences name: those of requests by field and keyword, and the entries of `x-limits`. */
function limitsByName({ components, paths, "x-limits": limits }: OpenApiDocument): ReadonlyMap<string, string> {
  const properties = ["CreateDestinationGroupRequest", "DestinationGroupMember"].flatMap((schema) =>
    Object.entries((components.schemas[schema]?.properties ?? {}) as Readonly<Record<string, Keywords>>),
  );
  const parameters = Object.values(paths).flatMap(({ get }) => (get as OperationObject | undefined)?.parameters ?? []);
  const queries = parameters.flatMap((one): [string, Keywords][] => ("name" in one ? [[one.name, one.schema]] : []));
  const keywords = [...queries, ...properties].flatMap(([name, schema]) =>
    Object.entries(schema).map(([keyword, value]): [string, unknown] => [`${name}.${keyword}`, value]),
  );
  const clientTimeoutMs = (Number(limits.clientTimeoutSecs) * 1000).toLocaleString("en");
  const named = [...keywords, ...Object.entries({ ...limits, clientTimeoutMs })];
  return new Map(named.map(([name, value]) => [name, limitText(name, value)]));
}

/** A page with the numbers of a sentence. */
function withLimits(path: string, text: string, sentence: string, limits: ReadonlyMap<string, string>): string {
  const literal = sentence.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const form = literal.replaceAll(/\\\{[\w\\.]+?\\\}/g, String.raw`\d+(?:,\d{3})*(?: [AP]M)?`);
  const filled = sentence.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => {
    const value = limits.get(name);
    if (value === undefined)
      throw new Error(`openapi/ has no ${name}. Correct limitSentences in scripts/generate/pages.ts.`);
    return value;
  });
  const found = new RegExp(form, "g");
  if (!found.test(text))
    throw new Error(`${path} lacks "${sentence}". Restore it, or correct limitSentences in scripts/generate/pages.ts.`);
  return text.replaceAll(found, () => filled);
}

/** The pages with tables of operations and with limits, by their paths in the repository. */
export function renderPages(
  root: URL,
  document: OpenApiDocument,
  operations: readonly OperationModel[],
): Map<string, string> {
  const texts = new Map<string, string>();
  const edit = (path: string, change: (text: string) => string): void => {
    texts.set(path, change(texts.get(path) ?? readFileSync(new URL(path, root), "utf8")));
  };
  for (const { name, head, pages, rowOf } of tables)
    for (const path of pages) edit(path, (text) => withTable(path, text, name, head + operations.map(rowOf).join("")));
  const limits = limitsByName(document);
  for (const [path, sentences] of Object.entries(limitSentences))
    for (const sentence of sentences) edit(path, (text) => withLimits(path, text, sentence, limits));
  return texts;
}

function withTable(path: string, text: string, name: string, table: string): string {
  const start = `<!-- ${name}, written by \`npm run record\` -->\n`;
  const end = `<!-- end of ${name} -->\n`;
  const [before, rest] = text.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${path} lacks the two comments around its table of ${name}. Restore them.`);
  return `${before}${start}\n${table}\n${end}${after}`;
}
