// Generates the functions, resource classes, tables and exports of the SDK.

import { signatureOf } from "./operations.ts";
import type { OpenApiDocument, Reconcile } from "./read/document.ts";
import type { OperationModel } from "./read/model.ts";
import { docComment, header, literal, pascal, queryName } from "./text/text.ts";

/** When the SDK retries an operation, by its retry class. */
export const retryDescriptions = {
  idempotent: "Idempotent: retried after 408, 429, 5xx, timeouts and lost connections.",
  conflict_safe: "Retried after 408, 429, 5xx, timeouts and lost connections: the API refuses a name that is taken.",
  non_idempotent: "Not idempotent: retried only after 429, or when the request never left the client.",
};

const retryDescription =
  "When to retry: always (`idempotent`), always since a taken name is refused (`conflict_safe`), or only if it had no effect (`non_idempotent`).";

/** Whether a `type` tells the successes of an operation apart, so that a newer API may answer with another one. */
const isOpen = ({ successes }: OperationModel): boolean => successes.some(({ type }) => type !== undefined);

/** Type of what an operation returns. */
export function resultType(operation: OperationModel): string {
  const schemas = new Set(operation.successes.map(({ schema }) => schema ?? "void"));
  return [...schemas, ...(isOpen(operation) ? ["UnknownResult"] : [])].join(" | ");
}

/** Import of the type of unknown results, where an operation returns it. */
export const unknownImport = (operations: readonly OperationModel[]): string | false =>
  operations.some(isOpen) && `import type { UnknownResult } from "../core/api-promise.ts";`;

/** Parameters of a method: path parameters, then body or query, then options. */
export function parametersOf(operation: OperationModel): { name: string; type: string; text: string }[] {
  const parameter = (name: string, type: string, optional = false) => ({
    name,
    type,
    text: `${name}${optional ? "?" : ""}: ${type}`,
  });
  return [
    ...operation.pathParameters.map(({ name }) => parameter(name, "string")),
    ...(operation.requestSchema ? [parameter("body", operation.requestSchema)] : []),
    ...(operation.queryParameters.length > 0 ? [parameter("query", queryName(operation.id), true)] : []),
    parameter("options", "RequestOptions", true),
  ];
}

/** Doc comment of a method, with every error that it throws. */
function methodComment(operation: OperationModel, document: OpenApiDocument): string {
  const table = document["x-error-table"];
  const statuses = Map.groupBy(operation.errorCodes, (code) => table[code]?.status);
  const codes = [...statuses].sort(([a = 0], [b = 0]) => a - b);
  const errors = codes.map(
    ([status, names]) => `@throws {ApiError} ${status}: ${names.map((name) => `\`${name}\``).join(", ")}`,
  );
  return comment(operation, [], errors, "  ");
}

/** Doc comment of a function. Its errors are listed at the method only, to keep the package small. */
function functionComment(operation: OperationModel): string {
  const method = `{@link ${pascal(operation.resource)}.${operation.sdkMethod}}`;
  return comment(operation, ["", `Tree-shakable form of ${method}; see it for the errors thrown.`], []);
}

function comment(operation: OperationModel, remark: string[], errors: string[], indent = ""): string {
  const { summary, description, idempotency, pathParameters } = operation;
  const tags = [...pathParameters.map((parameter) => `@param ${parameter.name} ${parameter.description}`), ...errors];
  const lines = [`${summary}.`, "", description, "", retryDescriptions[idempotency], ...remark];
  return docComment([...lines, ...(tags.length > 0 ? ["", ...tags] : [])], indent);
}

/** Name of the function that finds results of an operation. */
const finderName = ({ id }: OperationModel): string => `findResultsOf${pascal(id)}`;

/** The function that finds results of an operation whose outcome is unknown. */
function renderFinder(operation: OperationModel, operations: OperationModel[], document: OpenApiDocument): string {
  const { reconcile } = operation;
  if (!reconcile) return "";
  const usesClient = !("explain" in reconcile);
  return `/** Finds results of {@link ${operation.id}} if its outcome is unknown. */
export const ${finderName(operation)} =
  (${usesClient ? "client: CallTransferCore" : ""}): FindCandidates =>
  ${findCandidatesOf(reconcile, operations, document)};

