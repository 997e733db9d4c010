// Input and output schemas of tools, made of operations.
import type { DocumentedOperation, JsonObject, Parameter } from "./operations.ts";

/** Where the arguments of a tool go. */
export interface RequestParts {
  /** Values of the path template. */
  readonly path: JsonObject;
  /** Query parameters. */
  readonly query: JsonObject;
  /** Headers by the names of their arguments. */
  readonly header: JsonObject;
  /** Fields of the JSON body. */
  readonly body: JsonObject;
}

const propertiesIn = (schema: JsonObject): Readonly<Record<string, JsonObject>> =>
  (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
const requiredIn = (schema: JsonObject): readonly string[] => (schema.required ?? []) as readonly string[];

/** The name of a parameter as an argument: `accountId` for the header `X-Account-Id`. */
export function argumentName({ name, in: place }: Pick<Parameter, "name" | "in">): string {
  if (place !== "header") return name;
  const joined = name.replace(/^X-/i, "").replaceAll("-", "");
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}

/**
 * One object with the fields of alternatives. Several assistants refuse alternatives at the top of a schema, and the server
 * checks them again.
 */
function merged(schema: JsonObject): JsonObject {
  const alternatives = (schema.oneOf ?? schema.anyOf) as readonly JsonObject[] | undefined;
  if (alternatives === undefined) return schema;
  const objects = alternatives.map(merged);
  const [first, ...others] = objects.map(requiredIn);
  return {
    type: "object",
    properties: Object.assign({}, ...objects.map(propertiesIn)) as JsonObject,
    required: (first ?? []).filter((name) => others.every((names) => names.includes(name))),
  };
}

/**
 * The arguments of an operation as one flat object: path, query, account and body.
 *
 * @throws {TypeError} Two arguments have the same name.
 */
export function inputSchemaOf({ id, parameters, body }: DocumentedOperation): JsonObject {
  const fields = merged(body ?? {});
  const named: [string, JsonObject][] = [
    ...parameters.map((parameter): [string, JsonObject] => [argumentName(parameter), parameter.schema]),
    ...Object.entries(propertiesIn(fields)),
  ];
  const properties = Object.fromEntries(named);
  if (Object.keys(properties).length < named.length) throw new TypeError(`${id} has two arguments of the same name.`);
  const required = [...parameters.filter(({ isRequired }) => isRequired).map(argumentName), ...requiredIn(fields)];
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    // A platform may accept further fields of a call. An argument that is misspelt is more likely.
    additionalProperties: false,
  };
}

/** Splits arguments into the parts of a request. Arguments that are no parameter belong to the body. */
export function partsOf({ parameters }: DocumentedOperation, given: JsonObject): RequestParts {
  const places = new Map(parameters.map((parameter) => [argumentName(parameter), parameter.in]));
  const partIn = (place: string): JsonObject =>
    Object.fromEntries(Object.entries(given).filter(([name]) => (places.get(name) ?? "body") === place));
  return { path: partIn("path"), query: partIn("query"), header: partIn("header"), body: partIn("body") };
}

/** Keywords that describe. The others could reject an answer of a platform that is newer than this package. */
const describing = ["type", "description", "properties", "items", "anyOf"];

function loosened(schema: JsonObject): JsonObject {
  const { oneOf, anyOf = oneOf } = schema;
  const kept = Object.entries({ ...schema, ...(anyOf === undefined ? {} : { anyOf }) }).filter(([keyword]) =>
    describing.includes(keyword),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === "items") return [keyword, loosened(value as JsonObject)];
      if (keyword === "anyOf") return [keyword, (value as readonly JsonObject[]).map(loosened)];
      if (keyword !== "properties") return [keyword, value];
      const fields = Object.entries(value as Readonly<Record<string, JsonObject>>);
      return [keyword, Object.fromEntries(fields.map(([name, field]) => [name, loosened(field)]))];
    }),
  );
}

/** The schema of what an operation returns; undefined if its successes have no body. */
export function outputSchemaOf({ results }: DocumentedOperation): JsonObject | undefined {
  const [only, ...others] = results.map(loosened);
  if (only === undefined) return undefined;
  return others.length === 0 ? { ...only, type: "object" } : { type: "object", anyOf: [only, ...others] };
}
