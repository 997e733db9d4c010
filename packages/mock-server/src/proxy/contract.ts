import { recordForLog } from "@call-transfer/backend/unstable";
import { type OperationDescription, operations } from "@call-transfer/spec";
import bundled from "@call-transfer/spec/openapi.json" with { type: "json" };
import * as generated from "@call-transfer/spec/schemas";
import { sectionIn, valueAt } from "./deviation.ts";

export interface Violation {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A schema of a body, with the section of the specification that defines it. */
export interface BodySchema {
  violations(value: unknown): readonly Violation[];
  readonly section?: string;
}

/** The properties of a zod issue that are read. */
interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly values?: readonly unknown[];
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

interface Checker {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly issues: readonly Issue[] } };
}

const document: unknown = bundled;
const checkers: Readonly<Record<string, unknown>> = generated;

const all: readonly OperationDescription[] = Object.values(operations);
const byPath = all
  // Literal segments take precedence over path parameters.
  .toSorted((one, other) => one.pathParameters.length - other.pathParameters.length)
  .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));

/** The operations of a path, one for each method. */
export function operationsAt(path: string): readonly OperationDescription[] {
  const [first] = byPath.filter(({ pattern }) => pattern.test(path));
  return first === undefined ? [] : all.filter((operation) => operation.path === first.operation.path);
}

/** The section of the specification that describes an operation. */
export function sectionOf(operation: OperationDescription): { section?: string } {
  const description = textAt(["paths", operation.path, operation.method.toLowerCase(), "description"]);
  return sectionIn(description);
}

/** The schema of an operation's query; undefined without one. */
export function querySchema({ id }: OperationDescription): BodySchema | undefined {
  return schemaOf(valueAt(generated.requestSchemas, [id, "query"]), undefined);
}

/** The schema of an operation's request body; undefined without one. */
export function requestBodySchema({ path, method }: OperationDescription): BodySchema | undefined {
  return bodySchemaAt(["paths", path, method.toLowerCase(), "requestBody"]);
}

/** The schema of the body of a response; an error status that is not listed has that of every error. */
export function responseBodySchema({ path, method }: OperationDescription, status: number): BodySchema | undefined {
  const responses = ["paths", path, method.toLowerCase(), "responses"];
  const isListed = valueAt(document, [...responses, String(status)]) !== undefined;
  if (!isListed && status < 400) return undefined;
  return bodySchemaAt([...responses, isListed ? String(status) : "default"]);
}

export const errorSchema: BodySchema | undefined = namedSchema("ErrorResponse");

/** Fields that only the responses of some operations show, with these operations. */
export const restrictedFields: ReadonlyMap<string, readonly string[]> = new Map(
  markedFields(valueAt(document, ["components", "schemas"])),
);

function* markedFields(node: unknown): Generator<readonly [string, readonly string[]]> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, child] of Object.entries(node)) {
    const shownBy = valueAt(child, ["x-shown-by"]);
    if (Array.isArray(shownBy)) yield [name, shownBy.map(String)];
    yield* markedFields(child);
  }
}

/** The schema of the JSON content of a request body or a response of the document. */
function bodySchemaAt(path: readonly string[]): BodySchema | undefined {
  const reference = textAt([...path, "$ref"]);
  if (reference !== undefined) return bodySchemaAt(reference.split("/").slice(1));
  const schema = textAt([...path, "content", "application/json", "schema", "$ref"]);
  return schema === undefined ? undefined : namedSchema(schema.slice(schema.lastIndexOf("/") + 1));
}

/** The generated schema of a component of the document. */
function namedSchema(name: string): BodySchema | undefined {
  return schemaOf(checkers[`z${name}`], textAt(["components", "schemas", name, "description"]));
}

function schemaOf(checker: unknown, description: string | undefined): BodySchema | undefined {
  if (!isChecker(checker)) return undefined;
  return {
    ...sectionIn(description),
    violations(value) {
      const issues = checker.safeParse(value).error?.issues ?? [];
      return issues.map((issue) => ({ path: issue.path, message: issueMessage(issue, valueAt(value, issue.path)) }));
    },
  };
}

function isChecker(value: unknown): value is Checker {
  return typeof value === "object" && value !== null && "safeParse" in value;
}

const mostListed = 10;

function issueMessage(issue: Issue, value: unknown): string {
  const { code, message, values = [], expected, minimum, maximum } = issue;
  if (value === undefined) return "is missing";
  if (code === "invalid_type" && expected !== undefined) return `must be of type ${expected}`;
  if (code === "too_small" && minimum !== undefined) return `must ${extent(issue)} at least ${minimum}${unitOf(issue)}`;
  if (code === "too_big" && maximum !== undefined) return `must ${extent(issue)} at most ${maximum}${unitOf(issue)}`;
  if (code !== "invalid_value") return lowerCased(message);
  const shown =
    typeof value === "string" && value.length <= 40 ? JSON.stringify(recordForLog({ value }).value) : "the value";
  const listed = values.length > mostListed ? "" : `: ${values.join(", ")}`;
  return `${shown} is not one of the ${values.length} listed values${listed}`;
}

function extent({ origin }: Issue): string {
  return origin === "string" || origin === "array" ? "have" : "be";
}

function unitOf({ origin }: Issue): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}

function lowerCased(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function textAt(path: readonly string[]): string | undefined {
  const text = valueAt(document, path);
  return typeof text === "string" ? text : undefined;
}
