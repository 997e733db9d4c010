// Operations in the form that the generators need.
import { type OpenApiDocument, operationsOf, type Parameter, type Reconcile } from "./document.ts";

export interface OperationModel {
  id: string;
  method: string;
  path: string;
  noun: string;
  resource: string;
  sdkMethod: string;
  summary: string;
  description: string;
  roles: string[];
  scope: string;
  accountScoped: boolean;
  idempotency: "idempotent" | "conflict_safe" | "non_idempotent";
  errorCodes: string[];
  statuses: number[];
  pathParameters: Parameter[];
  queryParameters: Parameter[];
  /** Name of the request body's schema. */
  requestSchema: string | undefined;
  successes: {
    status: number;
    schema: string | undefined;
    example: unknown;
    /** The field without which the result of a change is of no use: the ID of what was made, or what is shown only once. */
    result: string | undefined;
    /** The value of its field `type`, where that tells it from other successes. */
    type: string | undefined;
  }[];
  /** The items of a page, for operations with limit and offset. */
  paging: { items: string; itemSchema: string } | undefined;
  reconcile: Reconcile | undefined;
}

const schemaName = (reference: { $ref: string } | undefined): string | undefined => reference?.$ref.split("/").at(-1);

function pagingOf(document: OpenApiDocument, items: string, schema: string | undefined) {
  const properties = document.components.schemas[schema ?? ""]?.properties as
    | Record<string, { items?: { $ref: string } }>
    | undefined;
  return { items, itemSchema: schemaName(properties?.[items]?.items) ?? "" };
}

function resultOf(document: OpenApiDocument, id: string, schema: string | undefined) {
  const { properties = {}, required = [] } = (document.components.schemas[schema ?? ""] ?? {}) as {
    properties?: Record<string, { "x-returned-by"?: string[]; const?: string }>;
    required?: string[];
  };
  const shownOnce = Object.keys(properties).find((name) => properties[name]?.["x-returned-by"]?.includes(id));
  return { result: shownOnce ?? required.find((name) => /^id$|Id$/.test(name)), type: properties.type?.const };
}

/** The operations of a checked document: problems.ts has refused one that lacks something. */
export function modelOf(document: OpenApiDocument): OperationModel[] {
  return [...operationsOf(document)].map(({ method, path, operation, parameters }) => {
    const id = operation.operationId;
    const successes = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, response]) => {
        const content = response.content?.["application/json"];
        const schema = schemaName(content?.schema);
        return {
          status: Number(status),
          schema,
          ...(method === "GET" ? { result: undefined, type: undefined } : resultOf(document, id, schema)),
          example: Object.values(content?.examples ?? {})[0]?.value,
        };
      });
    const paging = operation["x-pagination"];
    return {
      id,
      method,
      path,
      noun: operation.tags[0],
      resource: operation["x-sdk"].resource,
      sdkMethod: operation["x-sdk"].method,
      summary: operation.summary,
      description: operation.description.trim(),
      roles: operation["x-roles"],
      scope: operation["x-scope"],
      accountScoped: operation["x-account-scoped"],
      idempotency: operation["x-idempotency"] ?? "idempotent",
      errorCodes: operation["x-error-codes"],
      statuses: Object.keys(operation.responses)
        .filter((status) => status !== "default")
        .map(Number),
      pathParameters: parameters.filter((parameter) => parameter.in === "path"),
      queryParameters: parameters.filter((parameter) => parameter.in === "query"),
      requestSchema: schemaName(operation.requestBody?.content["application/json"].schema),
      successes,
      paging: paging && pagingOf(document, paging.items, successes[0]?.schema),
      reconcile: operation["x-reconcile"],
    };
  });
}
