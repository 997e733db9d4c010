// Why an attempt gave no usable answer, in words that show no secret.

import { AbortError, ConnectionError, InvalidResponseError, RequestError, TimeoutError } from "../errors/errors.ts";
import { isText, messageOf } from "../utils/guards.ts";
import { excerpt, redact } from "../utils/redact.ts";
import type { Progress } from "./attempt.ts";
import { BodyTooLarge } from "./body.ts";
import type { AttemptResult, Call } from "./call.ts";
import type { Failure } from "./deadline.ts";

/**
 * How an attempt ends by what was thrown or what interrupted it. Throws on what the caller's own code threw before
 * anything was sent.
 *
 * @param number Which attempt it is, from 1.
 */
export function endOf(
  call: Call,
  number: number,
  progress: Progress,
  thrown: unknown,
  interruption?: Failure,
): AttemptResult {
  const { attempt, credential, reading, failed, effect, skewMs, hintSecs } = progress;
  const ownCode = !interruption && !failed && !attempt;
  if (ownCode && number === 1) throw thrown;
  const failure = interruption ?? failureOf(thrown, call, progress);
  const { kind, words } = failure;
  if (attempt) attempt.error = words;
  return {
    failure,
    interrupted: kind === ConnectionError || kind === TimeoutError,
    final: kind === AbortError || kind === RequestError,
    status: attempt?.status,
    outcome: effect,
    partialBody: reading?.response.ok ? reading.received.text(false) : undefined,
    attempt,
    credential,
    skewMs,
    hintSecs,
  };
}

function failureOf(error: unknown, { tokens }: Call, { attempt, reading, answered, failed }: Progress): Failure {
  const message = excerpt(redact(wordsOf(error), tokens));
  const cause = cleaned(error, tokens);
  const status = reading?.response.status;
  if (error instanceof BodyTooLarge) {
    return { kind: InvalidResponseError, words: `answered ${status} with a body ${message}` };
  }
  if (failed?.error !== error) {
    const words = answered
      ? "ended: the response that middleware returned cannot be read"
      : attempt
        ? "was sent, but middleware threw"
        : "ended: middleware or the token function threw";
    return { kind: RequestError, words: `${words}: ${message}`, cause };
  }
  const where = attempt?.status
    ? `lost the connection in the body of its ${attempt.status}`
    : "could not be sent or lost its connection";
  return { kind: ConnectionError, words: `${where}: ${message}`, cause };
}

/** A cause without anything but its words: errors of other code may carry whole requests with their headers. */
export function cleaned(error: unknown, tokens: ReadonlySet<string>, depth = 5): unknown {
  const clean = (words: unknown) => redact(messageOf(words), tokens);
  try {
    if (!(error instanceof Error) || depth === 0) return clean(error);
    const { name, stack, cause, code, errors } = error as Error & { code?: unknown; errors?: unknown };
    const inner = (one: unknown) => cleaned(one, tokens, depth - 1);
    return Object.assign(
      new Error(excerpt(clean(error), 2000)),
      { name, stack: clean(stack) },
      isText(code) && { code: clean(code) },
      cause !== undefined && { cause: inner(cause) },
      Array.isArray(errors) && { errors: errors.map(inner) },
    );
  } catch {
    // Reading it fails, as of one with getters that throw.
    return clean(undefined);
  }
}

/** An error's message with those of its causes: fetch itself says no more than that it failed. */
function wordsOf(error: unknown): string {
  try {
    const { cause } = Object(error) as { cause?: { errors?: unknown } };
    const inner: unknown[] = Array.isArray(cause?.errors) ? cause.errors : [cause];
    const why = inner
      .filter((part) => part instanceof Error)
      .map((part) => messageOf(part) || (part as { code?: string }).code);
    return why.length > 0 ? `${messageOf(error)} (${[...new Set(why)].join(", ")})` : messageOf(error);
  } catch {
    return messageOf(error);
  }
}
