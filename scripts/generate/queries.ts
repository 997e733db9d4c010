// Generates the SDK's functions for TanStack Query: options of queries, infinite queries and mutations.
import type { OperationModel } from "./read/model.ts";
import { parametersOf, resultType, retryDescriptions, unknownImport } from "./resources.ts";
import { docComment, header, queryName } from "./text/text.ts";

const isRead = ({ method }: OperationModel): boolean => method === "GET";

/** Names of an operation's parameters in its mutation's variables and in its queries' keys. */
const namesOf = (operation: OperationModel): string[] =>
  parametersOf(operation)
    .map(({ name }) => name)
    .filter((name) => name !== "options");

/** Parameters of a function that returns options: those of the operation for a read, none but the options for a write. */
const parameterList = (operation: OperationModel): string =>
  ["client: CallTransferCore", ...parametersOf(operation).map(({ text }) => text)].join(", ");

/** A call of the operation's function. */
const callOf = (operation: OperationModel, values: string[], options: string): string =>
  `${operation.id}(${["client", ...values, options].join(", ")})`;

const keyOf = ({ id }: OperationModel, ...rest: string[]): string =>
  `\`["call-transfer", { baseUrl, accountId }, "${id}"${rest.map((part) => `, ${part}`).join("")}]\``;

const objectOf = (names: string[]): string => (names.length > 0 ? `{ ${names.join(", ")} }` : "{}");

function comment(operation: OperationModel, kind: string, key: string, remarks: string[]): string {
  const { id, summary, idempotency, pathParameters } = operation;
  const parameters = isRead(operation)
    ? pathParameters.map(({ name, description }) => `@param ${name} ${description}`)
    : [];
  return docComment([
    `${summary}: options of ${kind}, which calls \`${id}\`.`,
    "",
    `Key: ${key}.`,
    "",
    `TanStack Query does not retry it; the SDK does. ${retryDescriptions[idempotency]}`,
    ...remarks,
    ...(parameters.length > 0 ? ["", ...parameters] : []),
  ]);
}

function renderQuery(operation: OperationModel): string {
  const { id } = operation;
  const names = namesOf(operation);
  const input = objectOf(names);
  return `${comment(operation, "a query", keyOf(operation, input), [])}
export function ${id}QueryOptions(${parameterList(operation)}): OperationQueryOptions<"${id}", ${resultType(operation)}> {
  return queryOptions(client, "${id}", ${input}, options, (requestOptions) => ${callOf(operation, names, "requestOptions")});
}
`;
}

function renderInfiniteQuery(operation: OperationModel, items: string): string {
  const { id } = operation;
  const names = namesOf(operation);
  const input = objectOf(names);
  const values = names.map((name) => (name === "query" ? "{ ...query, offset }" : name));
  const remarks = ["", "An item may be on several pages, since the list may change between two of them."];
  return `${comment(operation, "an infinite query", keyOf(operation, '"infinite"', input), remarks)}
export function ${id}InfiniteQueryOptions(${parameterList(operation)}): OperationInfiniteQueryOptions<"${id}", ${resultType(operation)}> {
  return infiniteQueryOptions(client, "${id}", ${input}, options, (page) => page.${items}, (offset, requestOptions) => ${callOf(operation, values, "requestOptions")});
}
`;
}

function renderMutation(operation: OperationModel): string {
  const { id } = operation;
  const parameters = parametersOf(operation).filter(({ name }) => name !== "options");
  const variables = parameters.length > 0 ? `{ ${parameters.map(({ text }) => text).join("; ")} }` : "void";
  const names = namesOf(operation);
  const taken = names.length > 0 ? objectOf(names) : "";
  const kind = names.length > 0 ? `a mutation with the variables \`${taken}\`` : "a mutation without variables";
  return `${comment(operation, kind, keyOf(operation), [])}
export function ${id}MutationOptions(client: CallTransferCore, options?: RequestOptions): OperationMutationOptions<"${id}", ${variables}, ${resultType(operation)}> {
  return mutationOptions(client, "${id}", options, (${taken}) => ${callOf(operation, names, "options")});
}
`;
}

/** The functions of every operation. */
export function renderQueries(operations: OperationModel[]): string {
  const reads = operations.filter(isRead);
  const writes = operations.filter((operation) => !isRead(operation));
  const paged = reads.flatMap((operation) =>
    operation.paging ? [renderInfiniteQuery(operation, operation.paging.items)] : [],
  );
  const models = new Set<string>();
  for (const { id, requestSchema, queryParameters, successes } of operations) {
    if (requestSchema) models.add(requestSchema);
    if (queryParameters.length > 0) models.add(queryName(id));
    for (const { schema } of successes) if (schema) models.add(schema);
  }
  const resources = Map.groupBy(operations, ({ noun }) => noun);
  const kinds = [
    ...(reads.length > 0 ? ["OperationQueryOptions", "queryOptions"] : []),
    ...(paged.length > 0 ? ["OperationInfiniteQueryOptions", "infiniteQueryOptions"] : []),
    ...(writes.length > 0 ? ["OperationMutationOptions", "mutationOptions"] : []),
  ];
  const imports = [
    `import type { CallTransferCore } from "../core/core.ts";`,
    unknownImport(operations),
    models.size > 0 && `import type { ${[...models].sort().join(", ")} } from "../generated/models.gen.ts";`,
    `import type { RequestOptions } from "../options/options.ts";`,
    ...[...resources].map(
      ([noun, members]) => `import { ${members.map(({ id }) => id).join(", ")} } from "../resources/${noun}.gen.ts";`,
    ),
    `import { ${kinds.map((name) => (/^O/.test(name) ? `type ${name}` : name)).join(", ")} } from "./options.ts";`,
  ].filter(Boolean);
  return `${header}${imports.join("\n")}

${[...reads.map(renderQuery), ...paged, ...writes.map(renderMutation)].join("\n")}`;
}
