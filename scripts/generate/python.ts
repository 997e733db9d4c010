// Generates the operations and resources of the Python client. What an operation is stands in one table; the methods of both
// clients differ in `await` alone.
import { pythonVersion } from "../release/versions.ts";
import { signatureOf } from "./operations.ts";
import {
  fieldsOf,
  inputSchemas,
  pythonType,
  renderPythonCodes,
  renderPythonErrors,
  renderPythonModels,
} from "./python-models.ts";
import { type OpenApiDocument, readCodeTable } from "./read/document.ts";
import type { OperationModel } from "./read/model.ts";
import { retryDescriptions } from "./resources.ts";
import { docstring, pythonHeader, pythonName, pythonText } from "./text/python.ts";
import { pascal } from "./text/text.ts";

const folder = "packages/python/src/call_transfer/_generated";

const constantOf = ({ id }: OperationModel): string => pythonName(id).toUpperCase();

const isOpen = ({ successes }: OperationModel): boolean => successes.some(({ type }) => type !== undefined);

function resultType(operation: OperationModel): string {
  const schemas = new Set(operation.successes.map(({ schema }) => schema ?? "None"));
  return [...schemas, ...(isOpen(operation) ? ["UnknownResult"] : [])].join(" | ");
}

function renderOperation(operation: OperationModel): string {
  const { id, method, path, idempotency, accountScoped, successes } = operation;
  const success = successes.every(({ schema }) => schema) ? "object" : "object or nothing";
  const keyed = successes.map(({ status, type, schema, result }) => ({ key: String(type ?? status), schema, result }));
  const entries = (rows: readonly (readonly [string, string])[]) =>
    `{${rows.map(([key, value]) => `${pythonText(key)}: ${value}`).join(", ")}}`;
  const result = keyed.flatMap(({ key, result }) => (result === undefined ? [] : [[key, pythonText(result)] as const]));
  const models = keyed.flatMap(({ key, schema }) => (schema === undefined ? [] : [[key, pythonText(schema)] as const]));
  const parts = [
    `operation_id=${pythonText(id)}`,
    `method=${pythonText(method)}`,
    `route=${pythonText(path)}`,
    `idempotency=${pythonText(idempotency)}`,
    `account_scoped=${pythonText(accountScoped)}`,
    `success=${pythonText(success)}`,
    ...(result.length > 0 ? [`result=${entries(result)}`] : []),
    ...(models.length > 0 ? [`models=${entries(models)}`] : []),
    ...(isOpen(operation) ? ["is_open=True"] : []),
  ];
  return `${constantOf(operation)} = Operation(\n${parts.map((part) => `    ${part},`).join("\n")}\n)`;
}

function renderFinder(
  { id, reconcile }: OperationModel,
  operations: readonly OperationModel[],
  document: OpenApiDocument,
) {
  if (!reconcile) return [];
  if ("explain" in reconcile) {
    const hours = document["x-limits"][reconcile.untilLimit];
    return [
      `    ${pythonText(id)}: Explanation(\n        ${pythonText(reconcile.explain)},\n        overlap_hours=${hours},\n    ),`,
    ];
  }
  const list = operations.find((candidate) => candidate.id === reconcile.list);
  if (list?.paging === undefined) throw new Error(`${id} names ${reconcile.list}, which is no list with pages.`);
  const limit = list.queryParameters.find(({ name }) => name === "limit")?.schema.maximum;
  const parts = [constantOf(list), pythonText(reconcile.since), limit, pythonText(list.paging.items)];
  return [`    ${pythonText(id)}: ListSince(${parts.join(", ")}),`];
}

function renderOperations(document: OpenApiDocument, operations: readonly OperationModel[]): string {
  const limits = document["x-limits"];
  return `${pythonHeader}"""Every operation of the API, and how to send it."""

from __future__ import annotations

from .._operation import Explanation, ListSince, Operation

${operations.map(renderOperation).join("\n\n")}

OPERATIONS: tuple[Operation, ...] = (
${operations.map((operation) => `    ${constantOf(operation)},`).join("\n")}
)

FINDERS: dict[str, Explanation | ListSince] = {
${operations.flatMap((operation) => renderFinder(operation, operations, document)).join("\n")}
}
"""By operationId, how to find results of an operation whose outcome is unknown."""

DEFAULT_MAX_RETRIES = ${limits.clientMaxRetries}
"""Retries after the first attempt (§8)."""

DEFAULT_TIMEOUT = ${limits.clientTimeoutSecs}.0
"""Seconds that one attempt may take (§8)."""

API_KEY_PREFIX = ${pythonText(limits.apiKeyPrefix)}
"""Start of every API key (§5.1)."""
`;
}

interface MethodParameter {
  readonly name: string;
  readonly text: string;
  readonly doc: string;
}

