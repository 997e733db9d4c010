import type { OperationId } from "@call-transfer/spec";
import type { FieldFact } from "../facts/resources.ts";
import { parametersOf, requestSchema, resolve, type Schema } from "./document.ts";
import { fieldFactOf } from "./expected.ts";

/** A field of a request with rules in the contract. */
export interface Field {
  readonly operation: OperationId;
  readonly where: "body" | "query" | "path";
  /** The path of the field in its part of the request; 0 for a list's first item, empty for the body itself. */
  readonly steps: readonly (string | number)[];
  readonly schema: Schema;
  readonly required: boolean;
}

/** Keywords that do not restrict values. */
const annotations = new Set(["$ref", "title", "description", "deprecated", "examples", "example"]);
/** Keywords whose rules belong to other fields or keywords. */
const structural = new Set(["properties", "items", "additionalProperties"]);

/** The path as in error bodies: `members[0].ringTimeoutSecs`. */
export const fieldPath = (field: Pick<Field, "steps">): string =>
  field.steps.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : path === "" ? step : `${path}.${step}`),
    "",
  );

/** The name in the coverage, where all items of a list share one row: `members[].ringTimeoutSecs`. */
export const fieldName = (field: Field): string => {
  const path = fieldPath(field).replaceAll("[0]", "[]");
  return field.where === "body" ? path || "(body)" : `${path} (${field.where})`;
};

export const isNullable = (schema: Schema): boolean => Array.isArray(schema.type) && schema.type.includes("null");

/** The JSON type, ignoring null. */
export const typeOf = (schema: Schema): string | undefined =>
  typeof schema.type === "string" ? schema.type : schema.type?.find((type) => type !== "null");

/** The limits of a fact, as keywords of a schema. */
function limitsOf(fact: FieldFact): Partial<Schema> {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: absent } = fact;
  const keywords = { minimum, maximum, minLength, maxLength, minItems, maxItems, default: absent };
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

/** The field with what the specification says about it, so that probes test that and not what the contract says. */
function asStated(field: Field): Field {
  const fact = fieldFactOf(field.operation, field.where, field.steps);
  if (!fact) return field;
  const { schema } = field;
  const type = typeOf(schema);
  const withNull = fact.nullable && type !== undefined ? { type: [type, "null"] } : {};
  const values = fact.values && { enum: [...new Set([...fact.values, ...(schema.enum ?? [])])] };
  return {
    ...field,
    required: fact.required ?? field.required,
    schema: { ...schema, ...limitsOf(fact), ...withNull, ...values },
  };
}

function* walk(field: Field): Generator<Field> {
  yield field;
  for (const [name, property] of Object.entries(field.schema.properties ?? {})) {
    const required = field.schema.required?.includes(name) ?? false;
    yield* walk({ ...field, steps: [...field.steps, name], schema: resolve<Schema>(property), required });
  }
  if (field.schema.items) {
    yield* walk({ ...field, steps: [...field.steps, 0], schema: resolve<Schema>(field.schema.items), required: false });
  }
}

/** Every field of an operation's request: body, nested objects, list items, query and path. */
export function fieldsOf(operation: OperationId): Field[] {
  const body = requestSchema(operation);
  const parameters = parametersOf(operation).map(
    ({ name, in: where, required, schema }): Field => ({
      operation,
      where: where === "path" ? "path" : "query",
      steps: [name],
      schema: resolve<Schema>(schema),
      required: required ?? false,
    }),
  );
  const fields = body ? [...walk({ operation, where: "body", steps: [], schema: body, required: true })] : [];
  return [...fields, ...parameters].map(asStated);
}

/** A rule of a field, with the sides that a request can test. */
export interface Rule {
  readonly field: Field;
  /** A keyword of the schema, or `required`, `null`, `extra` (unknown members) or `id` (an id in the path). */
  readonly keyword: string;
  readonly sides: readonly ("valid" | "invalid")[];
}

const both = ["valid", "invalid"] as const;

/**
 * The rules of a field in the OpenAPI document. A keyword without probes also gives a rule, so that its cell shows as
 * uncovered.
 */
export function rulesOf(field: Field): Rule[] {
  const { schema, where } = field;
  const rules: Rule[] = [];
  const rule = (keyword: string, sides: Rule["sides"]) => rules.push({ field, keyword, sides });
  // A path parameter cannot be absent, and every text is a string. Only the form of the id can be wrong.
  if (where === "path") return [{ field, keyword: "id", sides: both }];
  const isItem = typeof field.steps.at(-1) === "number";
  if (field.required) rule("required", both);
  if (!isItem && !field.required) rule("optional", ["valid"]);
  if (where === "body") rule("null", isNullable(schema) ? ["valid"] : ["invalid"]);
  if (typeOf(schema) === "object") rule("extra", ["valid"]);
  for (const keyword of Object.keys(schema)) {
    if (annotations.has(keyword) || structural.has(keyword) || keyword.startsWith("x-")) continue;
    // `required` of an object is a rule of each member.
    if (keyword === "required") continue;
    // Every query text is a valid string.
    if (keyword === "type" && where === "query" && typeOf(schema) === "string") continue;
    rule(keyword, keyword === "default" ? ["valid"] : both);
  }
  return rules;
}
