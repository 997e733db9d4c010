// Reduces a schema, its reference, its `allOf` members and the keywords beside them to one set of keywords that accepts the
// same values.
import { isEqual, isObject, type JsonObject, listIn, objectIn, resolved, stable, textsIn } from "../json.ts";

/** Alternatives of a `oneOf` or `anyOf`. */
export interface Choice {
  readonly kind: "oneOf" | "anyOf";
  readonly alternatives: readonly unknown[];
}

/** What must hold for a value at the same time: all keywords, and each of the choices. */
export interface Conjunction {
  /** Keywords except `$ref`, `allOf`, `oneOf`, `anyOf` and `const`, which counts as an `enum` of one value. */
  readonly keywords: JsonObject;
  readonly choices: readonly Choice[];
}

export const lowerLimits: ReadonlySet<string> = new Set(
  "minimum exclusiveMinimum minLength minItems minProperties".split(" "),
);
export const upperLimits: ReadonlySet<string> = new Set(
  "maximum exclusiveMaximum maxLength maxItems maxProperties".split(" "),
);

/** Keywords that only describe. Where siblings differ, the last one counts. */
export const notes: ReadonlySet<string> = new Set(
  "title description example examples $comment externalDocs x-assumption x-values-from".split(" "),
);
const lastCounts: ReadonlySet<string> = new Set([...notes, "default", "deprecated"]);

const nothing: JsonObject = { type: [] };
const deepest = 32;

/** The conjunction of a schema. Follows references. */
export function conjunctionOf(schema: unknown, document: JsonObject, depth = 0): Conjunction {
  if (schema === false) return { keywords: nothing, choices: [] };
  const { $ref, allOf, oneOf, anyOf, const: only, ...own } = objectIn(schema);
  if (depth > deepest) return { keywords: own, choices: [] };
  const parts = [...(typeof $ref === "string" ? [resolved({ $ref }, document)] : []), ...listIn(allOf)];
  const inner = parts.map((part) => conjunctionOf(part, document, depth + 1));
  const choices = [choiceOf("oneOf", oneOf), choiceOf("anyOf", anyOf)].filter((choice) => choice !== undefined);
  const listed = only === undefined ? [] : [{ keywords: { enum: [only] }, choices: [] }];
  return [...inner, { keywords: own, choices }, ...listed]
    .map((part) => withOnlyAlternatives(part, document, depth))
    .reduce(both, { keywords: {}, choices: [] });
}

const choiceOf = (kind: Choice["kind"], alternatives: unknown): Choice | undefined =>
  Array.isArray(alternatives) ? { kind, alternatives } : undefined;

export const isNull = (schema: unknown): boolean => objectIn(schema).type === "null";

/** Whether a schema accepts null. */
export function acceptsNull(schema: unknown, document: JsonObject, depth = 0): boolean {
  if (typeof schema === "boolean") return schema;
  const { $ref, allOf, oneOf, anyOf, type, enum: listed, const: only } = objectIn(schema);
  if (depth > deepest) return true;
  const accepts = (part: unknown) => acceptsNull(part, document, depth + 1);
  return (
    (type === undefined || typesIn(type).includes("null")) &&
    (!Array.isArray(listed) || listed.includes(null)) &&
    (only === undefined || only === null) &&
    (typeof $ref !== "string" || accepts(resolved({ $ref }, document))) &&
    listIn(allOf).every(accepts) &&
    [oneOf, anyOf].every((alternatives) => !Array.isArray(alternatives) || alternatives.some(accepts))
  );
}

/** A choice with one alternative besides null is no choice: the alternative must hold. */
function withOnlyAlternatives(part: Conjunction, document: JsonObject, depth: number): Conjunction {
  const choices = part.choices.map(({ kind, alternatives }) => ({
    kind,
    alternatives: alternatives.filter((alternative) => !isNull(alternative)),
  }));
  return choices
    .flatMap(({ alternatives: [only, ...others] }) => (others.length === 0 ? [only ?? false] : []))
    .map((only) => conjunctionOf(only, document, depth + 1))
    .reduce((one, other) => both(other, one), {
      keywords: part.keywords,
      choices: choices.filter(({ alternatives }) => alternatives.length > 1),
    });
}

function both(one: Conjunction, other: Conjunction): Conjunction {
  const choices = new Map([...one.choices, ...other.choices].map((choice) => [stable(choice), choice]));
  const [a, b] = [one.keywords, other.keywords];
  const names = Object.keys({ ...a, ...b }).filter((name) => !fieldKeywords.has(name));
  const keywords = names.map((name): [string, unknown] => {
    if (!(name in a)) return [name, b[name]];
    return [name, name in b ? bothValues(name, a[name], b[name]) : a[name]];
  });
  return {
    keywords: { ...withoutWeakerLimits(Object.fromEntries(keywords)), ...opennessOf(a, b), ...fieldsOf(a, b) },
    choices: [...choices.values()].sort((x, y) => (stable(x) < stable(y) ? -1 : 1)),
  };
}

