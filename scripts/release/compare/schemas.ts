// Compares two versions of a schema. What customers send must stay accepted; what they receive must stay within what they
// know. Removing a name is breaking in both directions (§9.2).
import { type Bump, type Change, change, changeIf, compareNamed } from "../change.ts";
import {
  isEqual,
  isObject,
  type JsonObject,
  listDifference,
  listIn,
  nameOf,
  objectIn,
  resolved,
  stable,
  textsIn,
} from "../json.ts";

/** Whether customers send or receive the value. */
export type Direction = "sent" | "received";

export interface SchemaPlace {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly direction: Direction;
  /** Path of the value, e.g. `createDestinationGroup body`. Inside a component, the path starts with its name. */
  readonly place: string;
  /** Where customers see the value, e.g. `sent to createDestinationGroup`. */
  readonly usedIn: string;
  /** Pairs being compared further up. They stop the recursion for schemas that contain themselves. */
  readonly within?: ReadonlySet<string>;
}

interface SchemaFacts {
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
  /** The alternatives besides null, where there are at least two. */
  readonly oneOf: readonly unknown[];
  readonly anyOf: readonly unknown[];
  /** All other keywords. */
  readonly rest: JsonObject;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const lowerLimits = words("minimum exclusiveMinimum minLength minItems minProperties");
const upperLimits = words("maximum exclusiveMaximum maxLength maxItems maxProperties");
/** Keywords that only describe. */
const notes = words("title description example examples $comment externalDocs x-assumption x-values-from");
const deepest = 32;

const isNull = (schema: unknown): boolean => objectIn(schema).type === "null";

/** Whether a schema accepts null. */
function acceptsNull(schema: unknown, document: JsonObject, depth = 0): boolean {
  if (typeof schema === "boolean") return schema;
  const { $ref, allOf, oneOf, anyOf, type, enum: listed, const: only } = objectIn(schema);
  if (depth > deepest) return true;
  const accepts = (part: unknown) => acceptsNull(part, document, depth + 1);
  return (
    (type === undefined || type === "null" || textsIn(type).includes("null")) &&
    (!Array.isArray(listed) || listed.includes(null)) &&
    (only === undefined || only === null) &&
    (typeof $ref !== "string" || accepts(resolved({ $ref }, document))) &&
    listIn(allOf).every(accepts) &&
    [oneOf, anyOf].every((alternatives) => !Array.isArray(alternatives) || alternatives.some(accepts))
  );
}

/**
 * What a schema says, with what its reference, its `allOf` and an only alternative say. Two that say different things of one
 * keyword are kept apart in `allOf`, for which there is no rule: then a change is a major.
 */
function together(schema: unknown, document: JsonObject, depth = 0): JsonObject {
  if (schema === false) return { type: [] };
  const { $ref, allOf, oneOf, anyOf, const: only, ...own } = objectIn(schema);
  if (depth > deepest) return own;
  const choices = Object.entries({ oneOf, anyOf }).map(([kind, alternatives]) => {
    const others = listIn(alternatives).filter((alternative) => !isNull(alternative));
    return { kind, others };
  });
  const parts = [
    ...(typeof $ref === "string" ? [resolved({ $ref }, document)] : []),
    ...listIn(allOf),
    ...choices.flatMap(({ others }) => (others.length === 1 ? others : [])),
  ];
  const several = choices.filter(({ others }) => others.length > 1).map(({ kind, others }) => [kind, others] as const);
  const beside = { ...own, ...Object.fromEntries(several), ...(only !== undefined && { enum: [only] }) };
  return [...parts.map((part) => together(part, document, depth + 1)), beside].reduce(both, {});
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...one };
  const apart: JsonObject[] = [];
  for (const [keyword, value] of Object.entries(other)) {
    const known = one[keyword];
    const isAnotherList = keyword === "enum" && one["x-open-enum"] !== other["x-open-enum"];
    if (known === undefined || notes.has(keyword) || (isEqual(known, value) && !isAnotherList)) merged[keyword] = value;
    else if (keyword === "required") merged.required = [...new Set([...textsIn(known), ...textsIn(value)])];
    else if (keyword === "properties") merged.properties = bothFields(objectIn(known), objectIn(value));
    else if (typeof known === "number" && typeof value === "number" && lowerLimits.has(keyword))
      merged[keyword] = Math.max(known, value);
    else if (typeof known === "number" && typeof value === "number" && upperLimits.has(keyword))
      merged[keyword] = Math.min(known, value);
    else apart.push({ [keyword]: value });
  }
  return apart.length === 0 ? merged : { ...merged, allOf: [...listIn(one.allOf), ...apart] };
}

