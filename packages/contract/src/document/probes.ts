import type { FieldErrorCode } from "@call-transfer/spec";
import { type Field, isNullable, type Rule, typeOf } from "./fields.ts";

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
      (schema["x-field-code"] ?? "invalid_format") as FieldErrorCode,
    ),
    invalid("", "an empty string", (schema["x-field-code"] ?? "invalid_format") as FieldErrorCode),
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
