import { type FieldFact, type ResourceFact, resources } from "../../src/facts/resources.ts";
import {
  beyond,
  compareRequired,
  type FieldContext,
  isExtension,
  isMarked,
  type Resolve,
  type SchemaNode,
  wrong,
} from "./document.ts";

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

/** Whether a schema without alternatives allows null: its type does, and its values do. */
const admitsNull = ({ type, enum: values, const: only }: SchemaNode): boolean =>
  [type].flat().includes("null") && (values?.includes(null) ?? true) && (only === undefined || only === null);

/** A schema without its null alternative, the reference to it if there is one, and whether it may be null. */
function withoutNull(node: SchemaNode, resolve: Resolve): { schema: SchemaNode; named: SchemaNode; nullable: boolean } {
  const resolved = resolve(node);
  const alternatives = resolved.anyOf;
  if (!alternatives) return { schema: resolved, named: node, nullable: admitsNull(resolved) };
  const others = alternatives.filter(({ type }) => type !== "null");
  const [only] = others;
  const named = only && others.length === 1 ? only : resolved;
  return { schema: resolve(named), named, nullable: others.length < alternatives.length };
}

const typeOf = ({ type }: SchemaNode): string =>
  [type]
    .flat()
    .filter((one) => one !== "null")
    .join(" or ");

/** The values of an enum or a constant; undefined without either. */
function valuesOf({ enum: listed, const: only }: SchemaNode): unknown[] | undefined {
  const values = listed ?? (only === undefined ? undefined : [only]);
  return values?.filter((value) => value !== null);
}

function* compareValues(
  place: string,
  schema: SchemaNode,
  fact: FieldFact,
  section: string,
  context: FieldContext,
): Generator<string> {
  const values = valuesOf(schema);
  const { values: stated } = fact;
  if (!stated) {
    if (values && !fact.open) yield beyond(`${place} with only the values ${values.join(", ")}`);
    return;
  }
  if (!values) return yield wrong(`${place} accepts any value`, section, `says ${stated.join(", ")}`);
  for (const value of stated.filter((one) => !values.includes(one)))
    yield wrong(`${place} lacks the value ${value}`, section, `says ${stated.join(", ")}`);
  const isBeyond = schema["x-beyond-specification"] === true;
  for (const value of values.filter((one) => !stated.includes(String(one)) && !context.markedCodes.has(String(one))))
    if (!isBeyond) yield beyond(`${place} with the value ${String(value)}`);
}

function* compareForm(
  place: string,
  { pattern }: SchemaNode,
  { fits, unfit }: FieldFact,
  section: string,
): Generator<string> {
  if (!fits && pattern !== undefined) yield beyond(`${place} with the pattern ${pattern}`);
  if (!fits) return;
  if (pattern === undefined) return yield wrong(`${place} has no pattern`, section, `says ${fits.join(", ")}`);
  const form = new RegExp(pattern, "u");
  for (const text of fits.filter((one) => !form.test(one)))
    yield wrong(`${place} has a pattern that refuses "${text}"`, section, "allows it");
  for (const text of (unfit ?? []).filter((one) => form.test(one)))
    yield wrong(`${place} has a pattern that accepts "${text}"`, section, `says ${fits.join(", ")}`);
}

function* compareLimits(place: string, schema: SchemaNode, fact: FieldFact, section: string): Generator<string> {
  const stated = fact as Readonly<Record<string, unknown>>;
  const found = schema as Readonly<Record<string, unknown>>;
  for (const keyword of limitKeywords) {
    if (found[keyword] === stated[keyword]) continue;
    if (stated[keyword] !== undefined)
      yield wrong(`${place} has ${keyword} ${shown(found[keyword])}`, section, `says ${shown(stated[keyword])}`);
    else if (!fact.open && schema["x-beyond-specification"] !== true)
      yield beyond(`${place} with ${keyword} ${shown(found[keyword])}`);
  }
  const numbers = limitKeywords.map((keyword) => stated[keyword]).filter((value) => typeof value === "number");
  if (numbers.length === 0) return;
  for (const [number] of String(schema.description ?? "").matchAll(/\d+/g))
    if (!numbers.includes(Number(number)))
      yield wrong(`the description of ${place} names ${number}`, section, `says ${numbers.join(", ")}`);
}

/** A secret is shown by what creates or replaces it, and by nothing else. */
function* compareShownBy(place: string, schema: SchemaNode, fact: FieldFact, section: string, context: FieldContext) {
  const { shownBy } = fact;
  if (shownBy === undefined) return;
  const found = schema["x-returned-by"] ?? [];
  const isRight =
    shownBy.every((operation) => found.includes(operation)) &&
    found.every((operation) => shownBy.includes(operation) || context.markedCreations.includes(operation));
  if (!isRight)
    yield wrong(
      `${place} is shown by ${found.join(", ") || "every operation"} (x-returned-by)`,
      section,
      `says only by a creation and ${shownBy.join(", ")}`,
    );
}