function bodyParameters(operation: OperationModel, document: OpenApiDocument, inputs: ReadonlySet<string>) {
  const { requestSchema, queryParameters } = operation;
  const required = (text: string, isRequired: boolean) => (isRequired ? text : `${text} | NotGiven = NOT_GIVEN`);
  const body = requestSchema ? fieldsOf(document.components.schemas[requestSchema] ?? {}) : [];
  const query = queryParameters.map(({ name, schema, required: isRequired, description = "" }) => {
    const format = schema.format === "date-time" ? " An ISO 8601 time." : "";
    return { wire: name, name: pythonName(name), schema, required: isRequired ?? false, doc: description + format };
  });
  const asParameter = ({ name, schema, required: isRequired, doc }: (typeof body)[number]): MethodParameter => ({
    name,
    text: `${name}: ${required(pythonType(schema, inputs), isRequired)}`,
    doc,
  });
  const fields = [...body, ...query].toSorted((one, other) => Number(other.required) - Number(one.required));
  /** A parameter that may hold dictionaries with the keys of a model. */
  const givenValue = (name: string, schema: unknown) => {
    const [, model = ""] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(schema)) ?? [];
    return inputs.has(model) ? `wire(${name}, "${model}")` : name;
  };
  const mapping = (of: readonly { wire: string; name: string; schema: unknown }[]) =>
    `{${of.map(({ wire, name, schema }) => `${pythonText(wire)}: ${givenValue(name, schema)}`).join(", ")}}`;
  const given = [
    ...(body.length > 0 ? [`body=${mapping(body)}`] : []),
    ...(query.length > 0 ? [`query=${mapping(query)}`] : []),
  ];
  return { parameters: fields.map(asParameter), given };
}

