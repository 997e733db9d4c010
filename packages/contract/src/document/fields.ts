import type { FieldErrorCode, OperationId } from "@call-transfer/spec";
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

const isNullable = (schema: Schema): boolean => Array.isArray(schema.type) && schema.type.includes("null");

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

/** Marks a field to remove from the request. */
export const absent = Symbol("absent");

/** A value for a field, and whether the contract allows it. */
export interface Probe {
  readonly value: unknown;
  /** A description of the value, e.g. `101 characters`. */
  readonly what: string;
  /** The expected field error; undefined for a valid value. */
  readonly code?: FieldErrorCode;
}

const valid = (value: unknown, what: string): Probe => ({ value, what });
const invalid = (value: unknown, what: string, code: FieldErrorCode): Probe => ({ value, what, code });

/** Values of other types. Query values are always text, so only texts can be wrong there. */
function wrongTypes(field: Field): unknown[] {
  if (field.where === "query") return ["many", "1.5", ""];
  const type = typeOf(field.schema);
  const values: Record<string, unknown> = { string: "text", number: 1.5, boolean: true, array: [], object: {} };
  return Object.entries(values)
    .filter(([name]) => name !== type && !(name === "number" && type === "integer"))
    .map(([, value]) => value)
    .concat(type === "integer" ? [10.5] : []);
}

/** A character outside the basic plane: length 1 in JSON Schema, 2 in JavaScript. */
const astral = "\u{1F4DE}";

type Probes = (field: Field, base: unknown, itemsFor: (count: number) => unknown[]) => Probe[];

const lengthProbes = (limit: number, step: 1 | -1, code: FieldErrorCode): Probe[] => {
  const within = [valid("n".repeat(limit), `${limit} characters`)];
  if (limit > 0) within.push(valid(astral.repeat(limit), `${limit} characters outside the basic plane`));
  const beyond = limit + step;
  if (beyond < 0) return within;
  const refused = [invalid("n".repeat(beyond), `${beyond} characters`, code)];
  if (beyond > 0) refused.push(invalid(astral.repeat(beyond), `${beyond} characters outside the basic plane`, code));
  return [...within, ...refused];
};

/** The last valid and the first invalid values for each keyword, derived from the schema. */
const probesByKeyword: Readonly<Record<string, Probes>> = {
  required: (_field, base) => [valid(base, "present"), invalid(absent, "missing", "required")],
  optional: () => [valid(absent, "missing")],
  default: () => [valid(absent, "missing")],
  id: (_field, base) => [
    valid(base, "a UUID"),
    ...["not-an-id", "123", `${String(base)}0`].map((text) => invalid(text, text, "invalid_format")),
  ],
  null: (field) => [isNullable(field.schema) ? valid(null, "null") : invalid(null, "null", "required")],
  extra: (_field, base) => [valid({ ...(base as object), unknownToTheContract: [1] }, "an unknown member")],
  type: (field, base) => [
    valid(base, "the correct type"),
    ...wrongTypes(field).map((value) => invalid(value, JSON.stringify(value), "invalid_format")),
  ],
  minLength: ({ schema }) => lengthProbes(schema.minLength ?? 0, -1, "too_short"),
  maxLength: ({ schema }) => lengthProbes(schema.maxLength ?? 0, 1, "too_long"),
  minItems: ({ schema: { minItems = 0 } }, _base, itemsFor) => [
    valid(itemsFor(minItems), `${minItems} items`),
    ...(minItems > 0 ? [invalid(itemsFor(minItems - 1), `${minItems - 1} items`, "too_short")] : []),
  ],
  maxItems: ({ schema: { maxItems = 0 } }, _base, itemsFor) => [
    valid(itemsFor(maxItems), `${maxItems} items`),
    invalid(itemsFor(maxItems + 1), `${maxItems + 1} items`, "too_long"),
  ],
  minimum: ({ schema: { minimum = 0 } }) => [
    valid(minimum, String(minimum)),
    invalid(minimum - 1, String(minimum - 1), "below_minimum"),
  ],
  maximum: ({ schema: { maximum = 0 } }) => [
    valid(maximum, String(maximum)),
    invalid(maximum + 1, String(maximum + 1), "above_maximum"),
  ],
  enum: ({ schema }) => [
    ...(schema.enum ?? []).filter((value) => value !== null).map((value) => valid(value, JSON.stringify(value))),
    invalid("no such value", "an unlisted value", "invalid_format"),
  ],
  const: ({ schema }) => [
    valid(schema.const, JSON.stringify(schema.const)),
    invalid("no such value", "another value", "invalid_format"),
  ],
  pattern: ({ schema }, base) => [
    valid(base, "a matching value"),
    invalid(
      `${String(base)}x`,
      "a value that does not match",
      (schema["x-pattern-error-code"] ?? "invalid_format") as FieldErrorCode,
    ),
    invalid("", "an empty string", (schema["x-pattern-error-code"] ?? "invalid_format") as FieldErrorCode),
  ],
};

/** Valid and invalid texts for each format. */
const formats: Readonly<Record<string, { valid: readonly string[]; invalid: readonly string[] }>> = {
  "date-time": {
    valid: ["2026-03-02T12:00:00Z", "2026-03-02T12:00:00.123Z", "2026-03-02T14:00:00+02:00"],
    invalid: ["yesterday", "2026-03-02", "2026-13-02T12:00:00Z", "2026-02-30T12:00:00Z", "2026-03-02T12:00:00"],
  },
};

/** The probes of a rule; empty for an unknown keyword, which leaves its cells uncovered. */
export function probesOf(rule: Rule, base: unknown, itemsFor: (count: number) => unknown[]): Probe[] {
  if (rule.keyword === "format") {
    const { valid: accepted = [], invalid: rejected = [] } = formats[rule.field.schema.format ?? ""] ?? {};
    return [
      ...accepted.map((text) => valid(text, text)),
      ...rejected.map((text) => invalid(text, text, "invalid_format")),
    ];
  }
  return probesByKeyword[rule.keyword]?.(rule.field, base, itemsFor) ?? [];
}
