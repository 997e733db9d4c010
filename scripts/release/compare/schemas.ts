// What a change of a schema means to customers, by direction: what they send must stay accepted, what they receive must
// stay as they know it. A name that goes is a removal either way (§9.2).
import type { Bump, Change } from "../change.ts";
import { isEqual, type JsonObject, namesIn, objectIn, stable } from "../json.ts";
import { componentOf, factsOf, labelOf, type SchemaFacts } from "./schema-facts.ts";

/** Who writes the value: customers send it, or receive it. */
export type Direction = "sent" | "received";

export interface SchemaPlace {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly direction: Direction;
  /** Where the value is, e.g. `createDestinationGroup body`; a component's name takes over inside of it. */
  readonly place: string;
  /** Where customers meet it, e.g. `sent to createDestinationGroup`. */
  readonly met: string;
  /** The pairs being compared, against schemas that contain themselves. */
  readonly within: ReadonlySet<string>;
}

/** Keywords that describe and bind nobody. */
const notes: ReadonlySet<string> = new Set([
  ..."title description example examples $comment externalDocs".split(" "),
  "x-assumption",
  "x-values-from",
]);

/** Limits by the side they bound. */
const lowerLimits: ReadonlySet<string> = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
]);
const upperLimits: ReadonlySet<string> = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
]);

const shown = (value: unknown): string =>
  value === undefined ? "none" : typeof value === "string" ? value : stable(value);

/** Fewer values are allowed than before: what customers send may be refused; what they receive keeps its promise. */
const narrowed = (direction: Direction): Bump => (direction === "sent" ? "major" : "minor");

/** More values are allowed than before: customers may send more; what they receive may be something new to them. */
const widened = (direction: Direction): Bump => (direction === "sent" ? "minor" : "major");

/** Every change between two schemas at one place. */
export function compareSchemas(before: unknown, after: unknown, at: SchemaPlace): Change[] {
  const pair = `${stable(before)} → ${stable(after)}`;
  if (at.within.has(pair)) return [];
  const [name, newName] = [componentOf(before), componentOf(after)];
  const place = newName && name === newName ? newName : at.place;
  const inside: SchemaPlace = { ...at, place, within: new Set([...at.within, pair]) };
  const was = factsOf(before, at.before);
  const is = factsOf(after, at.after);
  const isChoice = (facts: SchemaFacts): boolean => facts.alternatives.length > 1;
  // Where a schema became a choice, or was one, the other side is one of its alternatives and says nothing beside them.
  const alternativesOf = (facts: SchemaFacts, whole: unknown) => (isChoice(facts) ? facts.alternatives : [whole]);
  const beside = (facts: SchemaFacts, other: SchemaFacts): SchemaFacts =>
    isChoice(facts) || !isChoice(other) ? facts : { ...factsOf({}, {}), types: other.types };
  return [
    ...compareNullability(was, is, inside),
    ...(isChoice(was) || isChoice(is)
      ? compareAlternatives(alternativesOf(was, before), alternativesOf(is, after), inside)
      : []),
    ...compareBeside(beside(was, is), beside(is, was), inside),
  ];
}

/** Compares what two schemas say beside their alternatives and null. */
const compareBeside = (was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] => [
  ...compareTypes(was, is, at),
  ...compareValues(was, is, at),
  ...compareFields(was, is, at),
  ...compareFurther(was, is, at),
  ...compareWithin(was.items, is.items, { ...at, place: `${at.place}[]` }),
  ...namesIn(was.rest, is.rest).flatMap((keyword) => compareKeyword(keyword, was, is, at)),
];

/** Compares what two schemas hold, unless neither says anything of it. */
const compareWithin = (before: unknown, after: unknown, at: SchemaPlace): Change[] =>
  isEqual(before, {}) && isEqual(after, {}) ? [] : compareSchemas(before, after, at);

const change = (at: SchemaPlace, bump: Bump, words: string, field?: string): Change => ({
  bump,
  place: field === undefined ? at.place : `${at.place}.${field}`,
  words,
  met: [at.met],
});

function compareTypes(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  if (isEqual(was.types, is.types)) return [];
  const accepts = (types: SchemaFacts["types"], type: string) =>
    types === null || types.includes(type) || (type === "integer" && types.includes("number"));
  const words = `type ${was.types?.join(" or ") ?? "any"} is now ${is.types?.join(" or ") ?? "any"}`;
  const keepsAll = is.types === null || (was.types?.every((type) => accepts(is.types, type)) ?? false);
  const addsNone = was.types === null || (is.types?.every((type) => accepts(was.types, type)) ?? false);
  if (keepsAll && addsNone) return [];
  if (keepsAll) return [change(at, widened(at.direction), `widened: ${words}`)];
  if (addsNone) return [change(at, narrowed(at.direction), `narrowed: ${words}`)];
  return [change(at, "major", `changed: ${words}`)];
}

function compareNullability(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  if (was.nullable === is.nullable) return [];
  return is.nullable
    ? [change(at, widened(at.direction), "may now be null")]
    : [change(at, narrowed(at.direction), "may no longer be null")];
}

