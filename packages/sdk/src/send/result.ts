// The result of an attempt: its effect on the server, what its response says, or why there is none, in messages without secrets.
import { CallTransferError, kind as kindOf } from "../errors/base.ts";
import type { ApiErrorDetails, AttemptErrorCode, RequestOutcome } from "../errors/details.ts";
import {
  AbortError,
  ConnectionError,
  type Failure,
  InvalidResponseError,
  RequestError,
  TimeoutError,
} from "../errors/request-error.ts";
import { noEffectCodes } from "../generated/constants.gen.ts";
import { momentOf } from "../options/clock.ts";
import { inBrowser } from "../options/runtime.ts";
import { isError, isInstance, isObject, isText, messageOf, orElse } from "../utils/guards.ts";
import { shortStack } from "../utils/inspect.ts";
import { excerpt } from "../utils/redact.ts";
import { BodyTooLarge, type ReadResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call, OpenAttempt } from "./call.ts";
import { longest, retryHint } from "./retry.ts";

const byCertainty: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** Combines the outcomes of two attempts. `unknown` stays: a later refusal says nothing about an earlier attempt. */
export function combine(one: RequestOutcome, other: RequestOutcome): RequestOutcome {
  return byCertainty.indexOf(one) > byCertainty.indexOf(other) ? one : other;
}

/** Whether a response is a 503 that had no effect, if assumption A-28 is right. */
export const isEffectFree = (status: number | undefined, code = ""): boolean =>
  status === 503 && noEffectCodes.includes(code);

/** Effect of an attempt by its status and code. Whether to rely on assumption A-28 is the caller's choice. */
export function outcomeOfResponse(status: number, code: string | undefined, trust503Codes: boolean): RequestOutcome {
  if (status >= 200 && status < 300) return "applied";
  if (trust503Codes && isEffectFree(status, code)) return "rejected";
  return status >= 300 && status < 500 && status !== 408 ? "rejected" : "unknown";
}

/** The media type of a response, without parameters. */
export const contentTypeOf = (response: Response): string =>
  response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

/** Whether a success is labelled as a page or a file. JSON without a label often gets plain text. */
const isForeign = (response: Response): boolean => {
  const type = contentTypeOf(response);
  return type !== "" && type !== "text/plain" && !isJsonType(type);
};

/** Effect of an attempt by its response. A browser hides a redirect behind status 0, like a lost connection. */
export function effectOf(response: Response, code?: string, trust503Codes = false): RequestOutcome {
  if (response.type === "opaqueredirect") return "rejected";
  // A success that is not JSON does not come from the API.
  return response.ok && isForeign(response) ? "unknown" : outcomeOfResponse(response.status, code, trust503Codes);
}

/** System calls before a connection exists. If they fail, nothing was sent, whatever the code. */
const beforeConnection = /^(?:connect|getaddrinfo|query\w+)$/;

/**
 * Codes that prove it in an error without a system call. In `read` or `write` the same code proves nothing. Bun's
 * `ConnectionRefused` is left out: before 1.3.14, Bun resends a lost POST and reports this code if that is refused.
 */
const provingCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:CONNECT_TIMEOUT|CLOSED|PRX_TLS)|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(?:GET_ISSUER_CERT\w*|VERIFY_LEAF_SIGNATURE)|INVALID_(?:CA|PURPOSE))$/;

/**
 * Whether an error of fetch proves that nothing was sent. Every error in it with a system call or a code must prove it,
 * and so must every address that was tried. Messages prove nothing: Deno says "Connection refused" after sending a POST.
 */
function provesUnsent(error: unknown, depth = 5): boolean {
  const { errors, syscall, code, cause } = Object(error) as Readonly<Record<string, unknown>>;
  const isMany = Array.isArray(errors);
  const parts: readonly unknown[] = isMany ? errors : cause === undefined ? [] : [cause];
  // Node gives an AggregateError the code of its first part.
  const isPlain = isMany || (syscall ?? code) === undefined;
  const proves = syscall === undefined ? isText(code, provingCodes) : isText(syscall, beforeConnection);
  return depth > 0 && (isPlain ? parts.length > 0 : proves) && parts.every((part) => provesUnsent(part, depth - 1));
}

