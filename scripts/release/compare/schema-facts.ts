// Normalizes a JSON schema for comparison: siblings intersected, null separated from the other types.
import { isObject, type JsonObject, listIn, nameOf, objectIn, resolved, stable, textsIn } from "../json.ts";
import { AllOf, acceptsNull, type Choice, conjunctionOf, isNull, notes } from "./intersection.ts";

export interface SchemaFacts {
  /** Null when any type is allowed. Empty when no value but null is. */
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
  /** Choices with at least two alternatives besides null. */
  readonly choices: readonly Choice[];
  /** All other keywords. */
  readonly rest: JsonObject;
}

/** The component that a schema refers to, possibly beside null and descriptions. */
export function componentOf(schema: unknown): string | undefined {
  const { $ref, oneOf, anyOf, ...beside } = objectIn(schema);
  if ($ref !== undefined)
    return Object.keys(beside).every((keyword) => notes.has(keyword)) ? nameOf(schema) : undefined;
  const [only, ...others] = [...listIn(oneOf), ...listIn(anyOf)].filter((alternative) => !isNull(alternative));
  return others.length === 0 ? nameOf(only) : undefined;
}

/** Facts by document and schema. A schema is compared once for each operation that uses it. */
const known = new WeakMap<JsonObject, WeakMap<JsonObject, SchemaFacts>>();

/** The facts of a schema. `true` and a missing schema allow anything. */
export function factsOf(schema: unknown, document: JsonObject): SchemaFacts {
  if (!isObject(schema)) return readFacts(schema, document);
  const ofDocument = known.get(document) ?? new WeakMap<JsonObject, SchemaFacts>();
  known.set(document, ofDocument);
  const facts = ofDocument.get(schema) ?? readFacts(schema, document);
  ofDocument.set(schema, facts);
  return facts;
}

function readFacts(schema: unknown, document: JsonObject): SchemaFacts {
  const { keywords, choices } = conjunctionOf(schema, document);
  const { type, enum: values, properties, required, additionalProperties, items, ...rest } = keywords;
  const types = type === undefined ? null : typeof type === "string" ? [type] : textsIn(type);
  return {
    types: types?.filter((name) => name !== "null") ?? null,
    nullable: acceptsNull(schema, document),
    values: Array.isArray(values) ? values.filter((value) => value !== null).map(stable) : undefined,
    properties: objectIn(properties),
    required: textsIn(required),
    further:
      additionalProperties === undefined ? "unspecified" : additionalProperties === false ? "refused" : "allowed",
    furtherSchema: objectIn(additionalProperties),
    items: items ?? {},
    choices,
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

/** A value of a keyword with its references replaced by what they refer to. A reference to itself stays. */
export function expanded(value: unknown, document: JsonObject, within: readonly string[] = []): unknown {
  if (value instanceof AllOf) return value.values.map((one) => expanded(one, document, within));
  if (Array.isArray(value)) return value.map((one: unknown) => expanded(one, document, within));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...own } = objectIn(value);
  const beside = Object.fromEntries(Object.entries(own).map(([key, one]) => [key, expanded(one, document, within)]));
  if (typeof $ref !== "string" || within.includes($ref)) return { ...($ref !== undefined && { $ref }), ...beside };
  return { ...beside, $ref: expanded(resolved({ $ref }, document), document, [...within, $ref]) };
}
