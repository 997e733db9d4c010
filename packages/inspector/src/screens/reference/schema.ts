import type { Schema } from "./document.ts";

/** Follows references. */
export type Resolve = (schema: Schema) => Schema;

/** The fields of an object, those of all parts of an `allOf` included. */
export function fieldsOf(
  schema: Schema,
  resolve: Resolve,
): readonly { name: string; schema: Schema; required: boolean }[] {
  const whole = resolve(schema);
  const required = new Set(whole.required);
  return [
    ...Object.entries(whole.properties ?? {}).map(([name, field]) => ({
      name,
      schema: field,
      required: required.has(name),
    })),
    ...(whole.allOf ?? []).flatMap((part) => fieldsOf(part, resolve)),
  ];
}

/** The alternatives of a schema; empty for a schema without any. */
export function alternativesOf(schema: Schema, resolve: Resolve): readonly Schema[] {
  const whole = resolve(schema);
  return whole.oneOf ?? whole.anyOf ?? [];
}

/** What a reader calls the type of a schema, such as `array of string`. */
export function typeName(schema: Schema, resolve: Resolve): string {
  const whole = resolve(schema);
  if (whole.const !== undefined) return JSON.stringify(whole.const);
  if (whole.items !== undefined) return `array of ${typeName(whole.items, resolve)}`;
  if (typeof whole.type === "string") return whole.type;
  if (whole.type !== undefined) return whole.type.join(" or ");
  if (alternativesOf(whole, resolve).length > 0) return "one of";
  return whole.properties !== undefined || whole.allOf !== undefined ? "object" : "any";
}

/** The limits of a schema as sentences without a verb, such as `1 to 100 characters`. */
export function limitsOf(schema: Schema, resolve: Resolve): readonly string[] {
  const whole = resolve(schema);
  const limits = [
    range(whole.minLength, whole.maxLength, "characters"),
    range(whole.minItems, whole.maxItems, "items"),
    range(whole.minimum, whole.maximum, ""),
    whole.exclusiveMinimum === undefined ? "" : `above ${whole.exclusiveMinimum}`,
    whole.exclusiveMaximum === undefined ? "" : `below ${whole.exclusiveMaximum}`,
    whole.format ?? "",
    whole.pattern === undefined ? "" : `matches ${whole.pattern}`,
    whole.default === undefined ? "" : `${JSON.stringify(whole.default)} by default`,
  ];
  return limits.filter((limit) => limit !== "");
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const limit =
    from !== undefined && to !== undefined
      ? from === to
        ? `exactly ${from}`
        : `${from} to ${to}`
      : from !== undefined
        ? `at least ${from}`
        : to !== undefined
          ? `at most ${to}`
          : "";
  return limit === "" ? "" : `${limit} ${unit}`.trim();
}

/** A value that fits a schema: its required fields, and for each the first value that its schema names. */
export function sampleOf(schema: Schema, resolve: Resolve, depth = 0): unknown {
  const whole = resolve(schema);
  if (whole.const !== undefined) return whole.const;
  if (whole.default !== undefined) return whole.default;
  if (whole.enum !== undefined) return whole.enum[0];
  const [alternative] = alternativesOf(whole, resolve);
  if (alternative !== undefined) return sampleOf(alternative, resolve, depth);
  const type = typeof whole.type === "string" ? whole.type : whole.type?.[0];
  if (type === "array" || whole.items !== undefined)
    return (whole.minItems ?? 0) > 0 && depth < 4 ? [sampleOf(whole.items ?? {}, resolve, depth + 1)] : [];
  if (type === "integer" || type === "number") return whole.minimum ?? 1;
  if (type === "boolean") return true;
  if (type === "string") return whole.format === "date-time" ? "2026-03-02T12:00:00Z" : "";
  return Object.fromEntries(
    fieldsOf(whole, resolve)
      .filter(({ required }) => required && depth < 4)
      .map((field) => [field.name, sampleOf(field.schema, resolve, depth + 1)]),
  );
}