/** Effect of an attempt, by what was seen of it, or else by the error of fetch. Runtimes that hide the cause lead to `unknown`. */
export const outcomeOfFailure = (error: unknown, isUnsent?: boolean): RequestOutcome =>
  // Its getters may throw.
  (isUnsent ?? orElse(() => provesUnsent(error), false)) ? "not_sent" : "unknown";

/** Codes of failures by the names of their classes. */
const attemptErrors: Readonly<Record<string, AttemptErrorCode>> = {
  TimeoutError: "timeout",
  AbortError: "aborted",
  InvalidResponseError: "body_too_large",
  RequestError: "callback_failed",
};

/** Result of an attempt that failed or was interrupted. An error of the SDK from before the first sending is thrown again. */
export function failedResult(state: AttemptState, thrown: unknown, interruption?: Failure): AttemptResult {
  const { number, attempt, reading, waitingFor } = state;
  if (number === 1 && !attempt && isInstance(thrown, CallTransferError)) throw thrown;
  const failure = interruption ?? orElse(() => failureOf(thrown, state), undefined);
  if (!failure) return unexplained(state);
  const { kind } = failure;
  const hung = kind === TimeoutError && waitingFor ? `: ${waitingFor} has not returned` : "";
  const message = failure.message + hung;
  const lost = attempt?.status ? "connection_lost" : "connection_failed";
  if (attempt) attempt.error = attemptErrors[kind[kindOf]] ?? lost;
  return {
    ...state,
    failure: { ...failure, message },
    interrupted: kind === ConnectionError || kind === TimeoutError,
    final: kind === AbortError || kind === RequestError,
    status: attempt?.status,
    partialBody: reading?.response.ok ? orElse(() => reading.buffer.text(false), undefined) : undefined,
  };
}

/** What a message says if describing a failure fails. */
export const untold = "failed, and why cannot be told";

/** Result of an attempt whose response or failure could not be described. */
export function unexplained(state: AttemptState): AttemptResult {
  const { status } = state.attempt ?? {};
  return { ...state, failure: { kind: RequestError, message: untold }, interrupted: !status, status };
}

function failureOf(error: unknown, { call: { clean }, attempt, reading, returned, failed }: AttemptState): Failure {
  const reason = excerpt(clean(describeError(error)));
  const status = reading?.response.status;
  if (isInstance(error, BodyTooLarge))
    return { kind: InvalidResponseError, message: `answered ${status} with a body ${reason}` };
  if (failed?.error !== error) {
    const what = returned
      ? "failed: the response returned by middleware cannot be read"
      : attempt
        ? "was sent, but middleware threw"
        : "failed: middleware or the accessToken function threw";
    // Unchanged before sending, so that callers recognize their own error.
    const cause = attempt || returned ? sanitizeError(error, clean) : error;
    return { kind: RequestError, message: `${what}: ${reason}`, cause };
  }
  const what = attempt?.status
    ? `lost the connection in the body of its ${attempt.status} response`
    : "could not be sent or lost its connection";
  // Browsers hide the reason from a page.
  const hint = inBrowser() && !attempt?.status ? ". The browser's console says why" : "";
  return { kind: ConnectionError, message: `${what}: ${reason}${hint}`, cause: sanitizeError(error, clean) };
}

