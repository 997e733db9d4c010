import type { Deviation } from "@call-transfer/backend/unstable";
import { type ErrorCode, errorCodes, type OperationDescription } from "@call-transfer/spec";
import { type BodySchema, errorSchema, responseBodySchema, restrictedFields, sectionOf } from "./contract.ts";
import { bodyPlace, valueAt } from "./deviation.ts";
import { type Content, isJson } from "./json-content.ts";

export interface CheckedResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The body; undefined for none, and for the answer of a HEAD request. */
  readonly content: Content | undefined;
}

type Found = Omit<Deviation, "side">;

/** Checks a response. Without an operation only what holds for every response. */
export function checkResponse(response: CheckedResponse, operation: OperationDescription | undefined): Deviation[] {
  return [...checkStatus(response, operation), ...checkRequestId(response), ...checkBody(response, operation)].map(
    (found) => ({ side: "response", ...found }),
  );
}

const errorStatuses: ReadonlySet<number | null> = new Set(Object.values(errorCodes).map(({ status }) => status));

/** Whether the document allows a status: it is listed, or it is an error that every operation may answer. */
function isDocumented({ status, content }: CheckedResponse, operation: OperationDescription | undefined): boolean {
  if (operation?.statuses.includes(status)) return true;
  if (status < 400) return operation === undefined;
  // The specification gives some codes no status.
  return errorStatuses.has(status) || statusOfCode(codeIn(content)) === null;
}

function* checkStatus(response: CheckedResponse, operation: OperationDescription | undefined): Generator<Found> {
  if (isDocumented(response, operation)) return;
  const listed = operation === undefined ? "" : `: ${operation.id} answers ${operation.statuses.join(", ")}`;
  const message = `${response.status} is not documented${listed}`;
  yield { where: "status", message, ...(operation && sectionOf(operation)) };
}

function* checkRequestId({ header, content }: CheckedResponse): Generator<Found> {
  const id = header("x-request-id");
  if (id === undefined || id === "") yield { where: "header X-Request-Id", message: "is missing", section: "§2.6" };
  const inBody = content !== undefined && "value" in content ? valueAt(content.value, ["requestId"]) : undefined;
  if (id && typeof inBody === "string" && inBody !== id)
    yield { where: "body/requestId", message: "differs from the header X-Request-Id", section: "§2.6" };
}

function* checkBody(response: CheckedResponse, operation: OperationDescription | undefined): Generator<Found> {
  const { status, header, content } = response;
  const schema = operation === undefined ? errorsOnly(status) : responseBodySchema(operation, status);
  if (schema === undefined) {
    if (operation?.statuses.includes(status) && content !== undefined)
      yield { where: "body", message: `must be empty with status ${status}`, ...sectionOf(operation) };
    return;
  }
  const place = schema.section === undefined ? {} : { section: schema.section };
  if (content === undefined) return yield { where: "body", message: "is missing", ...place };
  if (!isJson(header("content-type")))
    return yield { where: "header Content-Type", message: "must be application/json", section: "§1" };
  if ("unread" in content) return;
  if ("problem" in content) return yield { where: "body", message: content.problem, ...place };
  for (const { path, message } of schema.violations(content.value)) yield { where: bodyPlace(path), message, ...place };
  if (status >= 400) yield* checkError(response, content.value, operation);
  yield* checkRestricted(content.value, operation?.id);
}

function errorsOnly(status: number): BodySchema | undefined {
  return status >= 400 ? errorSchema : undefined;
}

/** Checks how the fields of an error fit together. */
function* checkError(
  response: CheckedResponse,
  body: unknown,
  operation: OperationDescription | undefined,
): Generator<Found> {
  const { status } = response;
  const code = codeIn(response.content);
  const expected = statusOfCode(code);
  // A status that is not documented is reported as such.
  if (typeof expected === "number" && expected !== status && isDocumented(response, operation))
    yield { where: "body/code", message: `${code} has the status ${expected}, not ${status}`, section: "§7.2" };
  const repeated = valueAt(body, ["status"]);
  if (Number.isInteger(repeated) && repeated !== status)
    yield { where: "body/status", message: `differs from the status line, which has ${status}`, section: "§2.6" };
  if (code === "validation_failed" && (valueAt(body, ["errors"]) ?? null) === null)
    yield { where: "body/errors", message: "is missing: validation_failed lists the fields", section: "§2.6" };
}

/** Finds fields that only other operations show, such as a secret. */
function* checkRestricted(
  node: unknown,
  operationId: string | undefined,
  path: readonly PropertyKey[] = [],
): Generator<Found> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    const step = Array.isArray(node) ? Number(name) : name;
    const shownBy = Array.isArray(node) ? undefined : restrictedFields.get(name);
    if (shownBy !== undefined && value !== null && !shownBy.includes(operationId ?? "")) {
      const message = `must not be shown: only ${shownBy.join(", ")} may`;
      yield { where: bodyPlace([...path, step]), message, section: "§2.1" };
    } else yield* checkRestricted(value, operationId, [...path, step]);
  }
}

/** The error code of a body; undefined without one. */
export function codeIn(content: Content | undefined): string | undefined {
  const code = content !== undefined && "value" in content ? valueAt(content.value, ["code"]) : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The status of an error code; null if the specification gives it none, undefined for an unknown code. */
function statusOfCode(code: string | undefined): number | null | undefined {
  return isErrorCode(code) ? errorCodes[code].status : undefined;
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code);
}