`;
}

function findCandidatesOf(reconcile: Reconcile, operations: OperationModel[], document: OpenApiDocument): string {
  if ("explain" in reconcile) {
    const hours = document["x-limits"][reconcile.untilLimit];
    return `(window) => explain(${JSON.stringify(reconcile.explain)}, ${hours}, window)`;
  }
  // The function of a list with the same tag is in the same file; problems.ts refuses another.
  const list = operations.find((candidate) => candidate.id === reconcile.list);
  const limit = list?.queryParameters.find(({ name }) => name === "limit")?.schema.maximum;
  const query = `{ ${reconcile.since}, limit: ${limit} }`;
  const listSince = `(${reconcile.since}) => ${reconcile.list}(client, ${query}, findOptions)`;
  return `(window, findOptions, sought) => findInList(${listSince}, window, sought)`;
}

function renderFunction(operation: OperationModel): string {
  const parameters = parametersOf(operation);
  const parts = [
    operation.pathParameters.length > 0 && `path: { ${operation.pathParameters.map(({ name }) => name).join(", ")} }`,
    operation.requestSchema && "body",
    operation.queryParameters.length > 0 && "query",
  ].filter(Boolean);
  const input = parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
  const where = `"${operation.method}", "${operation.path}"`;
  const finder = operation.reconcile && `${finderName(operation)}(${"explain" in operation.reconcile ? "" : "client"})`;
  const [promise, call] = operation.paging
    ? [
        `PagePromise<${resultType(operation)}, ${operation.paging.itemSchema}>`,
        `requestPage(client, "${operation.path}", { itemsField: "${operation.paging.items}", ${parts.join(", ")} }, options)`,
      ]
    : [
        `ApiPromise<${resultType(operation)}>`,
        `client.request(${where}, ${input}, options${finder ? `, ${finder}` : ""})`,
      ];
  return `${functionComment(operation)}