/** Copies an error without its other properties: errors may carry whole requests with their headers. */
function sanitizeError(error: unknown, cleanText: Call["clean"], depth = 5): unknown {
  const clean = (value: unknown) => cleanText(messageOf(value));
  try {
    if (!isError(error) || depth === 0) return clean(error);
    const { name, cause, code, errors } = error as Error & { code?: unknown; errors?: unknown };
    const inner = (one: unknown) => sanitizeError(one, cleanText, depth - 1);
    return Object.assign(
      new Error(excerpt(clean(error), 2000)),
      { name, stack: clean(shortStack(error)) },
      isText(code) && { code: clean(code) },
      cause !== undefined && { cause: inner(cause) },
      Array.isArray(errors) && { errors: errors.map(inner) },
    );
  } catch {
    // Its getters may throw.
    return clean(undefined);
  }
}

/** An error's message with those of its causes: fetch itself only reports that it failed. */
export function describeError(error: unknown): string {
  try {
    const { cause } = Object(error) as { cause?: { errors?: unknown } };
    const inner: unknown[] = Array.isArray(cause?.errors) ? cause.errors : [cause];
    const reasons = inner
      .filter(isError)
      .map((part) => messageOf(part) || ((part as { code?: string }).code ?? part.name));
    return reasons.length > 0 ? `${messageOf(error)} (${[...new Set(reasons)].join(", ")})` : messageOf(error);
  } catch {
    return messageOf(error);
  }
}

/** The request ID for support, redacted: servers may put anything there. */
export function requestIdOf({ headers }: Response, { clean }: Pick<Call, "clean">): string | undefined {
  const id = headers.get("x-request-id");
  return id ? clean(id) : undefined;
}

/** Records what the headers say, which counts even if the body never arrives. */
export function recordHead(state: AttemptState, attempt: OpenAttempt, response: Response): void {
  const { call } = state;
  const { headers } = response;
  const requestId = requestIdOf(response, call);
  if (requestId) attempt.requestId = requestId;
  logDeprecation(headers, call);
  const date = headers.get("date");
  if (date) call.settings.serverTime.note(date, momentOf(call.settings));
  if (!response.ok) state.hintSecs = retryHint(undefined, headers, call.settings.clock.now());
}

/** Logs once per operation that the server will change or remove it. */
function logDeprecation(headers: Headers, { operationId, settings, clean }: Call): void {
  const { log, loggedDeprecations } = settings;
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  const notices = [
    deprecation !== null && ` is deprecated (${deprecation})`,
    sunset !== null && ` will stop working on ${sunset}`,
  ].filter(Boolean);
  if (!notices[0] || loggedDeprecations.has(operationId)) return;
  log.warn?.(() => {
    // Only where a logger receives it: copies of a client share this record.
    loggedDeprecations.add(operationId);
    return excerpt(clean(`${operationId}${notices.join(" and")}`));
  }, `${operationId} deprecated`);
}

export function recordRefusal(state: AttemptState, attempt: OpenAttempt, read: ReadResponse): void {
  const { problem, code, hintSecs } = readRefusal(state.call, read);
  if (code) attempt.code = code;
  if (typeof problem?.requestId === "string") attempt.requestId ??= problem.requestId;
  state.outcome = effectOf(read.response, code, state.call.retryPolicy.trust503Codes);
  state.hintSecs = hintSecs;
}

