// A JSON schema as the comparison needs it: references followed, `allOf` merged, null told apart from the other types.
import { isObject, type JsonObject, listIn, nameOf, objectIn, resolved, stable, textsIn } from "../json.ts";

export interface SchemaFacts {
  /** Null where any type is allowed. */
  readonly types: readonly string[] | null;
  readonly nullable: boolean;
  /** The values allowed, null aside; undefined where any are. */
  readonly values: readonly string[] | undefined;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** Further fields: refused, not mentioned, or allowed as described. */
  readonly further: "refused" | "unsaid" | "allowed";
  readonly furtherSchema: JsonObject;
  readonly items: unknown;
  /** Alternatives besides null; one that stands alone is merged into the rest. */
  readonly alternatives: readonly unknown[];
  /** Keywords that the fields above do not hold. */
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

/** The component that a schema is, null aside. */
export function componentOf(schema: unknown): string | undefined {
  const { oneOf, anyOf } = objectIn(schema);
  const [only, ...others] = [...listIn(oneOf), ...listIn(anyOf)].filter((alternative) => !isNull(alternative));
  return nameOf(schema) ?? (others.length === 0 ? nameOf(only) : undefined);
}

/** References followed and `allOf` merged in; what stands beside it wins. */
function flat(schema: unknown, document: JsonObject, depth = 0): JsonObject {
  const { allOf, ...own } = resolved(schema, document);
  if (!allOf || depth > 32) return own;
  return merge(
    listIn(allOf).reduce<JsonObject>((merged, part) => merge(merged, flat(part, document, depth + 1)), {}),
    own,
  );
}

/** The facts of a schema; `true` and a missing schema allow anything. */
export function factsOf(schema: unknown, document: JsonObject): SchemaFacts {
  let whole = flat(schema, document);
  let alternatives = [...listIn(whole.oneOf), ...listIn(whole.anyOf)];
  const nullAlternative = alternatives.some(isNull);
  alternatives = alternatives.filter((alternative) => !isNull(alternative));
  const { oneOf: _oneOf, anyOf: _anyOf, ...own } = whole;
  whole = own;
  if (alternatives.length === 1) {
    whole = merge(flat(alternatives[0], document), own);
    alternatives = [];
  }
  const { type, enum: allowed, const: only, properties, required, additionalProperties, items, ...rest } = whole;
  const types = type === undefined ? null : typeof type === "string" ? [type] : textsIn(type);
  const values = only !== undefined ? [only] : Array.isArray(allowed) ? (allowed as unknown[]) : undefined;
  const nullByType = types === null ? alternatives.length === 0 : types.includes("null");
  return {
    types: types?.filter((name) => name !== "null") ?? null,
    nullable: nullAlternative || (nullByType && (values === undefined || values.includes(null))),
    values: values?.filter((value) => value !== null).map(stable),
    properties: objectIn(properties),
    required: textsIn(required),
    further: additionalProperties === undefined ? "unsaid" : additionalProperties === false ? "refused" : "allowed",
    furtherSchema: objectIn(additionalProperties),
    items: items ?? {},
    alternatives,
    rest,
  };
}

/** What tells an alternative from the others: its component, the fixed value of one of its fields, its type or all of it. */
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
