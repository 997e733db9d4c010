/** A JSON schema as the documents write it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** A value of the path, the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** A response by its status, such as `201` or `4XX`. */
export interface DocumentedResponse {
  readonly status: string;
  readonly description: string;
  readonly schema: Schema | undefined;
  /** The type of its body; undefined without one. */
  readonly mediaType: string | undefined;
  /** The names of its examples; for an error of the API these are its codes. */
  readonly examples: readonly string[];
}

/** An operation of the API or of the control plane. */
export interface Operation {
  readonly id: string;
  readonly api: "api" | "control";
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly example: unknown; readonly isRequired: boolean } | undefined;
  readonly responses: readonly DocumentedResponse[];
  /** The roles that may call it; empty where roles do not matter. */
  readonly roles: readonly string[];
  /** The scope that an API key needs. */
  readonly scope: string | undefined;
}

/** Operations in the order of the documents, and how to find what they refer to. */
export interface Reference {
  readonly tags: readonly Tag[];
  readonly operations: readonly Operation[];
  /** Replaces a reference by the schema it names. A description beside the reference comes first. */
  resolve(operation: Operation, schema: Schema): Schema;
}

/** Operations that belong together. */
export interface Tag {
  readonly api: Operation["api"];
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => Object(value) as Json;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const methods = ["get", "post", "put", "patch", "delete"];

/** Reads the OpenAPI documents of the API and of the control plane. A document that is missing has no operations. */
export function readReference(documents: Readonly<Record<Operation["api"], unknown>>): Reference {
  const read = (api: Operation["api"]) => readDocument(api, object(documents[api]));
  const tags = [...read("api"), ...read("control")];
  return {
    tags,
    operations: tags.flatMap(({ operations }) => operations),
    resolve: (operation, schema) => resolveIn(object(documents[operation.api]), schema),
  };
}

function readDocument(api: Operation["api"], document: Json): readonly Tag[] {
  const operations = Object.entries(object(document.paths)).flatMap(([path, item]) =>
    methods
      .filter((method) => object(item)[method] !== undefined)
      .map((method) => readOperation(api, document, path, object(item), method)),
  );
  return (Array.isArray(document.tags) ? document.tags : [])
    .map(object)
    .map(({ name, description }) => ({
      api,
      name: text(name),
      description: text(description),
      operations: operations.filter(({ tag }) => tag === name),
    }))
    .filter((tag) => tag.operations.length > 0);
}

function readOperation(api: Operation["api"], document: Json, path: string, item: Json, method: string): Operation {
  const operation = object(item[method]);
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const body = object(follow(document, operation.requestBody));
  const bodyContent = object(object(body.content)["application/json"]);
  return {
    id: text(operation.operationId),
    api,
    tag: texts(operation.tags)[0] ?? "",
    method: method.toUpperCase(),
    path,
    summary: text(operation.summary),
    description: text(operation.description),
    parameters: [...list(item.parameters), ...list(operation.parameters)].map((one) =>
      readParameter(object(follow(document, one))),
    ),
    body:
      bodyContent.schema === undefined
        ? undefined
        : {
            schema: bodyContent.schema as Schema,
            example: exampleOf(document, bodyContent),
            isRequired: body.required === true,
          },
    responses: Object.entries(object(operation.responses)).map(([status, one]) =>
      readResponse(status, object(follow(document, one))),
    ),
    roles: texts(operation["x-roles"]),
    scope: operation["x-scope"] === undefined ? undefined : text(operation["x-scope"]),
  };
}

function readParameter(parameter: Json): Parameter {
  const place = text(parameter.in);
  return {
    name: text(parameter.name),
    in: place === "path" || place === "query" ? place : "header",
    required: parameter.required === true,
    description: text(parameter.description),
    schema: object(parameter.schema) as Schema,
  };
}

function readResponse(status: string, response: Json): DocumentedResponse {
  const [first] = Object.entries(object(response.content));
  const content = object(first?.[1]);
  return {
    status,
    description: text(response.description),
    schema: content.schema as Schema | undefined,
    mediaType: first?.[0],
    examples: Object.keys(object(content.examples)),
  };
}

/** The first example of a body. */
function exampleOf(document: Json, content: Json): unknown {
  if (content.example !== undefined) return content.example;
  const [first] = Object.values(object(content.examples));
  return object(follow(document, first)).value;
}

/** The value that a reference of the document names; another value as it is. */
function follow(document: Json, value: unknown): unknown {
  const reference = object(value).$ref;
  if (typeof reference !== "string") return value;
  return reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((part, key) => object(part)[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

function resolveIn(document: Json, schema: Schema): Schema {
  if (schema.$ref === undefined) return withOneList(schema);
  const { $ref: _, ...own } = schema;
  return { ...resolveIn(document, object(follow(document, schema)) as Schema), ...own };
}

/** A list of values, of which null or any text may be alternatives, as one list. */
function withOneList({ anyOf, ...own }: Schema): Schema {
  const [listed, ...others] = anyOf ?? [];
  const areTypes = others.every((other) => Object.keys(other).join() === "type");
  if (listed?.enum === undefined || !areTypes) return { ...own, ...(anyOf && { anyOf }) };
  const isNullable = others.some(({ type }) => type === "null");
  return { ...listed, ...(isNullable && { type: ["string", "null"], enum: [...listed.enum, null] }), ...own };
}