/** The last attempt in a line of the log. */
export function summaryOf({ operationId, attempts }: Call, result: AttemptResult): string {
  const { durationMs = 0, code, requestId } = attempts.at(-1) ?? {};
  const ended = result.failure?.message ?? `answered ${result.status}${code ? ` ${excerpt(code, 100)}` : ""}`;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${durationMs} ms${request}`;
}

/** Body of an error response, secrets redacted; undefined where it is not a JSON object or nests too deeply. */
type Problem = ApiErrorDetails["body"];

/** Result of a complete exchange. Names each field: a literal that begins with a spread takes 10 µs on Node 20. */
const resultOf = ({ attempt, credential, outcome }: AttemptState, { response, text }: ReadResponse) => {
  return { attempt, credential, outcome, response, text, status: response.status };
};

/** Result of a success: its data, or why its body is unusable. */
export function success(state: AttemptState, read: ReadResponse): AttemptResult {
  const { call } = state;
  const { response } = read;
  const text = read.text ?? "";
  const result = resultOf(state, read);
  if ((call.success !== "object" && !text) || (call.anyBody && !call.success)) return result;
  const value = parseJson(text);
  const data = call.success ? asObject(value) : value;
  if (data !== undefined) {
    const missing = missingField(call, response.status, data);
    if (missing) return invalid(result, `a body without ${missing}`);
    return Object.assign(result, { data });
  }
  const type = contentTypeOf(response);
  // Truncated JSON comes from the API. Anything else may come from a login page or a wrong address.
  const isBroken = value === undefined && (isJsonType(type) ? !/^\s*</.test(text) : /^\s*\{/.test(text));
  if (isBroken) return invalid(result, "invalid or truncated JSON");
  const what = text ? excerpt(call.clean(type || "no content type"), 60) : "empty";
  const problem = `a body that is not ${call.success ? "a JSON object" : "JSON"} (${what}): check baseUrl and proxies`;
  const outcome = result.outcome === "applied" ? "unknown" : result.outcome;
  return invalid({ ...result, outcome }, problem);
}

/** The field that a success is unusable without, if it is missing. */
function missingField({ result }: Call, status: number, data: unknown): string | undefined {
  const fields = Object(data) as Readonly<Record<string, unknown>>;
  const byKey = Object.entries(result ?? {});
  const hasTypes = byKey.some(([key]) => /\D/.test(key));
  if (hasTypes && typeof fields.type !== "string") return "type";
  const own = hasTypes ? fields.type : `${status}`;
  return byKey.find(([key, needed]) => key === own && !fields[needed])?.[1];
}

/** Result of a success with an unusable body, which is kept. */
function invalid(result: AttemptResult, problem: string, cause?: unknown): AttemptResult {
  const failure = { kind: InvalidResponseError, message: `answered ${result.status} with ${problem}`, cause };
  return { ...result, data: undefined, partialBody: result.text ?? undefined, failure };
}

export async function validated(call: Call, result: AttemptResult): Promise<AttemptResult> {
  try {
    await call.settings.responseValidator?.(call.operationId, result.data);
    return result;
  } catch (error) {
    const reason = excerpt(call.clean(messageOf(error)));
    const cause = sanitizeError(error ?? "nothing", call.clean);
    return invalid(result, `a body that failed validation (${reason})`, cause);
  }
}

/** Result of an error response, from the API or a proxy. */
export function refusal(state: AttemptState, read: ReadResponse): AttemptResult {
  const facts = readRefusal(state.call, read);
  // A response that middleware returns instead does not shorten the wait.
  return { ...resultOf(state, read), ...facts, hintSecs: longest(state.hintSecs, facts.hintSecs) };
}

/** What an error response says. */
function readRefusal({ settings, clean }: Call, { response: { headers }, text }: ReadResponse) {
  const bodyText = clean(text ?? "");
  const parsed = parseObject(bodyText);
  const problem = isDeep(parsed) ? undefined : parsed;
  const hintSecs = retryHint(problem?.meta, headers, settings.clock.now());
  return { problem, code: codeOf(problem), bodyText: (!problem && bodyText) || undefined, hintSecs };
}

export function codeOf(problem: Problem): string | undefined {
  const code = problem?.code;
  return typeof code === "string" ? code : undefined;
}

/** Returns undefined for anything but JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns undefined for anything but a JSON object. */
export const parseObject = (text: string): Problem => asObject(parseJson(text));

/** Whether a value nests deeper than 64 levels. What logs it walks through all of them, on what is left of the stack. */
const isDeep = (value: unknown, levels = 64): boolean =>
  isObject(value) && (levels < 1 || Object.values(value).some((part) => isDeep(part, levels - 1)));

const asObject = (value: unknown): Problem =>
  typeof value === "object" && !Array.isArray(value) ? ((value ?? undefined) as Problem) : undefined;
