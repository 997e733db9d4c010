// Bundles openapi/ into one OpenAPI document that includes the table of error codes.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, loadConfig, type NormalizedProblem } from "@redocly/openapi-core";
import { parse } from "yaml";
import { policySchemas } from "../policies.ts";
import { fillLimits } from "./limits.ts";
import { type Condition, methods, problemsIn } from "./problems.ts";
import { Place, type Problem, YamlFile } from "./source.ts";

/** The folder that is read unless another is named. */
export const openapiFolder = new URL("../../../openapi/", import.meta.url);

/** A row of error-codes.yaml. */
export interface CodeRow {
  status?: number;
  mock?: number;
  meaning: string;
  /** What the caller does about it. Shown on the code's page of the site, and in no package. */
  advice?: string;
  stated?: boolean;
  errors?: boolean;
  effect?: "none";
  /** Conditions, or the ids of operations. */
  when?: (Condition | string)[];
  /** What the code means for the operations of an entry of `when`. Stands in the descriptions of their responses. */
  causes?: Record<string, string>;
  general?: boolean;
  faultOnly?: boolean;
  example?: Record<string, unknown>;
  "x-beyond-specification"?: true;
}
/** A row of the field codes in error-codes.yaml. */
export interface FieldCodeRow {
  meaning: string;
  advice?: string;
  stated?: boolean;
  "x-beyond-specification"?: true;
}

/** The clients' error class for a status. */
export interface ErrorClass {
  name: string;
  /** Whether a type of its own lists the class once for each of its codes. */
  union?: boolean;
  /** When the status is answered, as the class's description. */
  when: string;
}

export interface CodeTable {
  classes: Record<string, ErrorClass>;
  groups: { title: string; codes: Record<string, CodeRow> }[];
  fieldCodes: Record<string, FieldCodeRow>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Record<string, unknown>;
}

/**
 * How to reconcile an operation whose outcome is unknown: find candidates in a paged list from a time on, or explain why
 * there are none. `{until}` in the text is replaced by the start of the window plus the named limit in hours.
 */
export type Reconcile = { list: string; since: string } | { explain: string; untilLimit: string };

interface Content {
  "application/json": { schema: { $ref: string }; examples?: Record<string, { summary?: string; value: unknown }> };
}

interface Response {
  description: string;
  headers?: unknown;
  content?: Content;
  /** What may be called next, with values of the request or response. */
  links?: unknown;
}

export interface OperationObject {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  "x-sdk": { resource: string; method: string };
  "x-roles": string[];
  "x-scope": string;
  "x-account-scoped": boolean;
  "x-idempotency"?: "idempotent" | "conflict_safe" | "non_idempotent";
  "x-error-codes": string[];
  "x-pagination"?: { items: string };
  "x-reconcile"?: Reconcile;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  externalDocs: { url: string };
  tags: { name: string; description: string; "x-id"?: string }[];
  "x-limits": Record<string, number | string>;
  /** What each extension means. Not in the published document, whose description has it. */
  "x-extensions"?: Record<string, string>;
  "x-error-table": Record<string, CodeRow & { group: string }>;
  "x-field-error-table": Record<string, FieldCodeRow>;
  paths: Record<string, Record<string, unknown>>;
  webhooks: Record<string, { post: { "x-signature": Record<string, string | number>; parameters: Parameter[] } }>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    responses: Record<string, { description: string; headers?: unknown; content: Content }>;
    parameters: Record<string, Parameter>;
    examples?: Record<string, { summary: string; value: unknown }>;
  };
}

/** Every operation with its method, path and parameters. */
export function* operationsOf(document: OpenApiDocument) {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method] as OperationObject | undefined;
      if (!operation) continue;
      const shared = (item.parameters ?? []) as (Parameter | { $ref: string })[];
      const parameters = [...shared, ...(operation.parameters ?? [])].map((parameter) =>
        "$ref" in parameter
          ? (document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""] as Parameter)
          : parameter,
      );
      yield { method: method.toUpperCase(), path, operation, parameters };
    }
  }
}

