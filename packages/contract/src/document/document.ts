import { type ErrorCode, errorCodes, type OperationId, operations } from "@call-transfer/spec";
import bundled from "@call-transfer/spec/openapi.json" with { type: "json" };
import { isObject, memberOf, valueAt, withPlainEnums } from "./json.ts";

/** The parts of a JSON Schema that the suite reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly "x-pattern-error-code"?: string;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly "x-pagination"?: { readonly items: string };
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The bundled OpenAPI document with plain enums, untyped. Read it by pointer or by operation. */
export const contract: unknown = withPlainEnums<unknown>(bundled);

/** Every operationId, in the order of the operations table. */
export const operationIds = Object.keys(operations) as OperationId[];

const unescapePointer = (step: string) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");

/** The node at a JSON pointer such as `#/components/schemas/Call`; undefined without one. */
export const at = (pointer: string): unknown => valueAt(contract, pointer.split("/").slice(1).map(unescapePointer));

/** Follows the references of a node of the document. */
export function resolve<T extends object>(node: T | { readonly $ref: string }): T {
  let found: unknown = node;
  while (isObject(found) && "$ref" in found) found = at(String(found.$ref));
  return found as T;
}

const escapePointer = (step: string) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));

const pointerOf = (id: OperationId) =>
  `#/paths/${escapePointer(operations[id].path)}/${operations[id].method.toLowerCase()}`;

const operationOf = (id: OperationId) => at(pointerOf(id)) as Operation;

/** The pointer of the body schema for a status, or for `default` when the status is not listed. */
export function bodyPointer(id: OperationId, status: number): string | undefined {
  const responses = `${pointerOf(id)}/responses`;
  const { responses: documented } = operationOf(id);
  const key = String(status) in documented ? String(status) : "default";
  const response = documented[key];
  if (!response) return undefined;
  const place = response.$ref ?? `${responses}/${key}`;
  return resolve(response).content ? `${place}/content/${escapePointer("application/json")}/schema` : undefined;
}

/** The schema of the body of an operation's successes, in the order of their statuses; empty without a body. */
export const successSchemas = (id: OperationId): Schema[] =>
  operations[id].successes.flatMap(({ status }) => {
    const pointer = bodyPointer(id, status);
    return pointer === undefined ? [] : [resolve<Schema>(at(pointer) as Schema)];
  });

/** The field with the items of a page, for an operation with limit and offset. */
export const pagedItems = (id: OperationId): string | undefined => operationOf(id)["x-pagination"]?.items;

/** The operation's query and path parameters. Headers are covered by the authentication cases. */
export function parametersOf(id: OperationId): Parameter[] {
  const shared = at(`#/paths/${escapePointer(operations[id].path)}/parameters`) as Operation["parameters"];
  return [...(shared ?? []), ...(operationOf(id).parameters ?? [])]
    .map((parameter) => resolve<Parameter>(parameter))
    .filter((parameter) => parameter.in !== "header");
}

export function requestSchema(id: OperationId): Schema | undefined {
  const media = operationOf(id).requestBody?.content["application/json"];
  return media && resolve<Schema>(media.schema);
}

/** A copy of the first example of the operation's request body. */
export function requestExample(id: OperationId): Readonly<Record<string, unknown>> | undefined {
  const examples = operationOf(id).requestBody?.content["application/json"]?.examples ?? {};
  const value = Object.values(examples)[0]?.value;
  return value === undefined ? undefined : (structuredClone(value) as Record<string, unknown>);
}

/** A value for a path parameter: the field of that name in the operation's success example, or in another operation's. */
export function pathExample(id: OperationId, parameter: string): string | undefined {
  for (const operation of [operations[id], ...Object.values(operations)]) {
    for (const { example } of operation.successes) {
      const value = memberOf(example, parameter);
      if (typeof value === "string") return value;
    }
  }
  return undefined;
}

/** Codes for unknown paths and methods, which no operation lists (§7.2). */
export const codesOutsideOperations: readonly ErrorCode[] = ["not_found"];

/** Every error code, in the order of the table. */
export const errorCodeNames = Object.keys(errorCodes) as ErrorCode[];
const listed = new Set<string>(operationIds.flatMap((id) => operations[id].errorCodes));

/** Codes that only a fault can produce: marked in the table, or listed by no operation. */
export const faultOnlyCodes: readonly ErrorCode[] = errorCodeNames.filter(
  (code) => errorCodes[code].faultOnly || !(listed.has(code) || codesOutsideOperations.includes(code)),
);

/** The built-in roles (§5.5). */
export const roles = ((at("#/components/schemas/Role") as Schema).enum ?? []) as readonly string[];

/** The callers in the role table of an operation: each role as a user and as a key, and `self`. */
export const callersOf = (operation: OperationId): string[] => [
  ...roles,
  ...roles.map((role) => `key as ${role}`),
  ...((operations[operation].roles as readonly string[]).includes("self") ? ["self"] : []),
];

function* markedFields(node: unknown): Generator<readonly [string, readonly string[]]> {
  if (!isObject(node)) return;
  for (const [name, child] of Object.entries(node)) {
    const operations = memberOf(child, "x-returned-by");
    if (Array.isArray(operations)) yield [name, operations.map(String)];
    yield* markedFields(child);
  }
}

/** Fields that only the responses of some operations show (`x-returned-by`), with these operations. */
export const shownBy: ReadonlyMap<string, readonly string[]> = new Map(markedFields(at("#/components/schemas")));

/** The events of the contract's webhooks (§6). */
export const webhookEvents: readonly string[] = Object.keys(at("#/webhooks") as object);
