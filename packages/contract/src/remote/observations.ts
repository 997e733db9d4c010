import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { judge } from "../document/check-response.ts";
import { codesOutsideOperations } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import type { Finding } from "../suite/check.ts";
import { describeValue } from "../suite/trace.ts";

/** A response, for observations across all cases. */
export interface ReceivedResponse {
  readonly operation: OperationId | undefined;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined for other bodies. */
  readonly body: unknown;
}

const finding = (assumption: string, subject: string, observed: string, holds = true): Finding => ({
  assumption,
  subject,
  observed,
  holds,
});

const rowOf = (code: unknown) =>
  typeof code === "string" && Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : undefined;

/** The request id of any response (§2.6). */
function* ofRequestId({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  const place = operation ?? "a path without an operation";
  const header = headers.has("X-Request-Id");
  yield finding("A-52", `X-Request-Id of ${place} (${status})`, header ? "present" : "missing", header);
  if (status < 400 || !isObject(body)) return;
  const repeated = typeof body.requestId === "string";
  yield finding("A-52", `requestId of ${place} (${status})`, repeated ? "present" : "missing or null", repeated);
}

function* ofError({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (status < 400 || !isObject(body)) return;
  const { code, title, errors, meta } = body;
  const row = rowOf(code);
  const what = `${describeValue(code)} (${status})`;
  if (isObject(meta)) {
    const { retryAfterSecs } = meta;
    const fits = retryAfterSecs === undefined || (typeof retryAfterSecs === "number" && retryAfterSecs >= 0);
    yield finding("A-2", `meta of ${what}`, Object.keys(meta).join(", ") || "no field", fits);
  }
  if (row) {
    yield finding("A-3", `title of ${what}`, describeValue(title), title === row.title);
    const names = Array.isArray(errors) && errors.length > 0;
    yield finding("A-4", `errors of ${what}`, names ? "named" : "none", names === row.hasFieldErrors);
  }
  const listed = operation ? (operations[operation].errorCodes as readonly unknown[]) : codesOutsideOperations;
  // Any code is allowed, so an unlisted one is only reported.
  const place = operation ?? "a path without an operation";
  if (!listed.includes(code)) yield finding("A-5", `unlisted code of ${place}`, what);
  if (status === 401) {
    const challenge = headers.get("WWW-Authenticate");
    yield finding("A-50", `WWW-Authenticate of ${what}`, challenge ?? "missing", /^bearer\b/i.test(challenge ?? ""));
  }
  if (status === 429) {
    const places = [
      ...(isObject(meta) && typeof meta.retryAfterSecs === "number" ? ["meta.retryAfterSecs"] : []),
      ...(headers.has("Retry-After") ? ["Retry-After"] : []),
    ];
    yield finding("A-40", `the wait of ${what}`, places.join(", ") || "missing", places.length > 0);
    yield finding("A-38", "a limit", what);
  }
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** All strings in a body. Without recursion, because deep nesting would overflow the stack. */
function* textsIn(body: unknown): Generator<string> {
  const left = [body];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node === "string") yield node;
    else if (isObject(node)) for (const child of Object.values(node)) left.push(child);
  }
}

function* ofSuccess({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (operation && (headers.has("Deprecation") || headers.has("Sunset")))
    yield finding("A-41", operation, "deprecated by its headers");
  if (!operation || status >= 400 || body === undefined) return;
  if (isObject(body) && typeof body.signingSecret === "string") {
    const caching = headers.get("Cache-Control");
    yield finding("A-51", operation, caching ?? "no Cache-Control", /\bno-store\b/i.test(caching ?? ""));
  }
  const { violations, differences } = judge(operation, status, body);
  for (const { assumption, text } of differences) yield finding(assumption, `the body of ${operation}`, text, false);
  if (violations.length + differences.length === 0)
    yield finding("A-7", operation, "only values that the contract lists");
  for (const form of new Set([...textsIn(body)].flatMap((text) => dateTime.exec(text)?.[2] ?? [])))
    yield finding("A-11", `times of ${operation}`, form, form === "Z");
}

/** What all responses show about the assumptions. */
export const findingsOf = (answers: readonly ReceivedResponse[]): Finding[] =>
  answers.flatMap((answer) => [...ofRequestId(answer), ...ofError(answer), ...ofSuccess(answer)]);