function methodDoc(
  operation: OperationModel,
  document: OpenApiDocument,
  parameters: readonly MethodParameter[],
): string {
  const { summary, description, idempotency, errorCodes, paging } = operation;
  const table = document["x-error-table"];
  const classes = readCodeTable().classes;
  const statuses = [...Map.groupBy(errorCodes, (code) => table[code]?.status ?? 0)].sort(([a], [b]) => a - b);
  const raises = statuses.map(([status, codes]) => {
    const name = classes[status]?.name ?? (status >= 500 ? "ServerError" : "ApiError");
    return `    ${name}: ${status}: ${codes.map((code) => `\`${code}\``).join(", ")}.`;
  });
  const unknown =
    idempotency === "non_idempotent"
      ? ["    OutcomeUnknownError: It may have been carried out. Call `reconcile()` before repeating it."]
      : [];
  const lost = [
    "    RequestError: There was no usable response. See its subclasses.",
    "    InvalidArgumentError: An argument is invalid. Nothing was sent.",
  ];
  return docstring(
    [
      `${summary}.`,
      "",
      description,
      "",
      retryDescriptions[idempotency],
      ...(paging
        ? ["", "Nothing is sent before the result is used. A list that changes while it is read returns each ID once."]
        : []),
      "",
      "Args:",
      ...parameters.map(({ name, doc }) => `    ${name}: ${doc}`),
      "",
      `Raises${paging ? " when it is used" : ""}:`,
      ...raises,
      ...unknown,
      ...lost,
    ],
    "        ",
  );
}

function renderMethod(
  operation: OperationModel,
  document: OpenApiDocument,
  inputs: ReadonlySet<string>,
  isAsync: boolean,
) {
  const { pathParameters, paging, sdkMethod } = operation;
  const path = pathParameters.map(({ name, description = "" }) => ({
    name: pythonName(name),
    text: `${pythonName(name)}: str`,
    doc: description,
  }));
  const { parameters, given } = bodyParameters(operation, document, inputs);
  const options = {
    name: "options",
    text: "options: RequestOptions | None = None",
    doc: "Options of this request. They override the client's.",
  };
  const all = ["self", ...path.map(({ text }) => text), "*", ...[...parameters, options].map(({ text }) => text)];
  const result = resultType(operation);
  const item = paging?.itemSchema;
  const returned = paging ? `${isAsync ? "Async" : ""}Pages[${result}, ${item}]` : result;
  const mapping = `path={${pathParameters.map(({ name }) => `${pythonText(name)}: ${pythonName(name)}`).join(", ")}}`;
  const input = [constantOf(operation), ...(path.length > 0 ? [mapping] : []), ...given, "options=options"];
  const start = `    ${isAsync && !paging ? "async " : ""}def ${pythonName(sdkMethod)}(${all.length > 3 ? `\n        ${all.join(",\n        ")},\n    ` : all.join(", ")}) -> ${returned}:`;
  const body = paging
    ? `        return ${isAsync ? "Async" : ""}Pages(self._client, ${input[0]}, ${pythonText(paging.items)}, ${given.join(", ")}, options=options)`
    : result === "None"
      ? `        ${isAsync ? "await " : ""}self._client.perform(${input.join(", ")})`
      : `        result: ${result} = ${isAsync ? "await " : ""}self._client.perform(${input.join(", ")})\n        return result`;
  return `${start}\n${methodDoc(operation, document, [...path, ...parameters, options])}\n${body}\n`;
}

function renderResources(document: OpenApiDocument, operations: readonly OperationModel[]): string {
  const requests = operations.flatMap(({ requestSchema }) => requestSchema ?? []);
  const inputs = inputSchemas(document, requests);
  const resources = Map.groupBy(operations, ({ resource }) => resource);
  const classes = [false, true].flatMap((isAsync) =>
    [...resources].map(([resource, members]) => {
      const name = `${isAsync ? "Async" : ""}${pascal(resource)}`;
      const methods = members.map((operation) => renderMethod(operation, document, inputs, isAsync));
      const noun = members[0]?.noun.replace("-", " ");
      return `class ${name}:\n    """Operations on ${noun}: \`client.${pythonName(resource)}\`."""\n\n    def __init__(self, client: Sender) -> None:\n        self._client = client\n\n${methods.join("\n")}`;
    }),
  );
  const clients = [false, true].map((isAsync) => {
    const prefix = isAsync ? "Async" : "";
    const members = [...resources].map(
      ([resource, [first]]) =>
        `    ${pythonName(resource)}: ${prefix}${pascal(resource)}\n    """Operations on ${first?.noun.replace("-", " ")}."""`,
    );
    const created = [...resources.keys()].map(
      (resource) => `        self.${pythonName(resource)} = ${prefix}${pascal(resource)}(client)`,
    );
    return `class ${prefix}Resources:\n    """All resources of the API, for ${isAsync ? "an async client" : "a client"}."""\n\n${members.join("\n")}\n\n    def _open_resources(self, client: Sender) -> None:\n${created.join("\n")}\n`;
  });
  const used = new Set(
    operations.flatMap((operation) => [
      ...resultType(operation).split(" | "),
      ...(operation.paging ? [operation.paging.itemSchema] : []),
    ]),
  );
  for (const name of inputs) used.add(name).add(`${name}Dict`);
  used.delete("None");
  return `${pythonHeader}"""The operations as methods, for both clients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .._options import NOT_GIVEN, NotGiven, RequestOptions
from .._pagination import AsyncPages, Pages, Sender
from .._results import wire
from .operations import (
${operations
  .map((operation) => `    ${constantOf(operation)},`)
  .sort()
  .join("\n")}
)

# Loaded when a client is created.
if TYPE_CHECKING:
    from .models import ${[...used].sort().join(", ")}


${[...classes, ...clients].join("\n\n")}`;
}

const renderSignature = (document: OpenApiDocument): string =>
  `${pythonHeader}"""Signature scheme of webhooks (§6)."""\n\nfrom __future__ import annotations\n\n${Object.entries(
    signatureOf(document) ?? {},
  )
    .map(([name, value]) => `${pythonName(name).toUpperCase()} = ${pythonText(value)}`)
    .join("\n")}\n`;

/** What a wildcard gets, so that __init__.py can load it when it is first used. */
function renderNames(document: OpenApiDocument, operations: readonly OperationModel[]): string {
  const requests = operations.flatMap(({ requestSchema }) => requestSchema ?? []);
  const schemas = Object.keys(document.components.schemas).filter((name) => name !== "ErrorCode");
  const models = [...schemas, ...[...inputSchemas(document, requests)].map((name) => `${name}Dict`), "UnknownResult"];
  const errors = Object.values(readCodeTable().classes).map(({ name }) => name);
  const list = (names: readonly string[]) =>
    `(\n${names
      .toSorted()
      .map((name) => `    "${name}",`)
      .join("\n")}\n)`;
  return `${pythonHeader}"""The public names that are generated."""\n\nfrom __future__ import annotations\n\nMODELS = ${list(models)}\n\nERRORS = ${list(errors)}\n`;
}

/** The version in a package.json, as a text of Python. */
const versionIn = (manifest: string): string => {
  const { version = "0" } = JSON.parse(manifest) as { version?: string };
  return pythonText(pythonVersion(version));
};

/**
 * The generated files of the Python client by path.
 *
 * @param manifest Its package.json, whose version changesets move.
 * @param contractManifest That of the contract.
 */
export function renderPython(
  document: OpenApiDocument,
  operations: readonly OperationModel[],
  manifest = "{}",
  contractManifest = "{}",
): [string, string][] {
  const requests = operations.flatMap(({ requestSchema }) => requestSchema ?? []);
  const files = {
    __init__: `${pythonHeader}"""What is generated from the description of the API."""\n`,
    codes: renderPythonCodes(document),
    errors: renderPythonErrors(readCodeTable().classes),
    models: renderPythonModels(document, requests),
    names: renderNames(document, operations),
    operations: renderOperations(document, operations),
    resources: renderResources(document, operations),
    signature: renderSignature(document),
    version: `${pythonHeader}"""Versions."""\n\nVERSION = ${versionIn(manifest)}\n"""Version of this package."""\n\nCONTRACT_VERSION = ${versionIn(contractManifest)}\n"""Version of the contract that this package serves."""\n`,
  };
  return Object.entries(files).map(([name, text]) => [`${folder}/${name}.py`, text]);
}