/** What the code table can say of an operation: the conditions that it meets, and its id. */
export function conditionsOf(operation: OperationObject, parameters: Parameter[], allRoles: string[]): Set<string> {
  const conditions = new Set<Condition | string>(["every-operation", operation.operationId]);
  if (operation["x-account-scoped"]) conditions.add("account-scoped");
  if (allRoles.some((role) => !operation["x-roles"].includes(role))) conditions.add("role-restricted");
  if (parameters.some((parameter) => parameter.in === "path")) conditions.add("path-id");
  if (parameters.some((parameter) => parameter.in === "query")) conditions.add("query");
  if (operation.requestBody) conditions.add("body");
  return conditions;
}

function errorExample(code: string, row: CodeRow & { group: string }) {
  const value = {
    code,
    status: row.status ?? row.mock,
    title: row.group,
    detail: row.meaning,
    ...row.example,
    requestId: "req-example",
  };
  return { summary: row.meaning, value };
}

/** Adds the parameters and headers that operations have by what they are: the account, the ids in the path, the request id. */
function addSharedParts({ paths, tags }: OpenApiDocument): void {
  const accountId = { $ref: "#/components/parameters/AccountId" };
  const idDescriptions = new Map(tags.map(({ name, "x-id": description }) => [name, description]));
  for (const tag of tags) delete tag["x-id"];
  for (const [path, item] of Object.entries(paths)) {
    const operations = methods.flatMap((method) => (item[method] as OperationObject | undefined) ?? []);
    const isScopedAsAWhole = operations.every((operation) => operation["x-account-scoped"]);
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
      name,
      in: "path" as const,
      required: true,
      description: idDescriptions.get(operations[0]?.tags[0] ?? "") ?? "",
      "x-assumption": "A-6",
      schema: { type: "string" },
    }));
    const shared = [...(isScopedAsAWhole ? [accountId] : []), ...ids];
    paths[path] = { ...(shared.length > 0 && { parameters: shared }), ...item };
    for (const operation of operations) {
      if (!isScopedAsAWhole && operation["x-account-scoped"])
        operation.parameters = [accountId, ...(operation.parameters ?? [])];
      for (const [status, { description, ...others }] of Object.entries(operation.responses))
        operation.responses[status] = { description, headers: requestIdHeader, ...others };
    }
  }
}

const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

/** The response that any operation may give besides those of its error codes. */
const otherResponse = { $ref: "#/components/responses/Unexpected" };

/** The error responses of an operation, by status, with an example for each code. All have the body of `Unexpected`. */
function errorResponses(codes: readonly string[], { components, ...document }: OpenApiDocument) {
  const rows = document["x-error-table"];
  const schema = components.responses.Unexpected?.content["application/json"].schema;
  const byStatus = Map.groupBy(codes, (code) => String(rows[code]?.status ?? rows[code]?.mock));
  // Mock tools return the first example for an invalid body, so it should have field errors.
  const namesFieldsFirst = (one: string, other: string) =>
    Number(rows[other]?.errors ?? false) - Number(rows[one]?.errors ?? false);
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => {
      const content = { "application/json": { schema, examples: examplesOf(listed.toSorted(namesFieldsFirst)) } };
      const { description = "" } = components.responses[status] ?? {};
      return [status, { description, headers: requestIdHeader, content } as Response];
    }),
  );
}

/** A row as the packages have it. */
const withoutTexts = ({ advice: _, causes: __, ...row }: CodeRow): CodeRow => row;

const examplesOf = (codes: readonly string[]) =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])) as never;

/**
 * Completes a bundled document with everything that follows from what is written: the values of code enums, each operation's
 * parameters, headers, codes and error responses, and an example for each code.
 */
