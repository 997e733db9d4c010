// Compares two versions of a schema. What customers send must stay accepted; what they receive must stay within what they
// know. Removing a name is breaking in both directions (§9.2).
import { type Bump, type Change, change, compareNamed } from "../change.ts";
import {
  isEqual,
  isObject,
  type JsonObject,
  listDifference,
  listIn,
  mapIn,
  nameOf,
  objectIn,
  resolved,
  stable,
  textsIn,
} from "../json.ts";

export interface SchemaPlace {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Whether customers send or receive the value. */
  readonly direction: "sent" | "received";
  /** Path of the value, e.g. `createDestinationGroup body`. Inside a component, the path starts with its name. */
  readonly place: string;
  /** Where customers see the value, e.g. `sent to createDestinationGroup`. */
  readonly usedIn: string;
  /** Pairs being compared further up. They stop the recursion for schemas that contain themselves. */
  readonly within?: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const lowerLimits = words("minimum exclusiveMinimum minLength minItems minProperties");
const upperLimits = words("maximum exclusiveMaximum maxLength maxItems maxProperties");
/** Keywords that only describe. */
const notes = words("title description example examples $comment externalDocs x-assumption x-values-from");
/** Keywords whose values do not count where another one is compared. */
const comparedTogether = words("required x-open-enum");
const deepest = 32;

const isNull = (schema: unknown): boolean => objectIn(schema).type === "null";
const typesOf = (type: unknown): readonly string[] => (typeof type === "string" ? [type] : textsIn(type));

/**
 * What a schema says, with what its reference, its `allOf` and an only alternative say. Two that say different things of one
 * keyword are kept apart in `allOf`, for which there is no rule: then a change is a major.
 */
function together(schema: unknown, document: JsonObject, depth = 0): JsonObject {
  if (schema === false) return { type: [] };
  const { $ref, allOf, oneOf, anyOf, const: only, ...own } = objectIn(schema);
  if (depth > deepest) return own;
  const referred = [...(typeof $ref === "string" ? [resolved({ $ref }, document)] : []), ...listIn(allOf)];
  const parts = referred.map((part) => together(part, document, depth + 1));
  const several: Record<string, unknown> = {};
  for (const [kind, alternatives] of Object.entries({ oneOf, anyOf })) {
    const others = listIn(alternatives).filter((alternative) => !isNull(alternative));
    if (others.length > 1) several[kind] = alternatives;
    if (others.length !== 1) continue;
    const { type, ...single } = together(others[0], document, depth + 1);
    const isNullable = others.length < listIn(alternatives).length && type !== undefined;
    parts.push({ ...single, ...(type !== undefined && { type: isNullable ? [...typesOf(type), "null"] : type }) });
  }
  const values = only === undefined ? {} : { enum: [only] };
  return [...parts, { ...own, ...several, ...values }].reduce(both, {});
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
    else if (lowerLimits.has(keyword)) merged[keyword] = Math.max(Number(known), Number(value));
    else if (upperLimits.has(keyword)) merged[keyword] = Math.min(Number(known), Number(value));
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

/** The component that a schema refers to, possibly beside null and descriptions. */
function componentOf(schema: unknown): string | undefined {
  const { $ref, oneOf, anyOf, ...beside } = objectIn(schema);
  if ($ref !== undefined)
    return Object.keys(beside).every((keyword) => notes.has(keyword)) ? nameOf(schema) : undefined;
  const [only, ...others] = [...listIn(oneOf), ...listIn(anyOf)].filter((alternative) => !isNull(alternative));
  return others.length === 0 ? nameOf(only) : undefined;
}

/** Alternatives by a label: the component, a field with a fixed value, the type, or the whole schema. Equal labels get a number. */
function labelled(alternatives: unknown, document: JsonObject): Map<string, unknown> {
  const labelOf = (alternative: unknown): string => {
    const { properties, type } = together(alternative, document);
    const fixed = [...mapIn(properties)].flatMap(([name, property]) => {
      const values = listIn(together(property, document).enum);
      return values.length === 1 ? [`${name} ${stable(values[0])}`] : [];
    });
    return nameOf(alternative) ?? fixed[0] ?? (typesOf(type).join(" or ") || stable(alternative));
  };
  const found = new Map<string, unknown>();
  for (const each of listIn(alternatives)) {
    const label = labelOf(each);
    let own = label;
    for (let count = 2; found.has(own); count += 1) own = `${label} (${count})`;
    found.set(own, each);
  }
  return found;
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

/** Every change between two schemas. `true` and a missing schema allow anything. */
export function compareSchemas(before: unknown, after: unknown, at: SchemaPlace): Change[] {
  const pair = `${stable(before)} → ${stable(after)}`;
  if (at.within?.has(pair)) return [];
  const name = componentOf(after);
  const place = name && name === componentOf(before) ? name : at.place;
  const inside: SchemaPlace = { ...at, place, within: new Set([...(at.within ?? []), pair]) };
  const [was, is] = [together(before, at.before), together(after, at.after)];
  return [
    ...compareFields(was, is, inside),
    ...Object.keys({ ...was, ...is })
      .filter((keyword) => !comparedTogether.has(keyword))
      .flatMap((keyword) => compareKeyword(keyword, was, is, inside)),
    ...compareOpenness(was, is, inside),
  ];
}

function compareFields(was: JsonObject, is: JsonObject, at: SchemaPlace): Change[] {
  const [fields, others] = [objectIn(was.properties), objectIn(is.properties)];
  const [required, requiredNow] = [textsIn(was.required), textsIn(is.required)];
  const names = new Set([...Object.keys({ ...fields, ...others }), ...required, ...requiredNow]);
  return [...names].flatMap((name) => {
    const field = { ...at, place: `${at.place}.${name}` };
    const [before, after] = [fields[name], others[name]];
    const isRequired = requiredNow.includes(name);
    const [had, has] = [before, after].map((schema) => schema !== undefined && schema !== false);
    if (had && !has) return [changeAt(field, "major", "the field was removed")];
    if (!had && has) {
      const bump = isRequired && at.direction === "sent" ? "major" : "minor";
      return [changeAt(field, bump, `${isRequired ? "a required" : "an optional"} field was added`)];
    }
    if (!had && before !== after)
      return [changeAt(field, after === false ? narrowed(at) : widened(at), `${shown(before)} is now ${shown(after)}`)];
    const becomes = isRequired
      ? changeAt(field, narrowed(at), "is now required")
      : changeAt(field, widened(at), "is now optional");
    return [...(required.includes(name) === isRequired ? [] : [becomes]), ...compareSchemas(before, after, field)];
  });
}

function compareKeyword(keyword: string, was: JsonObject, is: JsonObject, at: SchemaPlace): Change[] {
  const [before, after] = [was[keyword], is[keyword]];
  if (keyword === "properties") return [];
  if (keyword === "items") return compareSchemas(before ?? {}, after ?? {}, { ...at, place: `${at.place}[]` });
  if (keyword === "oneOf" || keyword === "anyOf") return compareAlternatives(keyword, before, after, at);
  if (keyword === "additionalProperties" && isObject(before) && isObject(after))
    return compareSchemas(before, after, { ...at, place: `${at.place}.*` });
  if (isEqual(before, after)) {
    // Schemas in keywords without a rule, such as `not`, are compared by what they refer to.
    if (!stable(before).includes('"$ref"') || isEqual(expanded(before, at.before), expanded(after, at.after)))
      return [];
    return [changeAt(at, "major", `a schema in ${keyword} changed, and there is no rule for it`)];
  }
  const message = `${keyword} ${shown(before)} is now ${shown(after)}`;
  if (notes.has(keyword)) return [changeAt(at, "patch", `${keyword} was reworded`)];
  if (keyword === "deprecated") return [changeAt(at, "minor", message)];
  if (keyword === "default") {
    const bump = at.direction === "received" ? "patch" : before === undefined ? "minor" : "major";
    return [changeAt(at, bump, message)];
  }
  if (keyword === "enum" && before !== undefined && after !== undefined) return compareValues(was, is, at);
  // Types of open fields allow reads and writes by any name, so closing them breaks both directions.
  if (keyword === "additionalProperties" && before !== undefined && before !== false)
    return [changeAt(at, "major", message)];
  const tightens = isTighter(keyword, before, after);
  if (tightens === undefined) return [changeAt(at, "major", `${message}, and there is no rule for it`)];
  if (keyword === "additionalProperties" && !tightens) return [changeAt(at, "minor", message)];
  return [changeAt(at, tightens ? narrowed(at) : widened(at), `${tightens ? "tightened" : "loosened"}: ${message}`)];
}

/** Whether a keyword allows less than before; undefined when that is unknown. */
function isTighter(keyword: string, before: unknown, after: unknown): boolean | undefined {
  if (keyword === "uniqueItems") return after === true;
  if (keyword === "additionalProperties") return before === undefined ? after === false : false;
  if (keyword === "type" && before !== undefined && after !== undefined) {
    const [types, others] = [typesOf(before), typesOf(after)];
    const covers = (one: readonly string[], other: readonly string[]): boolean =>
      other.every((type) => one.includes(type) || (type === "integer" && one.includes("number")));
    return covers(types, others) ? true : covers(others, types) ? false : undefined;
  }
  if (typeof before === "number" && typeof after === "number") {
    if (lowerLimits.has(keyword)) return after > before;
    if (upperLimits.has(keyword)) return after < before;
    if (keyword === "multipleOf" && after % before === 0) return true;
    if (keyword === "multipleOf" && before % after === 0) return false;
  }
  const isRule = lowerLimits.has(keyword) || upperLimits.has(keyword);
  if (!isRule && !["pattern", "format", "multipleOf", "type", "enum"].includes(keyword)) return undefined;
  if (before === undefined) return true;
  return after === undefined ? false : undefined;
}

function compareValues(was: JsonObject, is: JsonObject, at: SchemaPlace): Change[] {
  const [values, valuesNow] = [was, is].map(({ enum: listed }) => listIn(listed).map(stable));
  const { added, removed } = listDifference(values ?? [], valuesNow ?? []);
  // Clients that receive an open enum already expect unknown values.
  const isSafe = at.direction === "sent" || (was["x-open-enum"] === true && is["x-open-enum"] === true);
  const where = isSafe ? "" : " to a closed enum";
  return [
    ...added.map((value) => changeAt(at, isSafe ? "minor" : "major", `value ${value} was added${where}`)),
    ...removed.map((value) => changeAt(at, "major", `value ${value} was removed`)),
  ];
}

function compareOpenness(was: JsonObject, is: JsonObject, at: SchemaPlace): Change[] {
  const isOpen = is["x-open-enum"] === true;
  if ((was["x-open-enum"] === true) === isOpen) return [];
  return [changeAt(at, "major", `the enum is now ${isOpen ? "open" : "closed"}`)];
}

function compareAlternatives(kind: string, was: unknown, is: unknown, at: SchemaPlace): Change[] {
  if (was === undefined) return [changeAt(at, narrowed(at), `${kind} was added`)];
  if (is === undefined) return [changeAt(at, widened(at), `${kind} was removed`)];
  return compareNamed(labelled(was, at.before), labelled(is, at.after), {
    removed: (label) => changeAt(at, "major", `the alternative ${label} was removed`),
    added: (label) => changeAt(at, widened(at), `the alternative ${label} was added`),
    kept: (old, now, label) => compareSchemas(old, now, { ...at, place: `${at.place} (${label})` }),
  });
}

/** The schema of a parameter, header or media type; an empty schema allows anything. */
export const schemaOf = (holder: unknown): unknown => objectIn(holder).schema ?? {};
