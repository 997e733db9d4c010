// Operations of an OpenAPI document, as far as tools need them.

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
