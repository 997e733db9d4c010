// Why an attempt got no usable response, in messages without secrets.
import { CallTransferError, kind as kindOf } from "../errors/base.ts";
import type { AttemptErrorCode } from "../errors/details.ts";
import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  RequestError,
  TimeoutError,
} from "../errors/request-error.ts";
import { inBrowser } from "../options/runtime.ts";
import { isError, isInstance, isText, messageOf, orElse } from "../utils/guards.ts";
import { shortStack } from "../utils/inspect.ts";
import { excerpt } from "../utils/redact.ts";
import { BodyTooLarge } from "./body.ts";
import type { AttemptResult, AttemptState, Call, Failure } from "./call.ts";

/** Codes of failures by the names of their classes. */
const attemptErrors: Readonly<Record<string, AttemptErrorCode>> = {
  TimeoutError: "timeout",
  AbortError: "aborted",
  InvalidResponseError: "body_too_large",
  RequestError: "own_code_failed",
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