/** A field that two schemas describe is held to both. */
const bothFields = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, schema]) => {
      const known = one[name];
      return [name, known === undefined || isEqual(known, schema) ? schema : { allOf: [known, schema] }];
    }),
  ),
});

/** Facts by document and schema. A schema is compared once for each operation that uses it. */
const known = new WeakMap<JsonObject, WeakMap<JsonObject, SchemaFacts>>();

/** The facts of a schema. `true` and a missing schema allow anything. */
function factsOf(schema: unknown, document: JsonObject): SchemaFacts {
  if (!isObject(schema)) return readFacts(schema, document);
  const ofDocument = known.get(document) ?? new WeakMap<JsonObject, SchemaFacts>();
  known.set(document, ofDocument);
  const facts = ofDocument.get(schema) ?? readFacts(schema, document);
  ofDocument.set(schema, facts);
  return facts;
}

function readFacts(schema: unknown, document: JsonObject): SchemaFacts {
  const {
    type,
    enum: values,
    properties,
    required,
    additionalProperties,
    items,
    oneOf,
    anyOf,
    ...rest
  } = together(schema, document);
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
    oneOf: listIn(oneOf),
    anyOf: listIn(anyOf),
    rest,
  };
}

/** The component that a schema refers to, possibly beside null and descriptions. */
function componentOf(schema: unknown): string | undefined {
  const { $ref, oneOf, anyOf, ...beside } = objectIn(schema);
  if ($ref !== undefined)
    return Object.keys(beside).every((keyword) => notes.has(keyword)) ? nameOf(schema) : undefined;
  const [only, ...others] = [...listIn(oneOf), ...listIn(anyOf)].filter((alternative) => !isNull(alternative));
  return others.length === 0 ? nameOf(only) : undefined;
}

/** A label for an alternative: its component, a field with a fixed value, its type, or the whole schema. */
function labelOf(alternative: unknown, document: JsonObject): string {
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
function expanded(value: unknown, document: JsonObject, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => expanded(one, document, within));
  if (!isObject(value)) return value;
  const { $ref, ...own } = value;
  const beside = Object.fromEntries(Object.entries(own).map(([key, one]) => [key, expanded(one, document, within)]));
  if (typeof $ref !== "string" || within.includes($ref)) return { ...($ref !== undefined && { $ref }), ...beside };
  return { ...beside, $ref: expanded(resolved({ $ref }, document), document, [...within, $ref]) };
}

const shown = (value: unknown): string =>
  value === undefined ? "none" : typeof value === "string" ? value : stable(value);

/** Fewer values are allowed: breaks customers who send the value. */
const narrowed = (at: SchemaPlace): Bump => (at.direction === "sent" ? "major" : "minor");

/** More values are allowed: may surprise customers who receive the value. */
const widened = (at: SchemaPlace): Bump => (at.direction === "sent" ? "minor" : "major");

export const changeAt = (at: SchemaPlace, bump: Bump, message: string): Change =>
  change(bump, at.place, message, at.usedIn);