/** The sentences about one field. */
export function* compareField(
  place: string,
  node: SchemaNode,
  fact: FieldFact,
  section: string,
  context: FieldContext,
): Generator<string> {
  const { schema, named, nullable } = withoutNull(node, context.resolve);
  if (fact.nullable !== undefined && fact.nullable !== nullable)
    yield wrong(
      `${place} may ${nullable ? "" : "not "}be null`,
      section,
      `says that it may ${nullable ? "not " : ""}be null`,
    );
  const [, item] = /^list of (.+)$/.exec(fact.type ?? "") ?? [];
  const resource = resources[fact.type ?? ""];
  const isTime = fact.type === "datetime";
  const type = item ? "array" : resource ? "object" : isTime ? "string" : fact.type;
  if (type !== undefined && typeOf(schema) !== type)
    return yield wrong(
      `${place} has the type ${typeOf(schema) || "any"}`,
      section,
      `says ${isTime ? "datetime" : type}`,
    );
  if (type !== undefined && schema.format !== (isTime ? "date-time" : undefined)) {
    if (isTime) yield wrong(`${place} has the format ${shown(schema.format)}`, section, "says datetime");
    else yield beyond(`${place} with the format ${shown(schema.format)}`);
  }
  yield* compareKeywords(place, [node, context.resolve(node), named, schema]);
  yield* compareLimits(place, schema, fact, section);
  yield* compareValues(place, schema, fact, section, context);
  yield* compareShownBy(place, schema, fact, section, context);
  if (resource) return yield* compareResource(place, named, resource, context);
  if (item === undefined) {
    if (!fact.open) yield* compareForm(place, schema, fact, section);
    return;
  }
  const { fits, unfit } = fact;
  const itemFact: FieldFact = { type: item, nullable: false, ...(fits && { fits }), ...(unfit && { unfit }) };
  yield* compareField(`an item of ${place}`, schema.items ?? {}, itemFact, section, context);
}

/** The sentences about the fields of an object. */
export function* compareResource(
  where: string,
  node: SchemaNode,
  { section, fields, sent }: ResourceFact,
  context: FieldContext,
): Generator<string> {
  const place = node.$ref?.split("/").at(-1) ?? where;
  const pair = `${place} ${Object.keys(fields).join(" ")}`;
  if (node.$ref && context.compared.has(pair)) return;
  context.compared.add(pair);
  const { properties = {}, required = [] } = context.resolve(node);
  for (const [name, fact] of Object.entries(fields)) {
    const property = properties[name];
    const field = `${place}.${name}`;
    if (!property) {
      yield wrong(`${field} is missing`, section, "has it");
      continue;
    }
    yield* compareRequired(field, required.includes(name), fact.required, section);
    yield* compareField(field, property, fact, section, context);
  }
  for (const name of required)
    if (!Object.hasOwn(properties, name)) yield beyond(`the required field ${place}.${name}`);
    else if (sent && !Object.hasOwn(fields, name))
      yield wrong(`${place}.${name} is required`, section, "does not have it, so requests leave it out");
  for (const [name, property] of Object.entries(properties))
    if (!Object.hasOwn(fields, name) && !isMarked(property)) yield beyond(`${place}.${name}`);
}

/** Keywords that restrict a value to a range or a length, or replace an absent one. */
export const limitKeywords = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "default",
];

/** Keywords that restrict nothing. */
const annotations = ["title", "description", "example", "examples", "deprecated", "$comment", "externalDocs"];
/** Keywords that are compared. A value of `additionalProperties` other than true restricts the object. */
const compared = ["type", "format", "enum", "const", "pattern", "properties", "required", "items", ...limitKeywords];

/** The keywords that the comparison reads in a schema. */
function known(node: SchemaNode): readonly string[] {
  // The comparison follows a reference and skips what stands beside it.
  if (node.$ref !== undefined) return ["$ref"];
  const { anyOf, additionalProperties } = node;
  if (anyOf) return anyOf.filter(({ type }) => type !== "null").length === 1 ? ["anyOf"] : [];
  return additionalProperties === true ? [...compared, "additionalProperties"] : compared;
}

/** A sentence for each keyword that the comparison does not read, so that none restricts a value unseen. */
export function* compareKeywords(place: string, nodes: readonly SchemaNode[]): Generator<string> {
  for (const node of new Set(nodes))
    for (const keyword of Object.keys(node)) {
      if (node["x-beyond-specification"] === true || isExtension(keyword)) continue;
      if (!annotations.includes(keyword) && !known(node).includes(keyword))
        yield beyond(`${place} with the keyword ${keyword}`);
    }
}
