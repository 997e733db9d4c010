// Compares two versions of a schema. What customers send must stay accepted; what they receive must stay within what they
// know. Removing a name is breaking in both directions (§9.2).
import { type Bump, type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, type JsonObject, listDifference, objectIn, stable } from "../json.ts";
import { componentOf, factsOf, labelOf, type SchemaFacts } from "./schema-facts.ts";

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

/** Keywords that only describe. */
const notes: ReadonlySet<string> = new Set(
  "title description example examples $comment externalDocs x-assumption x-values-from".split(" "),
);
const lowerLimits: ReadonlySet<string> = new Set(
  "minimum exclusiveMinimum minLength minItems minProperties".split(" "),
);
const upperLimits: ReadonlySet<string> = new Set(
  "maximum exclusiveMaximum maxLength maxItems maxProperties".split(" "),
);

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
  const isChoice = (facts: SchemaFacts): boolean => facts.alternatives.length > 1;
  // When only one side is a choice, the other side counts as one of its alternatives.
  const alternativesOf = (facts: SchemaFacts, whole: unknown) => (isChoice(facts) ? facts.alternatives : [whole]);
  const beside = (facts: SchemaFacts, other: SchemaFacts): SchemaFacts =>
    isChoice(facts) || !isChoice(other) ? facts : { ...factsOf({}, {}), types: other.types };
  return [
    ...changeIf(!was.nullable && is.nullable, widened(at), place, "may now be null", at.usedIn),
    ...changeIf(was.nullable && !is.nullable, narrowed(at), place, "may no longer be null", at.usedIn),
    ...(isChoice(was) || isChoice(is)
      ? compareAlternatives(alternativesOf(was, before), alternativesOf(is, after), inside)
      : []),
    ...compareFacts(beside(was, is), beside(is, was), inside),
  ];
}

/** Compares everything except alternatives and null. */
const compareFacts = (was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] => [
  ...compareTypes(was, is, at),
  ...compareValues(was, is, at),
  ...compareFields(was, is, at),
  ...compareFurtherFields(was, is, at),
  ...compareInner(was.items, is.items, { ...at, place: `${at.place}[]` }),
  ...Object.keys({ ...was.rest, ...is.rest }).flatMap((keyword) =>
    compareKeyword(keyword, was.rest[keyword], is.rest[keyword], at),
  ),
];

/** Compares item or field schemas. Two empty schemas are equal. */
const compareInner = (before: unknown, after: unknown, at: SchemaPlace): Change[] =>
  isEqual(before, {}) && isEqual(after, {}) ? [] : compareSchemas(before, after, at);

function compareTypes(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const includes = ({ types }: SchemaFacts, type: string) =>
    types === null || types.includes(type) || (type === "integer" && types.includes("number"));
  const covers = (one: SchemaFacts, other: SchemaFacts) =>
    one.types === null || (other.types?.every((type) => includes(one, type)) ?? false);
  const message = `type ${was.types?.join(" or ") ?? "any"} is now ${is.types?.join(" or ") ?? "any"}`;
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
    if (before !== undefined && after === undefined) return [changeAt(field, "major", "the field was removed")];
    if (before === undefined && after !== undefined) {
      const bump = isRequired && at.direction === "sent" ? "major" : "minor";
      return [changeAt(field, bump, `${isRequired ? "a required" : "an optional"} field was added`)];
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

const compareAlternatives = (was: readonly unknown[], is: readonly unknown[], at: SchemaPlace): Change[] =>
  compareNamed(labelled(was, at.before), labelled(is, at.after), {
    removed: (label) => changeAt(at, "major", `the alternative ${label} was removed`),
    added: (label) => changeAt(at, widened(at), `the alternative ${label} was added`),
    kept: (old, now, label) => compareSchemas(old, now, { ...at, place: `${at.place} (${label})` }),
  });

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
  if (isEqual(before, after) || keyword === "x-open-enum") return [];
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