export function expand(document: OpenApiDocument, table: CodeTable): OpenApiDocument {
  const rows: OpenApiDocument["x-error-table"] = {};
  for (const { title, codes } of table.groups) {
    for (const [code, row] of Object.entries(codes)) rows[code] = { group: title, ...withoutTexts(row) };
  }
  const values: Record<string, string[]> = {
    "error-codes": Object.keys(rows),
    "field-codes": Object.keys(table.fieldCodes),
  };
  for (const schema of Object.values(document.components.schemas)) {
    const from = schema["x-values-from"];
    if (typeof from === "string") schema.enum = values[from];
    delete schema["x-values-from"];
  }
  document.components.examples = Object.fromEntries(
    Object.entries(rows).map(([code, row]) => [code, errorExample(code, row)]),
  );
  document["x-error-table"] = rows;
  document["x-field-error-table"] = Object.fromEntries(
    Object.entries(table.fieldCodes).map(([code, row]) => [code, withoutTexts(row)]),
  );
  addSharedParts(document);
  const allRoles = document.components.schemas.Role?.enum as string[];
  for (const { operation, parameters } of operationsOf(document)) {
    const conditions = conditionsOf(operation, parameters, allRoles);
    const codes = Object.keys(rows).filter((code) => rows[code]?.when?.some((condition) => conditions.has(condition)));
    operation["x-error-codes"] = codes;
    operation.responses = {
      ...operation.responses,
      ...errorResponses(codes, document),
      default: otherResponse as never,
    };
  }
  // One response for every other code, so that not each operation repeats all examples.
  const { Unexpected } = document.components.responses;
  if (Unexpected) {
    const { description, content, ...marks } = Unexpected;
    content["application/json"].examples = examplesOf(Object.keys(rows));
    document.components.responses = { Unexpected: { description, headers: requestIdHeader, content, ...marks } };
  }
  return document;
}

/** What openapi/ lacks, or where it contradicts itself. */
export class IncompleteDescription extends Error {
  override readonly name = "IncompleteDescription";

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ file, line, message }) => `  ${file}:${line}  ${message}`);
    super(`openapi/ has ${problems.length} problem${problems.length === 1 ? "" : "s"}:\n${lines.join("\n")}`);
  }
}

/** A problem of the bundler with the line in its file. */
function located(folder: URL, shown: string, { message, location: [at] }: NormalizedProblem): Problem {
  const name = at?.source.absoluteRef.slice(fileURLToPath(folder).length) ?? "openapi.yaml";
  const file = new YamlFile(new URL(name, folder), `${shown}${name}`);
  const steps = at?.pointer?.split("/").slice(1) ?? [];
  return new Place(
    file,
    steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")),
  ).problem(message);
}

/** Reads the table of codes. */
export function readCodeTable(folder: URL = openapiFolder): CodeTable {
  const read = (name: string): unknown => parse(readFileSync(new URL(name, folder), "utf8"));
  return fillLimits(read("error-codes.yaml") as CodeTable, (read("openapi.yaml") as OpenApiDocument)["x-limits"]);
}

/**
 * Bundles one file of a folder.
 * @param shown The folder in messages
 * @throws {IncompleteDescription} names what the bundler finds
 */
async function bundled(folder: URL, name: string, shown: string): Promise<OpenApiDocument> {
  const config = await loadConfig({ configPath: fileURLToPath(new URL("redocly.yaml", folder)) });
  const { bundle: result, problems } = await bundle({ ref: fileURLToPath(new URL(name, folder)), config });
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new IncompleteDescription(errors.map((problem) => located(folder, shown, problem)));
  const document = result.parsed as OpenApiDocument;
  return fillLimits(document, document["x-limits"] ?? {});
}

/** Reads and bundles the rest of openapi/. */
export const bundleDocument = (folder: URL = openapiFolder): Promise<OpenApiDocument> =>
  bundled(folder, "openapi.yaml", "openapi/");

/**
 * Reads, checks, bundles and completes openapi/.
 *
 * @throws {IncompleteDescription} names every missing mark, summary and example with its file and line
 */
export async function loadDocument(folder: URL = openapiFolder): Promise<OpenApiDocument> {
  const problems = problemsIn(folder);
  if (problems.length > 0) throw new IncompleteDescription(problems);
  return expand(await bundleDocument(folder), readCodeTable(folder));
}

/** Reads and bundles the document of the control plane, with a property for each policy. */
export async function loadControl(): Promise<OpenApiDocument> {
  const document = await bundled(new URL("control/", openapiFolder), "control.yaml", "openapi/control/");
  Object.assign(document.components.schemas.Policies ?? {}, { properties: policySchemas() });
  return document;
}
