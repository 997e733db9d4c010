import { codeNotes, codes, codesWithFieldErrors, fieldCodeNotes, fieldCodes } from "../../src/facts/codes.ts";
import {
  apiPath,
  authentication,
  contentType,
  headers,
  limitSections,
  limits,
  webhook,
} from "../../src/facts/limits.ts";
import {
  beyond,
  type CodeNode,
  type ContractDocument,
  type FieldContext,
  isMarked,
  type OperationNode,
  resolverOf,
  type SchemaNode,
  wrong,
} from "./document.ts";
import { operationSentences } from "./operations.ts";

/** Every code is there, and none that the specification does not have. */
function* compareNames(what: string, section: string, found: object, stated: readonly string[]): Generator<string> {
  for (const name of stated)
    if (!Object.hasOwn(found, name)) yield wrong(`the ${what} ${name} is missing`, section, "has it");
  for (const [name, row] of Object.entries(found))
    if (!stated.includes(name) && !isMarked(row)) yield beyond(`the ${what} ${name}`);
}

function* compareNote(code: string, row: Pick<CodeNode, "stated">, section: string | undefined): Generator<string> {
  if (section === undefined && row.stated)
    yield wrong(`the meaning of ${code} is marked stated`, "§7.2", "says nothing about it");
  if (section !== undefined && !row.stated)
    yield wrong(`the meaning of ${code} is not marked stated`, section, "states it");
}

function* codeSentences(document: ContractDocument): Generator<string> {
  const table = document["x-error-table"];
  const fieldTable = document["x-field-error-table"];
  yield* compareNames("error code", "§7.2", table, Object.keys(codes));
  for (const [code, { status, group }] of Object.entries(codes)) {
    const row = table[code];
    if (!row) continue;
    if ((row.status ?? null) !== status)
      yield wrong(`${code} has ${row.status ?? "no status"}`, "§7.2", `says ${status ?? "none"}`);
    if (row.group.toLowerCase() !== group.toLowerCase())
      yield wrong(`${code} stands in the group ${row.group}`, "§7.2", `says ${group}`);
    const lists = codesWithFieldErrors.includes(code);
    if ((row.errors ?? false) !== lists)
      yield wrong(`${code} has ${lists ? "no " : ""}field errors`, "§7.1", lists ? "says that it has" : "names others");
    yield* compareNote(code, row, codeNotes[code]);
  }
  yield* compareNames("field code", "§7.3", fieldTable, fieldCodes);
  for (const code of fieldCodes) if (fieldTable[code]) yield* compareNote(code, fieldTable[code], fieldCodeNotes[code]);
}

function* limitSentences(found: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(limits))
    if (found[name] !== value)
      yield wrong(
        `limits.${name} is ${String(found[name] ?? "missing")}`,
        limitSections[name as keyof typeof limits],
        `says ${value}`,
      );
}

function* accessSentences({ servers = [], security, components }: ContractDocument): Generator<string> {
  for (const { url } of servers)
    if (url.includes(apiPath))
      yield wrong(`the server ${url} contains ${apiPath}`, "§1", `has it at the start of every path`);
  const names = security.flatMap((requirement) => Object.keys(requirement));
  const scheme = components.securitySchemes[names[0] ?? ""];
  if (security.length !== 1 || names.length !== 1)
    yield wrong(
      `security has ${security.length} requirements with ${names.length} schemes`,
      "§4",
      "requires Authorization: Bearer and nothing else",
    );
  if (scheme?.type !== authentication.type || scheme.scheme !== authentication.scheme)
    yield wrong(`requests authenticate with ${scheme?.type} ${scheme?.scheme}`, "§4", "says Authorization: Bearer");
  if (!scheme?.description?.includes(`\`${limits.apiKeyPrefix}\``))
    yield wrong(
      `the security scheme says "${scheme?.description}"`,
      "§5.1",
      `says that a key starts with ${limits.apiKeyPrefix}`,
    );
}

function* webhookSentences({ webhooks }: ContractDocument, context: FieldContext): Generator<string> {
  yield* compareNames("event", "§6", webhooks, [webhook.event]);
  for (const [event, { post }] of Object.entries(webhooks)) {
    const { "x-signature": signature, parameters = [], requestBody } = post;
    if (event !== webhook.event) continue;
    const stated = { header: headers.signature, event: webhook.event, scheme: webhook.scheme };
    for (const [key, value] of Object.entries(stated))
      if (signature[key as keyof typeof stated] !== value)
        yield wrong(
          `x-signature.${key} of ${event} is ${signature[key as keyof typeof stated]}`,
          "§6.1",
          `says ${value}`,
        );
    const parameter = parameters.find(({ name }) => name === headers.signature);
    if (!parameter?.required) yield wrong(`${event} does not require ${headers.signature}`, "§6.1", "does");
    const form = "t=<timestamp>,v1=<signature>";
    if (!webhook.form.test(String(parameter?.example)))
      yield wrong(`the example of ${headers.signature} is ${String(parameter?.example)}`, "§6.1", `says ${form}`);
    if (!/`t=<[^>]+>,v1=<[^>]+>`/.test(parameter?.description ?? ""))
      yield wrong(`the description of ${headers.signature} is "${parameter?.description}"`, "§6.1", `says ${form}`);
    const type = context.resolve<SchemaNode>(requestBody?.content[contentType]?.schema ?? {}).properties?.type;
    if (type && type.const !== webhook.event)
      yield wrong(`the type of ${event} is ${String(type.const)}`, "§6", `says ${webhook.event}`);
  }
}

/** What the bundled contract says otherwise than the specification, or adds without a mark. One sentence each. */
export function contradictions(document: ContractDocument): string[] {
  const resolve = resolverOf(document);
  const marked = [
    ...Object.entries(document["x-error-table"]),
    ...Object.entries(document["x-field-error-table"]).map(
      ([code, row]) => [code, { ...row, status: undefined }] as const,
    ),
  ].filter(([, row]) => isMarked(row));
  const markedCodes = new Map(marked.map(([code, { status }]) => [code, status]));
  const markedCreations = Object.values(document.paths)
    .map(({ post }) => post as OperationNode | undefined)
    .flatMap((operation) => (operation?.["x-beyond-specification"] ? [operation.operationId] : []));
  const context: FieldContext = { resolve, markedCodes, markedCreations, compared: new Set() };
  return [
    ...new Set([
      ...codeSentences(document),
      ...limitSentences(document["x-limits"]),
      ...accessSentences(document),
      ...webhookSentences(document, context),
      ...operationSentences(document, context),
    ]),
  ];
}
