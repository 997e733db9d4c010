// Operations of an OpenAPI document, as far as tools and the command need them: the schemas of their arguments, and their paths.

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A parameter of an operation. */
export interface Parameter {
  /** Name in the request. */
  readonly name: string;
  /** `path`, `query`, `header` or `cookie`. */
  readonly in: string;
  /** Whether a request must have it. */
  readonly isRequired: boolean;
  /** Schema of its value, with its description. */
  readonly schema: JsonObject;
}

/** An operation of a document. Its schemas contain no reference. */
export interface DocumentedOperation {
  /** operationId. */
  readonly id: string;
  /** Method in upper case. */
  readonly method: string;
  /** Path template. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** The summary where the document has no description. */
  readonly description: string;
  /** Parameters of the path and of the operation. */
  readonly parameters: readonly Parameter[];
  /** Schema of the JSON body of a request. */
  readonly body: JsonObject | undefined;
  /** Schemas of the JSON bodies of successes. */
  readonly results: readonly JsonObject[];
}

const objectIn = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Every operation of a document by its operationId. */
export function operationsIn(document: JsonObject): ReadonlyMap<string, DocumentedOperation> {
  const found = Object.entries(objectIn(document.paths)).flatMap(([path, item]) =>
    Object.entries(objectIn(item))
      .filter(([, operation]) => typeof objectIn(operation).operationId === "string")
      .map(([method, operation]) =>
        operationAt(document, path, method, objectIn(operation), listIn(objectIn(item).parameters)),
      ),
  );
  return new Map(found.map((operation) => [operation.id, operation]));
}

function operationAt(
  document: JsonObject,
  path: string,
  method: string,
  operation: JsonObject,
  shared: readonly unknown[],
): DocumentedOperation {
  const summary = textIn(operation.summary);
  const successes = Object.entries(objectIn(operation.responses)).filter(([status]) => status.startsWith("2"));
  return {
    id: textIn(operation.operationId),
    method: method.toUpperCase(),
    path,
    summary,
    description: textIn(operation.description) || `${summary}.`,
    parameters: [...shared, ...listIn(operation.parameters)].map((parameter) => parameterOf(document, parameter)),
    body: jsonSchemaIn(document, operation.requestBody),
    results: successes.map(([, response]) => jsonSchemaIn(document, response)).filter((schema) => schema !== undefined),
  };
}

function parameterOf(document: JsonObject, reference: unknown): Parameter {
  const { name, in: place, required, description, schema } = resolved(document, objectIn(reference));
  const described = description === undefined ? {} : { description };
  return {
    name: textIn(name),
    in: textIn(place),
    isRequired: required === true,
    schema: { ...inlined(document, objectIn(schema)), ...described },
  };
}

function jsonSchemaIn(document: JsonObject, content: unknown): JsonObject | undefined {
  const { schema } = objectIn(objectIn(objectIn(content).content)["application/json"]);
  return schema === undefined ? undefined : inlined(document, objectIn(schema));
}

/** The target of a reference, with the keywords beside it. */
function resolved(document: JsonObject, { $ref, ...beside }: JsonObject): JsonObject {
  if (typeof $ref !== "string") return beside;
  const target = $ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((node, key) => objectIn(node)[key], document);
  if (target === undefined) throw new TypeError(`The document has no ${$ref}.`);
  return { ...resolved(document, objectIn(target)), ...beside };
}

/**
 * A schema without references, since some MCP clients do not follow them, and without `x-` keywords.
 *
 * @throws {TypeError} The schema contains itself.
 */
function inlined(document: JsonObject, schema: JsonObject, inside: readonly string[] = []): JsonObject {
  const { $ref } = schema;
  if (typeof $ref === "string" && inside.includes($ref)) throw new TypeError(`${$ref} contains itself.`);
  const within = typeof $ref === "string" ? [...inside, $ref] : inside;
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    return typeof value === "object" && value !== null ? inlined(document, objectIn(value), within) : value;
  };
  const keywords = Object.entries(resolved(document, schema)).filter(([keyword]) => !keyword.startsWith("x-"));
  return Object.fromEntries(
    keywords.map(([keyword, value]) =>
      keyword === "properties"
        ? [keyword, Object.fromEntries(Object.entries(objectIn(value)).map(([name, field]) => [name, copy(field)]))]
        : [keyword, copy(value)],
    ),
  );
}

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

/** The paths of a template, with a group for each of its parameters. */
export function formOf(template: string): RegExp {
  const literals = template.split(/\{\w+\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${literals.join("([^/]+)")}$`);
}

/** The path of a request with its query: a template filled with encoded values. */
export function addressOf(template: string, { path, query }: Partial<Pick<RequestParts, "path" | "query">>): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
  const search = new URLSearchParams(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search}`;
}
