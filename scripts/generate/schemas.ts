// Generates zod schemas with @hey-api/openapi-ts, and the tables of schemas by operation.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import ts from "typescript";
import type { OpenApiDocument } from "./read/document.ts";
import type { OperationModel } from "./read/model.ts";
import { compactCode } from "./text/compact.ts";
import { header, pascal } from "./text/text.ts";

/** Schemas of requests and resources with closed enums, and the request schemas of each operation. */
export async function renderSchemas(document: OpenApiDocument, operations: OperationModel[]): Promise<string> {
  const components = componentsOf(document);
  const all = withComments(await renderZod(document), document) + renderRequestSchemas(operations);
  const text = reachableFrom([...components, "requestSchemas"], all).replace(
    /^export (?=const (z\w+))/gm,
    (start, name: string) => (components.includes(name) ? start : ""),
  );
  return header + compactCode(text, { mayFit: ts.isArrayLiteralExpression });
}

/** The names of the schemas of components. What an operation's request needs else is in `requestSchemas` alone. */
const componentsOf = ({ components }: OpenApiDocument): string[] =>
  [components.schemas, components.parameters].flatMap((part) => Object.keys(part ?? {}).map((name) => `z${name}`));

/** Response schemas. Open enums accept any string, so that values of a newer server pass. */
export async function renderResponseSchemas(document: OpenApiDocument, operations: OperationModel[]): Promise<string> {
  const open = structuredClone(document);
  for (const schema of openEnumsOf(open)) delete schema.enum;
  const rows = operations
    .filter(({ successes }) => successes.some(({ schema }) => schema))
    .map(({ id }) => `    ${id}: z${pascal(id)}Response,`);
  const table = `
/**
 * What checks the body of each operation's success.
 */
export const responseSchemas = {
${rows.join("\n")}
} satisfies Record<string, z.ZodType>;
`;
  return header + compactCode(reachableFrom(["responseSchemas"], (await renderZod(open)) + table));
}

/** A module without the constants that none of some names leads to. */
export function reachableFrom(names: readonly string[], text: string): string {
  const { statements } = ts.createSourceFile("generated.ts", text, ts.ScriptTarget.Latest, true);
  const nameOf = (statement: ts.Statement): string =>
    ts.isVariableStatement(statement) ? (statement.declarationList.declarations[0]?.name.getText() ?? "") : "";
  const reached = new Set<ts.Statement>();
  const reach = (statement: ts.Statement): void => {
    if (reached.has(statement)) return;
    reached.add(statement);
    const mentioned = new Set(statement.getText().match(/\bz[A-Z]\w*/g));
    for (const other of statements) if (mentioned.has(nameOf(other))) reach(other);
  };
  for (const statement of statements)
    if (nameOf(statement) === "" || names.includes(nameOf(statement))) reach(statement);
  return statements
    .filter((statement) => reached.has(statement))
    .map((statement) => statement.getFullText())
    .join("")
    .concat("\n");
}

const once = `
/** Returns a function that makes a schema at its first call. */
/* @__NO_SIDE_EFFECTS__ */
function once<Schema extends z.ZodType>(make: () => Schema): () => Schema {
  let made: Schema | undefined;
  return () => (made ??= make());
}
`;

/** A module whose schemas are functions that make them at the first call: a process uses few of them, and each takes time. */
export function madeAtFirstUse(text: string): string {
  const file = ts.createSourceFile("generated.ts", text, ts.ScriptTarget.Latest, true);
  const declarations = file.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) ? statement.declarationList.declarations : [],
  );
  const names = new Set(declarations.map(({ name }) => name.getText()));
  const inserted: [at: number, text: string][] = [];
  const call = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && names.has(node.text)) inserted.push([node.end, "()"]);
    ts.forEachChild(node, call);
  };
  for (const { initializer } of declarations) {
    if (initializer === undefined) continue;
    inserted.push([initializer.getStart(), "once(() => "]);
    call(initializer);
    inserted.push([initializer.end, ")"]);
  }
  const starts = [0, ...inserted.map(([at]) => at)];
  return starts
    .map((at, index) => (inserted[index - 1]?.[1] ?? "") + text.slice(at, starts[index + 1]))
    .join("")
    .replace(/^import .*\n/m, (imports) => imports + once);
}

function* openEnumsOf(node: unknown): Generator<{ enum?: unknown }> {
  if (typeof node !== "object" || node === null) return;
  if ((node as { "x-open-enum"?: unknown })["x-open-enum"] === true) yield node;
  for (const child of Object.values(node)) yield* openEnumsOf(child);
}

/** The schemas of every component and of every request. */
export async function renderZod(document: OpenApiDocument): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "call-transfer-zod-"));
  try {
    await createClient({
      input: structuredClone(document) as never,
      output: { path: folder },
      plugins: [{ name: "zod", dates: { offset: true } }],
      logs: { level: "silent" },
    });
    const generated = await readFile(join(folder, "zod.gen.ts"), "utf8");
    return generated.replace(/^\/\/ This file is auto-generated.*\n+/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the schema of a part of an operation checks, by the end of its name. */
const parts: readonly (readonly [RegExp, string])[] = [
  [/WebhookRequest$/, "Checks a request of the webhook"],
  [/Headers$/, "Checks the headers of"],
  [/Path$/, "Checks the path parameters of"],
  [/Query$/, "Checks the query parameters of"],
  [/Body$/, "Checks the request body of"],
  [/Response$/, "Checks the body of a success of"],
];

/** The text with a comment above each schema of a part of an operation that the document does not describe. */
function withComments(text: string, { paths, webhooks }: OpenApiDocument): string {
  const ids = [...Object.values(paths), ...Object.values(webhooks)]
    .flatMap((item) => Object.values(item))
    .map((operation) => (operation as { operationId?: string }).operationId ?? "");
  return text.replace(/(?<!\*\/\n)^export const z(\w+) = /gm, (start, name: string) => {
    const [end, meaning] = parts.find(([pattern]) => pattern.test(name)) ?? [];
    const id = end && ids.find((known) => pascal(known) === name.replace(end, ""));
    return id ? `/**\n * ${meaning} \`${id}\`.\n */\n${start}` : start;
  });
}

function renderRequestSchemas(operations: OperationModel[]): string {
  const rows = operations.map((operation) => {
    const name = `z${pascal(operation.id)}`;
    const parts = [
      operation.pathParameters.length > 0 && `path: ${name}Path`,
      operation.queryParameters.length > 0 && `query: ${name}Query`,
      operation.requestSchema && `body: ${name}Body`,
    ].filter(Boolean);
    return `    ${operation.id}: { ${parts.join(", ")} },`.replace("{  }", "{}");
  });
  return `
/**
 * What checks the path, query and body of each operation's request.
 */
export const requestSchemas = {
${rows.join("\n")}
} satisfies Record<string, { path?: z.ZodObject; query?: z.ZodObject; body?: z.ZodType }>;
`;
}
