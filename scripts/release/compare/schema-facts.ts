// Normalizes a JSON schema for comparison: references resolved, `allOf` merged, null separated from the other types.
import { isObject, type JsonObject, listIn, nameOf, objectIn, resolved, stable, textsIn } from "../json.ts";

export interface SchemaFacts {
  /** Null when any type is allowed. */
  readonly types: readonly string[] | null;
  readonly nullable: boolean;
  /** Allowed values except null; undefined when any value is allowed. */
  readonly values: readonly string[] | undefined;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** The meaning of additionalProperties. */
  readonly further: "refused" | "unspecified" | "allowed";
  readonly furtherSchema: JsonObject;
  readonly items: unknown;
  /** Alternatives except null. A single alternative is merged into the schema instead. */
  readonly alternatives: readonly unknown[];
  /** All other keywords. */
  readonly rest: JsonObject;
}

const isNull = (schema: unknown): boolean => objectIn(schema).type === "null";

const merge = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  ...(isObject(one.properties) || isObject(other.properties)
    ? { properties: { ...objectIn(one.properties), ...objectIn(other.properties) } }
    : {}),
  ...(one.required || other.required
    ? { required: [...new Set([...textsIn(one.required), ...textsIn(other.required)])] }
    : {}),
});

/** The component that a schema refers to, possibly beside null. */
export function componentOf(schema: unknown): string | undefined {
  const { oneOf, anyOf } = objectIn(schema);
  const [only, ...others] = [...listIn(oneOf), ...listIn(anyOf)].filter((alternative) => !isNull(alternative));
  return nameOf(schema) ?? (others.length === 0 ? nameOf(only) : undefined);
}

/** Resolves references and merges `allOf`. Keywords beside `allOf` win. */
function flat(schema: unknown, document: JsonObject, depth = 0): JsonObject {
  const { allOf, ...own } = resolved(schema, document);
  if (!allOf || depth > 32) return own;
  return merge(
    listIn(allOf).reduce<JsonObject>((merged, part) => merge(merged, flat(part, document, depth + 1)), {}),
    own,
  );
}

/** The facts of a schema. `true` and a missing schema allow anything. */
export function factsOf(schema: unknown, document: JsonObject): SchemaFacts {
  const { oneOf, anyOf, ...own } = flat(schema, document);
  const choices = [...listIn(oneOf), ...listIn(anyOf)];
  const others = choices.filter((choice) => !isNull(choice));
  const whole = others.length === 1 ? merge(flat(others[0], document), own) : own;
  const alternatives = others.length === 1 ? [] : others;
  const { type, enum: allowed, const: only, properties, required, additionalProperties, items, ...rest } = whole;
  const types = type === undefined ? null : typeof type === "string" ? [type] : textsIn(type);
  const values = only !== undefined ? [only] : Array.isArray(allowed) ? (allowed as unknown[]) : undefined;
  const nullByType = types === null ? alternatives.length === 0 : types.includes("null");
  return {
    types: types?.filter((name) => name !== "null") ?? null,
    nullable: choices.some(isNull) || (nullByType && (values === undefined || values.includes(null))),
    values: values?.filter((value) => value !== null).map(stable),
    properties: objectIn(properties),
    required: textsIn(required),
    further:
      additionalProperties === undefined ? "unspecified" : additionalProperties === false ? "refused" : "allowed",
    furtherSchema: objectIn(additionalProperties),
    items: items ?? {},
    alternatives,
    rest,
  };
}

/** A label for an alternative: its component, a field with a fixed value, its type, or the whole schema. */
export function labelOf(alternative: unknown, document: JsonObject): string {
  const named = nameOf(alternative);
  if (named) return named;
  const { properties, types } = factsOf(alternative, document);
  for (const [name, property] of Object.entries(properties)) {
    const { values } = factsOf(property, document);
    if (values?.length === 1) return `${name} ${values[0]}`;
  }
  return types?.join(" or ") ?? stable(alternative);
}