/** The value of a keyword that two siblings have. */
function bothValues(name: string, one: unknown, other: unknown): unknown {
  if (isEqual(one, other) || lastCounts.has(name)) return other;
  if (name === "type") return bothTypes(one, other);
  if (name === "enum")
    return listIn(one).filter((value) => listIn(other).some((candidate) => isEqual(candidate, value)));
  if (name === "items" || name === "propertyNames") return bothSchemas(one, other);
  if (name === "uniqueItems") return one === true || other === true;
  if (typeof one === "number" && typeof other === "number") {
    if (lowerLimits.has(name)) return Math.max(one, other);
    if (upperLimits.has(name)) return Math.min(one, other);
    if (name === "multipleOf" && Number.isInteger(one) && Number.isInteger(other)) return commonMultiple(one, other);
  }
  return new AllOf([...partsOf(one), ...partsOf(other)]);
}

/** Values of a keyword that siblings have and that cannot be merged, such as two patterns. */
export class AllOf {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    const distinct = new Map(values.map((value) => [stable(value), value]));
    this.values = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  }
}

/** The values that a keyword demands; none if it is missing. */
export const partsOf = (value: unknown): readonly unknown[] =>
  value instanceof AllOf ? value.values : value === undefined ? [] : [value];

const typesIn = (type: unknown): readonly string[] => (typeof type === "string" ? [type] : textsIn(type));

function bothTypes(one: unknown, other: unknown): string[] {
  const [types, others] = [typesIn(one), typesIn(other)];
  const isAllowed = (type: string, by: readonly string[]) =>
    by.includes(type) || (type === "integer" && by.includes("number"));
  const kept = [...types.filter((type) => isAllowed(type, others)), ...others.filter((type) => isAllowed(type, types))];
  return [...new Set(kept)];
}

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
const commonMultiple = (one: number, other: number): number => (one / divisor(one, other)) * other;

/** One schema that demands two. Equal demands in another order give an equal schema. */
function bothSchemas(one: unknown, other: unknown): unknown {
  const membersOf = (schema: unknown): readonly unknown[] => {
    const { allOf, ...own } = objectIn(schema);
    if (schema === true) return [];
    return isObject(schema) && Array.isArray(allOf) && Object.keys(own).length === 0 ? allOf : [schema];
  };
  const members = new AllOf([...membersOf(one), ...membersOf(other)].filter((schema) => !isEqual(schema, {}))).values;
  return members.length > 1 ? { allOf: members } : (members[0] ?? {});
}

/** Drops `minimum` where `exclusiveMinimum` is at least as strict, and the reverse. The same for the maximum. */
function withoutWeakerLimits(keywords: JsonObject): JsonObject {
  const { minimum: low, exclusiveMinimum: above, maximum: high, exclusiveMaximum: below } = keywords;
  const weaker = new Set<string>();
  if (typeof low === "number" && typeof above === "number") weaker.add(above >= low ? "minimum" : "exclusiveMinimum");
  if (typeof high === "number" && typeof below === "number") weaker.add(below <= high ? "maximum" : "exclusiveMaximum");
  return weaker.size === 0
    ? keywords
    : Object.fromEntries(Object.entries(keywords).filter(([name]) => !weaker.has(name)));
}

/** Where both siblings list values, the enum is open only if both lists are. */
function opennessOf(one: JsonObject, other: JsonObject): JsonObject {
  const marks = [one, other].map((part) => part["x-open-enum"] === true);
  const isOpen = one.enum !== undefined && other.enum !== undefined ? !marks.includes(false) : marks.includes(true);
  return isOpen ? { "x-open-enum": true } : {};
}

const fieldKeywords: ReadonlySet<string> = new Set(
  "properties required additionalProperties patternProperties x-open-enum".split(" "),
);

/** The fields of two siblings. Each sibling's `additionalProperties` holds for the fields that only the other names. */
function fieldsOf(one: JsonObject, other: JsonObject): JsonObject {
  const names = Object.keys({ ...objectIn(one.properties), ...objectIn(other.properties) });
  const properties = names.flatMap((name): [string, unknown][] => {
    const schemas = [one, other].flatMap((part) => schemasFor(name, part));
    if (schemas.includes(refused)) return [];
    return [[name, schemas.includes(false) ? false : schemas.reduce(bothSchemas, {})]];
  });
  const required = [...new Set([...textsIn(one.required), ...textsIn(other.required)])];
  const [further, otherFurther] = [one.additionalProperties, other.additionalProperties];
  const additional = [further, otherFurther].includes(false)
    ? false
    : further === undefined || otherFurther === undefined || isEqual(further, otherFurther)
      ? (further ?? otherFurther)
      : bothSchemas(further, otherFurther);
  const patterns = Object.keys({ ...objectIn(one.patternProperties), ...objectIn(other.patternProperties) });
  const patternProperties = patterns.map((pattern): [string, unknown] => [
    pattern,
    [one, other].map((part) => objectIn(part.patternProperties)[pattern] ?? true).reduce(bothSchemas, true),
  ]);
  return {
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
    ...(patternProperties.length > 0 ? { patternProperties: Object.fromEntries(patternProperties) } : {}),
  };
}

/** Marks a field that a sibling refuses without naming it. */
const refused = Symbol("refused");

/** What one sibling demands of a field: by its name, or by `additionalProperties`. */
function schemasFor(name: string, { properties, additionalProperties, patternProperties }: JsonObject): unknown[] {
  const named = objectIn(properties)[name];
  if (named !== undefined) return [named];
  // A field that a pattern covers is not additional.
  if (Object.keys(objectIn(patternProperties)).some((pattern) => new RegExp(pattern, "u").test(name))) return [];
  if (additionalProperties === false) return [refused];
  return additionalProperties === undefined || additionalProperties === true ? [] : [additionalProperties];
}
