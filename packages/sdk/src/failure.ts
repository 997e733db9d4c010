// Why an attempt gave no usable answer, in words that show no secret.
import type { Ending, Progress } from "./attempt.ts";
import { BodyTooLarge } from "./body.ts";
import { AbortError, ConnectionError, InvalidResponseError, RequestError, TimeoutError } from "./errors.ts";
import { isText } from "./guards.ts";
import type { Failure } from "./interruption.ts";
import { redact } from "./redact.ts";
import { outcomeOfAnswer, outcomeOfFailure } from "./retry.ts";
import type { Call } from "./send.ts";

/** How an attempt ends by what was thrown or what interrupted it. Throws on what the caller's own code threw first. */
export function endOf(call: Call, progress: Progress, thrown: unknown, interruption?: Failure): Ending {
  const { attempt, response, received, error } = progress;
  const ownCode = !interruption && error === undefined && !attempt;
  if (ownCode && call.attempts.length === 0) throw thrown;
  const failure = interruption ?? failureOf(thrown, call, progress);
  const { kind, words } = failure;
  if (attempt) attempt.error = words;
  if (response?.ok) call.partialBody = received.text(false);
  const interrupted = kind === ConnectionError || kind === TimeoutError;
  const end = { failure, interrupted, final: kind === AbortError || kind === RequestError };
  if (!attempt) return { ...end, outcome: "not_sent" };
  if (response) return { ...end, status: response.status, outcome: outcomeOfAnswer(response.status, undefined) };
  return { ...end, outcome: kind === ConnectionError ? outcomeOfFailure(error) : "unknown" };
}

function failureOf(error: unknown, { tokens }: Call, { attempt, response, error: own }: Progress): Failure {
  const message = redact(wordsOf(error), tokens);
  const cause = cleaned(error, tokens);
  if (error instanceof BodyTooLarge) {
    return { kind: InvalidResponseError, words: `answered ${response?.status} with a body ${message}` };
  }
  if (error !== own) {
    const words = attempt ? "was sent, but middleware threw" : "ended: middleware or the token function threw";
    return { kind: RequestError, words: `${words}: ${message}`, cause };
  }
  const where = response
    ? `lost the connection in the body of its ${response.status}`
    : "could not be sent or lost its connection";
  return { kind: ConnectionError, words: `${where}: ${message}`, cause };
}

/** A cause without anything but its words: errors of other code may carry whole requests with their headers. */
export function cleaned(error: unknown, tokens: ReadonlySet<string>, depth = 5): unknown {
  const clean = (words: unknown) => redact(String(words), tokens);
  if (!(error instanceof Error) || depth === 0) return clean(error);
  const { message, name, stack, cause, code } = error as Error & { code?: unknown };
  const inner = (one: unknown) => cleaned(one, tokens, depth - 1);
  return Object.assign(
    new Error(clean(message)),
    { name, stack: clean(stack) },
    isText(code) && { code: clean(code) },
    cause !== undefined && { cause: inner(cause) },
    error instanceof AggregateError && { errors: error.errors.map(inner) },
  );
}

/** An error's message with those of its causes: fetch itself says no more than that it failed. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown[] = error.cause instanceof AggregateError ? error.cause.errors : [error.cause];
  const why = inner
    .filter((part) => part instanceof Error)
    .map((part) => part.message || (part as { code?: string }).code);
  return why.length > 0 ? `${error.message} (${[...new Set(why)].join(", ")})` : error.message;
}
