// What an attempt changed on the server, and why it got no usable response, in messages without secrets.
import { CallTransferError, kind as kindOf } from "../errors/base.ts";
import type { AttemptErrorCode, RequestOutcome } from "../errors/details.ts";
import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  RequestError,
  TimeoutError,
} from "../errors/request-error.ts";
import { noEffectCodes } from "../generated/constants.gen.ts";
import { inBrowser } from "../options/runtime.ts";
import { isError, isInstance, isText, messageOf, orElse } from "../utils/guards.ts";
import { shortStack } from "../utils/inspect.ts";
import { excerpt } from "../utils/redact.ts";
import { BodyTooLarge } from "./body.ts";
import type { AttemptResult, AttemptState, Call, Failure } from "./call.ts";

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

export const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

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
export function sanitizeError(error: unknown, cleanText: Call["clean"], depth = 5): unknown {
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
