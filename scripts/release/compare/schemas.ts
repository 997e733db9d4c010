// Compares two versions of a schema. What customers send must stay accepted; what they receive must stay within what they
// know. Removing a name is breaking in both directions (§9.2).
import { type Bump, type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, type JsonObject, listDifference, objectIn, stable } from "../json.ts";
import { AllOf, type Choice, lowerLimits, notes, partsOf, upperLimits } from "./intersection.ts";
import { componentOf, expanded, factsOf, labelOf, type SchemaFacts } from "./schema-facts.ts";

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

const shown = (value: unknown): string =>
  value === undefined
    ? "none"
    : value instanceof AllOf
      ? value.values.map(shown).join(" and ")
      : typeof value === "string"
        ? value
        : stable(value);

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
    ...compareChoices(choicesOf(was, is, before), choicesOf(is, was, after), inside),
    ...compareFacts(beside(was, is), beside(is, was), inside),
  ];
}

/** When only the other side is a choice, this side counts as one of its alternatives. */
const isAlternative = (facts: SchemaFacts, other: SchemaFacts): boolean =>
  facts.choices.length === 0 && other.choices.length === 1;

const choicesOf = (facts: SchemaFacts, other: SchemaFacts, whole: unknown): readonly Choice[] =>
  isAlternative(facts, other) ? other.choices.map(({ kind }) => ({ kind, alternatives: [whole] })) : facts.choices;

const beside = (facts: SchemaFacts, other: SchemaFacts): SchemaFacts =>
  isAlternative(facts, other) ? { ...factsOf({}, {}), types: other.types } : facts;

/** Compares choices in pairs. Equal choices come first, so that a new choice does not shift the others. */
function compareChoices(was: readonly Choice[], is: readonly Choice[], at: SchemaPlace): Change[] {
  const isIn = (choice: Choice, choices: readonly Choice[]) => choices.some((one) => isEqual(one, choice));
  const inOrder = (choices: readonly Choice[], others: readonly Choice[]) => [
    ...choices.filter((choice) => isIn(choice, others)),
    ...choices.filter((choice) => !isIn(choice, others)),
  ];
  const [old, now] = [inOrder(was, is), inOrder(is, was)];
  const longer = old.length > now.length ? old : now;
  return longer.flatMap((_, index) => {
    const [one, other] = [old[index], now[index]];
    if (!one) return [changeAt(at, narrowed(at), `a further ${other?.kind} was added`)];
    if (!other) return [changeAt(at, widened(at), `a further ${one.kind} was removed`)];
    return [
      ...changeIf(
        one.kind === "anyOf" && other.kind === "oneOf",
        narrowed(at),
        at.place,
        "anyOf is now oneOf",
        at.usedIn,
      ),
      ...changeIf(
        one.kind === "oneOf" && other.kind === "anyOf",
        widened(at),
        at.place,
        "oneOf is now anyOf",
        at.usedIn,
      ),
      ...compareAlternatives(one.alternatives, other.alternatives, at),
    ];
  });
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
  const includes = (one: unknown, other: unknown): boolean =>
    partsOf(other).every((part) => partsOf(one).some((known) => isEqual(known, part)));
  if (includes(after, before)) return true;
  return includes(before, after) ? false : undefined;
}

/** The schema of a parameter, header or media type; an empty schema allows anything. */
export const schemaOf = (holder: unknown): unknown => objectIn(holder).schema ?? {};