function compareValues(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const open = [was, is].map(({ rest }) => rest["x-open-enum"] === true);
  const opened: Change[] =
    open[0] !== open[1]
      ? [change(at, "major", open[1] ? "its list of values is now open" : "its list of values is now closed")]
      : [];
  if (was.values === undefined || is.values === undefined) {
    if (was.values === is.values) return opened;
    return is.values
      ? [...opened, change(at, narrowed(at.direction), `narrowed to the values ${is.values.join(", ")}`)]
      : [...opened, change(at, widened(at.direction), "no longer limited to listed values")];
  }
  const { values } = was;
  const added = is.values.filter((value) => !values.includes(value));
  const removed = values.filter((value) => !is.values?.includes(value));
  // Whoever receives an open list has been told to expect values it does not know.
  const addedBump = at.direction === "sent" || (open[0] && open[1]) ? "minor" : "major";
  return [
    ...opened,
    ...added.map((value) =>
      change(at, addedBump, `value ${value} was added${addedBump === "major" ? " to a closed list" : ""}`),
    ),
    ...removed.map((value) => change(at, "major", `value ${value} was removed`)),
  ];
}

function compareFields(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const names = [...namesIn(was.properties, is.properties), ...was.required, ...is.required];
  return [...new Set(names)].flatMap((name) => {
    const before = was.properties[name];
    const after = is.properties[name];
    const [needed, isNeeded] = [was.required.includes(name), is.required.includes(name)];
    if (before !== undefined && after === undefined) return [change(at, "major", "the field was removed", name)];
    if (before === undefined && after !== undefined) {
      const breaks = isNeeded && at.direction === "sent";
      return [
        change(at, breaks ? "major" : "minor", `${isNeeded ? "a required" : "an optional"} field was added`, name),
      ];
    }
    const becomes = isNeeded ? narrowed(at.direction) : widened(at.direction);
    return [
      ...(needed === isNeeded ? [] : [change(at, becomes, isNeeded ? "is now required" : "is now optional", name)]),
      ...compareSchemas(before, after, { ...at, place: `${at.place}.${name}` }),
    ];
  });
}

const openness = ["refused", "unsaid", "allowed"] as const;

function compareFurther(was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  if (was.further === is.further) {
    return compareWithin(was.furtherSchema, is.furtherSchema, { ...at, place: `${at.place}.*` });
  }
  const opens = openness.indexOf(is.further) > openness.indexOf(was.further);
  const words = {
    refused: "further fields are refused",
    unsaid: "further fields are no longer mentioned",
    allowed: "further fields are allowed",
  };
  // Open fields can be written and read by name in the types; closing takes that away in both directions.
  const bump = opens ? "minor" : was.further === "allowed" ? "major" : narrowed(at.direction);
  return [change(at, bump, `${words[is.further]} now`)];
}

function compareAlternatives(was: readonly unknown[], is: readonly unknown[], at: SchemaPlace): Change[] {
  const [old, now] = [labelled(was, at.before), labelled(is, at.after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((label) => {
    if (!now.has(label)) return [change(at, "major", `the alternative ${label} was removed`)];
    if (!old.has(label)) return [change(at, widened(at.direction), `the alternative ${label} was added`)];
    return compareSchemas(old.get(label), now.get(label), { ...at, place: `${at.place} (${label})` });
  });
}

/** Alternatives by what tells them apart, or else by their order. */
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

function compareKeyword(keyword: string, was: SchemaFacts, is: SchemaFacts, at: SchemaPlace): Change[] {
  const [before, after] = [was.rest[keyword], is.rest[keyword]];
  if (isEqual(before, after) || keyword === "x-open-enum") return [];
  if (notes.has(keyword)) return [change(at, "patch", `its ${keyword} was reworded`)];
  const words = `${keyword} ${shown(before)} is now ${shown(after)}`;
  if (keyword === "deprecated") return [change(at, "minor", words)];
  if (keyword === "default") {
    if (at.direction === "received") return [change(at, "patch", words)];
    return [
      change(
        at,
        before === undefined ? "minor" : "major",
        before === undefined ? `default ${shown(after)} was added` : words,
      ),
    ];
  }
  const tightens = isTighter(keyword, before, after);
  if (tightens === undefined) return [change(at, "major", `${words}, which no rule can weigh`)];
  return tightens
    ? [change(at, narrowed(at.direction), `limit tightened: ${words}`)]
    : [change(at, widened(at.direction), `limit loosened: ${words}`)];
}

/** Whether a keyword allows less than before; undefined where that cannot be told. */
function isTighter(keyword: string, before: unknown, after: unknown): boolean | undefined {
  const bounded = lowerLimits.has(keyword) || upperLimits.has(keyword);
  if (bounded && typeof before === "number" && typeof after === "number") {
    return lowerLimits.has(keyword) ? after > before : after < before;
  }
  if (keyword === "uniqueItems") return after === true;
  if (keyword === "multipleOf" && typeof before === "number" && typeof after === "number") {
    if (after % before === 0) return true;
    return before % after === 0 ? false : undefined;
  }
  if (!bounded && !["pattern", "format", "multipleOf"].includes(keyword)) return undefined;
  if (before === undefined) return true;
  return after === undefined ? false : undefined;
}

/** The schema of `content` and its like, or anything where there is none. */
export const schemaOf = (holder: unknown): unknown => objectIn(holder).schema ?? {};