/** Every change between two schemas. */
export function compareSchemas(before: unknown, after: unknown, at: SchemaPlace): Change[] {
  const pair = `${stable(before)} → ${stable(after)}`;
  if (at.within?.has(pair)) return [];
  const name = componentOf(after);
  const place = name && name === componentOf(before) ? name : at.place;
  const inside: SchemaPlace = { ...at, place, within: new Set([...(at.within ?? []), pair]) };
  const [was, is] = [factsOf(before, at.before), factsOf(after, at.after)];
  return [
    ...changeIf(!was.nullable && is.nullable, widened(at), place, "may now be null", at.usedIn),
    ...changeIf(was.nullable && !is.nullable, narrowed(at), place, "may no longer be null", at.usedIn),
    ...compareTypes(was, is, inside),
    ...compareValues(was, is, inside),
    ...compareFields(was, is, inside),
    ...compareFurtherFields(was, is, inside),
    ...compareInner(was.items, is.items, { ...inside, place: `${place}[]` }),
    ...(["oneOf", "anyOf"] as const).flatMap((kind) => compareAlternatives(kind, was[kind], is[kind], inside)),
    ...Object.keys({ ...was.rest, ...is.rest }).flatMap((keyword) =>
      compareKeyword(keyword, was.rest[keyword], is.rest[keyword], inside),
    ),
  ];
}

/** Compares item or field schemas. Two empty schemas are equal. */
const compareInner = (before: unknown, after: unknown, at: SchemaPlace): Change[] =>
  isEqual(before, {}) && isEqual(after, {}) ? [] : compareSchemas(before, after, at);

const typeNames = ({ types }: SchemaFacts): string => (types === null ? "any" : types.join(" or ") || "none");

function compareTypes(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const includes = ({ types }: SchemaFacts, type: string) =>
    types === null || types.includes(type) || (type === "integer" && types.includes("number"));
  const covers = (one: SchemaFacts, other: SchemaFacts) =>
    one.types === null || (other.types?.every((type) => includes(one, type)) ?? false);
  const message = `type ${typeNames(was)} is now ${typeNames(is)}`;
  const [keepsAll, addsNone] = [covers(is, was), covers(was, is)];
  if (keepsAll && addsNone) return [];
  if (keepsAll) return [changeAt(at, widened(at), `widened: ${message}`)];
  return [addsNone ? changeAt(at, narrowed(at), `narrowed: ${message}`) : changeAt(at, "major", `changed: ${message}`)];
}

function compareValues(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const [wasOpen, isOpen] = [was, is].map(({ rest }) => rest["x-open-enum"] === true);
  const opened = wasOpen === isOpen ? [] : [changeAt(at, "major", `the enum is now ${isOpen ? "open" : "closed"}`)];
  if (!was.values && !is.values) return opened;
  if (!was.values) return [...opened, changeAt(at, narrowed(at), `narrowed to the values ${is.values?.join(", ")}`)];
  if (!is.values) return [...opened, changeAt(at, widened(at), "no longer limited to listed values")];
  const { added, removed } = listDifference(was.values, is.values);
  // Clients that receive an open enum already expect unknown values.
  const isSafe = at.direction === "sent" || (wasOpen && isOpen);
  return [
    ...opened,
    ...added.map((value) =>
      isSafe
        ? changeAt(at, "minor", `value ${value} was added`)
        : changeAt(at, "major", `value ${value} was added to a closed enum`),
    ),
    ...removed.map((value) => changeAt(at, "major", `value ${value} was removed`)),
  ];
}

function compareFields(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const names = [...Object.keys({ ...was.properties, ...is.properties }), ...was.required, ...is.required];
  return [...new Set(names)].flatMap((name) => {
    const field = { ...at, place: `${at.place}.${name}` };
    const [before, after] = [was.properties[name], is.properties[name]];
    const isRequired = is.required.includes(name);
    const [had, has] = [before, after].map((schema) => schema !== undefined && schema !== false);
    if (had && !has) return [changeAt(field, "major", "the field was removed")];
    if (!had && has) {
      const bump = isRequired && at.direction === "sent" ? "major" : "minor";
      return [changeAt(field, bump, `${isRequired ? "a required" : "an optional"} field was added`)];
    }
    if (!had && before !== after) {
      const isRefused = after === false;
      return [changeAt(field, isRefused ? narrowed(at) : widened(at), `is ${isRefused ? "now" : "no longer"} refused`)];
    }
    const becomes = isRequired
      ? changeAt(field, narrowed(at), "is now required")
      : changeAt(field, widened(at), "is now optional");
    return [...(was.required.includes(name) === isRequired ? [] : [becomes]), ...compareSchemas(before, after, field)];
  });
}

