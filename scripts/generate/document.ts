// Bundles openapi/ into one OpenAPI document that includes the table of error codes.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, loadConfig, type NormalizedProblem } from "@redocly/openapi-core";
import { parse } from "yaml";
import { compactJson } from "./text.ts";

export const openapiFolder = new URL("../../openapi/", import.meta.url);

/** A row of error-codes.yaml. */
export interface CodeRow {
  status?: number;
  mock?: number;
  meaning: string;
  stated?: boolean;
  errors?: boolean;
  effect?: "none";
  when?: Condition[];
  onDemand?: boolean;
  example?: Record<string, unknown>;
}
type Condition = "every-operation" | "account-scoped" | "role-restricted" | "path-id" | "body" | "query";

export interface CodeTable {
  groups: { title: string; codes: Record<string, CodeRow> }[];
  fieldCodes: Record<string, { meaning: string; stated?: boolean }>;
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

export interface OperationObject {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  "x-sdk": { resource: string; method: string };
  "x-roles": string[];
  "x-scope": string;
  "x-account-scoped": boolean;
  "x-retry"?: "safe" | "unique" | "once";
  "x-error-codes": string[];
  "x-paging"?: { items: string };
  "x-reconcile"?: Reconcile;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; headers?: unknown; content?: Content } | { $ref: string }>;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  "x-limits": Record<string, number | string>;
  "x-error-table": Record<string, CodeRow & { group: string }>;
  paths: Record<string, Record<string, unknown>>;
  webhooks: Record<string, { post: { "x-signature": Record<string, string | number> } }>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    responses: Record<string, { description: string; headers: unknown; content: Content }>;
    parameters: Record<string, Parameter>;
    examples?: Record<string, { summary: string; value: unknown }>;
  };
}

const methods = ["get", "put", "post", "delete", "patch"];

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

/** Conditions of the code table that an operation meets. */
function conditionsOf(operation: OperationObject, parameters: Parameter[], allRoles: string[]): Set<Condition> {
  const conditions = new Set<Condition>(["every-operation"]);
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

/** Adds the code table to a bundled document: enums, the codes of each operation, and an example for each code. */
export function expand(document: OpenApiDocument, table: CodeTable): OpenApiDocument {
  const rows: OpenApiDocument["x-error-table"] = {};
  for (const { title, codes } of table.groups) {
    for (const [code, row] of Object.entries(codes)) rows[code] = { group: title, ...row };
  }
  const values: Record<string, string[]> = {
    "error-codes": Object.keys(rows),
    "field-codes": Object.keys(table.fieldCodes),
  };
  for (const schema of Object.values(document.components.schemas)) {
    const from = schema["x-values-from"];
    if (typeof from === "string") schema.enum = values[from];
  }
  document.components.examples = Object.fromEntries(
    Object.entries(rows).map(([code, row]) => [code, errorExample(code, row)]),
  );

  const allRoles = document.components.schemas.Role?.enum as string[];
  for (const { operation, parameters } of operationsOf(document)) {
    const conditions = conditionsOf(operation, parameters, allRoles);
    const own = new Set(operation["x-error-codes"]);
    for (const code of own) {
      if (!rows[code])
        throw new Error(
          `${operation.operationId}: x-error-codes names the unknown code ${code}. Add it to error-codes.yaml.`,
        );
    }
    const codes = Object.keys(rows).filter(
      (code) => own.has(code) || rows[code]?.when?.some((condition) => conditions.has(condition)),
    );
    operation["x-error-codes"] = codes;
    const byStatus = Map.groupBy(codes, (code) => String(rows[code]?.status));
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!("$ref" in response)) continue;
      const shared = document.components.responses[response.$ref.split("/").at(-1) ?? ""];
      const listed = status === "default" ? Object.keys(rows) : byStatus.get(status);
      if (!shared || !listed)
        throw new Error(
          `${operation.operationId}: no error code has the documented status ${status}. Add one or remove the response.`,
        );
      // The default response keeps its reference: all examples in each operation would be too long.
      if (status === "default") continue;
      operation.responses[status] = {
        ...shared,
        content: {
          "application/json": {
            ...shared.content["application/json"],
            examples: Object.fromEntries(
              // Mock tools return the first example for an invalid body, so it should have field errors.
              listed
                .toSorted((one, other) => Number(rows[other]?.errors ?? false) - Number(rows[one]?.errors ?? false))
                .map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ) as never,
          },
        },
      };
      byStatus.delete(status);
    }
    for (const [status, missing] of byStatus) {
      throw new Error(
        `${operation.operationId}: ${missing.join(", ")} need the response ${status}, which is missing. Add it.`,
      );
    }
  }
  // The shared default response has an example for every code, including those that no operation lists.
  const unexpected = document.components.responses.Unexpected;
  if (unexpected) {
    unexpected.content["application/json"].examples = Object.fromEntries(
      Object.keys(rows).map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    ) as never;
    document.components.responses = { Unexpected: unexpected };
  }
  document["x-error-table"] = rows;
  return document;
}

export function readCodeTable(): CodeTable {
  return parse(readFileSync(new URL("error-codes.yaml", openapiFolder), "utf8")) as CodeTable;
}

/** A problem with its file and position. */
const formatProblem = ({ message, location: [at] }: NormalizedProblem): string =>
  at ? `${message} (${at.source.absoluteRef} ${at.pointer ?? ""})` : message;

/** Reads, bundles and expands openapi/. */
export async function loadDocument(): Promise<OpenApiDocument> {
  const config = await loadConfig({ configPath: fileURLToPath(new URL("redocly.yaml", openapiFolder)) });
  const { bundle: result, problems } = await bundle({
    ref: fileURLToPath(new URL("openapi.yaml", openapiFolder)),
    config,
  });
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new Error(errors.map(formatProblem).join("\n"));
  return expand(result.parsed as OpenApiDocument, readCodeTable());
}

/** The document as it is published. The error codes and their examples are tables. */
export const renderDocument = (document: OpenApiDocument): string =>
  `${compactJson(document, [document["x-error-table"], document.components.examples])}\n`;