export function ${operation.id}(client: CallTransferCore, ${parameters.map(({ text }) => text).join(", ")}): ${promise} {
  return ${call};
}
`;
}

function renderMethod(operation: OperationModel, document: OpenApiDocument): string {
  const parameters = parametersOf(operation);
  const promise = operation.paging
    ? `PagePromise<${resultType(operation)}, ${operation.paging.itemSchema}>`
    : `ApiPromise<${resultType(operation)}>`;
  return `${methodComment(operation, document)}
  ${operation.sdkMethod}(${parameters.map(({ text }) => text).join(", ")}): ${promise} {
    return ${operation.id}(this.#client, ${parameters.map(({ name }) => name).join(", ")});
  }
`;
}

export function renderNoun(noun: string, operations: OperationModel[], document: OpenApiDocument): string {
  const models = new Set<string>();
  for (const operation of operations) {
    if (operation.requestSchema) models.add(operation.requestSchema);
    for (const { schema } of operation.successes) if (schema) models.add(schema);
    if (operation.paging) models.add(operation.paging.itemSchema);
    if (operation.queryParameters.length > 0) models.add(queryName(operation.id));
  }
  const paged = operations.some((operation) => operation.paging);
  const plain = operations.some((operation) => !operation.paging);
  const resource = operations[0]?.resource ?? noun;
  const helpers = ["explain", "findInList"].filter((name) =>
    operations.some(({ reconcile }) => reconcile && ("explain" in reconcile ? "explain" : "findInList") === name),
  );
  const imports = [
    plain && `import type { ApiPromise } from "../core/api-promise.ts";`,
    `import type { CallTransferCore } from "../core/core.ts";`,
    paged && `import { type PagePromise, requestPage } from "../core/pagination.ts";`,
    helpers.length > 0 && `import { ${helpers.join(", ")} } from "../core/reconcile.ts";`,
    unknownImport(operations),
    `import type { ${helpers.length > 0 ? "FindCandidates, " : ""}RequestOptions } from "../options/options.ts";`,
    models.size > 0 && `import type { ${[...models].sort().join(", ")} } from "../generated/models.gen.ts";`,
  ].filter(Boolean);
  return `${header}${imports.join("\n")}

${operations.map((operation) => renderFinder(operation, operations, document) + renderFunction(operation)).join("\n")}
/** Operations on ${noun.replace("-", " ")}: \`client.${resource}\`. */
export class ${pascal(resource)} {
  readonly #client: CallTransferCore;

  /** \`client\` sends the requests. */
  constructor(client: CallTransferCore) {
    this.#client = client;
  }

${operations.map((operation) => renderMethod(operation, document)).join("\n")}}
`;
}

export function renderResources(nouns: Map<string, OperationModel[]>): string {
  const resources = [...nouns].map(([noun, operations]) => ({
    noun,
    name: operations[0]?.resource ?? noun,
    found: operations.filter(({ reconcile }) => reconcile),
  }));
  const imports = resources.map(
    ({ noun, name, found }) =>
      `import { ${[pascal(name), ...found.map(finderName)].join(", ")} } from "./${noun}.gen.ts";`,
  );
  const found = resources.flatMap((resource) => resource.found);
  return `${header}import { CallTransferCore, type Finders } from "../core/core.ts";
${imports.join("\n")}

/** A client with all resources of the API. */
export class ResourceClient extends CallTransferCore {
${resources.map(({ noun, name }) => `  /** Operations on ${noun.replace("-", " ")}. */\n  readonly ${name}: ${pascal(name)} = new ${pascal(name)}(this);`).join("\n")}

  /** @internal */
  override findersOfOperations(): Finders {
    return { ${found.map((operation) => `${operation.id}: ${finderName(operation)}`).join(", ")} };
  }
}
`;
}

/** The type of what is found when the outcome of an operation is unknown. */
function candidateOf({ reconcile }: OperationModel, operations: OperationModel[]): string | undefined {
  if (!reconcile || "explain" in reconcile) return undefined;
  return operations.find(({ id }) => id === reconcile.list)?.paging?.itemSchema;
}

export function renderSdkOperations(operations: OperationModel[]): string {
  const rows = operations.map(({ id, method, path, idempotency, accountScoped, successes }) => {
    const success = successes.every(({ schema }) => schema) ? "object" : "object or nothing";
    const results = successes.flatMap(({ status, type, result }) =>
      result === undefined ? [] : [[type ?? status, result]],
    );
    const result = results.length > 0 && { result: Object.fromEntries(results) };
    const facts = { operationId: id, idempotency, ...(accountScoped && { accountScoped }), success, ...result };
    return `  ${JSON.stringify(`${method} ${path}`)}: ${JSON.stringify(facts)},`;
  });
  const candidates = new Set(operations.flatMap((operation) => candidateOf(operation, operations) ?? []));
  const candidateTypes = [...candidates].sort();
  const imports = candidates.size > 0 ? `import type { ${candidateTypes.join(", ")} } from "./models.gen.ts";\n\n` : "";
  return `${header}${imports}/** What may be the result of a request whose outcome is unknown: an item of the list that \`reconcile()\` reads (x-reconcile). */
export type Candidate = ${candidateTypes.join(" | ") || "never"};

/** How to send an operation. */
export interface OperationFacts {
  /** The operationId; for an operation that this SDK version does not know, its method and path without the query. */
  readonly operationId: string;
  /** ${retryDescription} */
  readonly idempotency: "idempotent" | "conflict_safe" | "non_idempotent";
  /** Whether a JWT must come with an account ID (§5.2). */
  readonly accountScoped?: boolean;
  /** Body of a success: a JSON object, or that or nothing. Undefined for operations that this version does not know: any JSON or nothing. */
  readonly success?: "object" | "object or nothing";
  /**
   * The field without which a success is unusable: the ID of what was made, or what is shown only once. By the body's \`type\`,
   * without which it is unusable too, or by status: a newer API may answer with a type that this version does not know.
   */
  readonly result?: Readonly<Record<string, string>>;
}

/** Every operation by method and path template. */
export const operationFacts: Readonly<Record<string, OperationFacts>> = {
${rows.join("\n")}
};
`;
}

/**
 * Codes and limits of the SDK. Not in the file of the operations, which a bundle has beside the methods: gzip only finds text again
 * within 32 kB, and both hold every path.
 */
export function renderSdkConstants(document: OpenApiDocument): string {
  const table = Object.entries(document["x-error-table"]);
  const noEffect = table.filter(([, row]) => row.effect === "none").map(([code]) => code);
  const withFieldErrors = table.filter(([, row]) => row.errors).map(([code]) => code);
  const limits = document["x-limits"];
  return `${header}/** Error codes of 503 responses that had no effect, if assumption A-28 is right (x-effect). */
export const noEffectCodes: readonly string[] = ${JSON.stringify(noEffect)};

/** Error codes whose errors list the failing fields. */
export const codesWithFieldErrors: readonly string[] = ${JSON.stringify(withFieldErrors)};

/** Retries after the first attempt (§8). */
export const defaultMaxRetries = ${limits.clientMaxRetries};

/** Milliseconds that one attempt may take (§8). */
export const defaultTimeoutMs = ${Number(limits.clientTimeoutSecs) * 1000};
`;
}

export function renderSignature(document: OpenApiDocument): string {
  return `${header}/** Signature scheme of webhooks (§6). */\nexport const signature = ${literal(signatureOf(document))} as const;\n`;
}

/** @param manifest The package.json of the SDK, and that of the contract. */
export function renderVersion(manifest = "{}", contract = "{}"): string {
  const { version } = JSON.parse(manifest) as { version?: string };
  const product = `call-transfer-sdk/${version} (contract ${majorOf(contract)})`;
  return `${header}/** Version of this package. */
export const VERSION = ${JSON.stringify(version)};

/** This package and the major of its contract, as \`User-Agent\` names them. One text, because each client contains it. */
export const product = ${JSON.stringify(product)};
`;
}

/** The version of the package spec is that of the contract. */
const versionOf = (contract: string): string => (JSON.parse(contract) as { version?: string }).version ?? "";

const majorOf = (contract: string): number => Number.parseInt(versionOf(contract), 10);

/** What the main entry exports of the resources, the models and the error codes. */
export function renderSdkExports(document: OpenApiDocument, nouns: Map<string, OperationModel[]>): string {
  const schemas = Object.keys(document.components.schemas).filter((name) => name !== "ErrorCode");
  const operations = [...nouns.values()].flat();
  const queries = operations.filter(({ queryParameters }) => queryParameters.length > 0).map(({ id }) => queryName(id));
  const blocks = [...nouns].map(([noun, members]) => {
    const names = [`type ${pascal(members[0]?.resource ?? noun)}`, ...members.map(({ id }) => id)];
    return `export { ${names.join(", ")} } from "./${noun}.gen.ts";`;
  });
  return `${header}export type { ErrorCode } from "../generated/error-codes.gen.ts";
export type {
${[...schemas, ...queries].map((name) => `  ${name},`).join("\n")}
} from "../generated/models.gen.ts";
${blocks.join("\n")}
`;
}