/** What a schema may say about further fields, from the strictest on, and the message for a change to it. */
const furtherFields = {
  refused: "further fields are now refused",
  unspecified: "further fields are no longer mentioned",
  allowed: "further fields are now allowed",
};

function compareFurtherFields(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  if (was.further === is.further)
    return compareInner(was.furtherSchema, is.furtherSchema, { ...at, place: `${at.place}.*` });
  const order = Object.keys(furtherFields);
  const opens = order.indexOf(is.further) > order.indexOf(was.further);
  // Types of open fields allow reads and writes by any name, so closing them breaks both directions.
  const bump = opens ? "minor" : was.further === "allowed" ? "major" : narrowed(at);
  return [changeAt(at, bump, furtherFields[is.further])];
}

function compareAlternatives(
  kind: "oneOf" | "anyOf",
  was: readonly unknown[],
  is: readonly unknown[],
  at: SchemaPlace,
): Change[] {
  if (was.length === 0 && is.length > 0) return [changeAt(at, narrowed(at), `${kind} was added`)];
  if (was.length > 0 && is.length === 0) return [changeAt(at, widened(at), `${kind} was removed`)];
  return compareNamed(labelled(was, at.before), labelled(is, at.after), {
    removed: (label) => changeAt(at, "major", `the alternative ${label} was removed`),
    added: (label) => changeAt(at, widened(at), `the alternative ${label} was added`),
    kept: (old, now, label) => compareSchemas(old, now, { ...at, place: `${at.place} (${label})` }),
  });
}

/** Alternatives by label. Equal labels get a number. */
function labelled(alternatives: readonly unknown[], document: JsonObject): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const each of alternatives) {
    const label = labelOf(each, document);
    let own = label;
    for (let count = 2; found.has(own); count += 1) own = `${label} (${count})`;
    found.set(own, each);
  }
  return found;
}

function compareKeyword(keyword: string, before: unknown, after: unknown, at: SchemaPlace): Change[] {
  if (keyword === "x-open-enum") return [];
  if (isEqual(before, after)) return compareReferences(keyword, before, after, at);
  if (notes.has(keyword)) return [changeAt(at, "patch", `${keyword} was reworded`)];
  const message = `${keyword} ${shown(before)} is now ${shown(after)}`;
  if (keyword === "deprecated") return [changeAt(at, "minor", message)];
  if (keyword === "default") {
    if (at.direction === "received") return [changeAt(at, "patch", message)];
    return before === undefined
      ? [changeAt(at, "minor", `default ${shown(after)} was added`)]
      : [changeAt(at, "major", message)];
  }
  const tightens = isTighter(keyword, before, after);
  if (tightens === undefined) return [changeAt(at, "major", `${message}, and there is no rule for it`)];
  return tightens
    ? [changeAt(at, narrowed(at), `limit tightened: ${message}`)]
    : [changeAt(at, widened(at), `limit loosened: ${message}`)];
}

/** Compares schemas in keywords without a rule, such as `not` and `contains`, by what they refer to. */
function compareReferences(keyword: string, before: unknown, after: unknown, at: SchemaPlace): Change[] {
  if (!stable(before).includes('"$ref"') || isEqual(expanded(before, at.before), expanded(after, at.after))) return [];
  return [changeAt(at, "major", `a schema in ${keyword} changed, and there is no rule for it`)];
}

/** Whether a keyword allows less than before; undefined when that is unknown. */
function isTighter(keyword: string, before: unknown, after: unknown): boolean | undefined {
  const isLimit = lowerLimits.has(keyword) || upperLimits.has(keyword);
  if (keyword === "uniqueItems") return after === true;
  if (typeof before === "number" && typeof after === "number") {
    if (isLimit) return lowerLimits.has(keyword) ? after > before : after < before;
    if (keyword === "multipleOf" && after % before === 0) return true;
    if (keyword === "multipleOf" && before % after === 0) return false;
  }
  if (!isLimit && !["pattern", "format", "multipleOf"].includes(keyword)) return undefined;
  if (before === undefined) return true;
  return after === undefined ? false : undefined;
}

/** The schema of a parameter, header or media type; an empty schema allows anything. */
export const schemaOf = (holder: unknown): unknown => objectIn(holder).schema ?? {};
