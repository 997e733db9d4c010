// The retry policy as pure functions. Its reasons are in docs/decisions/0001.
import type { ErrorCode } from "../generated/error-codes.gen.ts";
import type { OperationFacts } from "../generated/operations.gen.ts";
import { maxTimerMs } from "../options/checks.ts";
import type { AttemptEnd } from "./call.ts";

/** A quota that resets at a fixed time, long after any retry. */
const quotaCode = "assistant_quota_exceeded" satisfies ErrorCode;

/** Whether a response with this status is retried (§8). */
const isRetried = (status: number | undefined, code: string | undefined): boolean =>
  status === 429 ? code !== quotaCode : status === 408 || (status !== undefined && status >= 500);

/**
 * Whether to retry after an attempt. Its effect counts before its status: middleware may replace the server's response.
 */
export function shouldRetry(idempotency: OperationFacts["idempotency"], end: AttemptEnd): boolean {
  const isRetryable = isRetried(end.status, end.code);
  if (end.outcome === "not_sent") return end.status === undefined || isRetryable;
  if (end.outcome === "rejected") return isRetryable;
  if (end.outcome === "applied") return idempotency === "idempotent" && (end.interrupted || isRetryable);
  return idempotency !== "non_idempotent" && (end.interrupted || isRetryable);
}

/**
 * Milliseconds to wait before retry `n`, from 0. The backoff is 500 · 2ⁿ, at most 8,000, times a random factor from ½ to 1.
 * A longer hint takes the place of its first half: requests that wait on the same hint are spread after it. The
 * millisecond more is for timers, which may fire that much early.
 */
export function delayFor(n: number, hintSecs: number, random: () => number): number {
  const half = Math.min(8000, 500 * 2 ** n) / 2;
  return Math.min(maxTimerMs, Math.ceil(Math.max(half, hintSecs * 1000 + 1) + random() * half));
}

/** A date in milliseconds since 1970. HTTP dates are in GMT, even in asctime's form, which does not say so; `+01:00` does. */
const timeOf = (text: string): number => Date.parse(/(?: \d+|[^+-]\d\d:\d\d)$/.test(text) ? `${text} GMT` : text);

/** The longest of some waits; undefined if there is none. */
export function longest(...waits: readonly (number | undefined)[]): number | undefined {
  const given = waits.filter((wait) => wait !== undefined);
  return given.length > 0 ? Math.max(...given) : undefined;
}

/**
 * Parses the value of a `Retry-After` header, or a number, into seconds. If there are several values, the longest counts. A
 * value is a number in any spelling (`2`, ` 02 `, `1.5`), or a date in any HTTP form or in ISO 8601; a past date means 0.
 * Returns undefined for anything else: then only the backoff applies.
 */
export function parseRetryAfter(given: unknown, now: number): number | undefined {
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  // The comma after a day name splits a date; the rest is still a date.
  const parts = String(given)
    .split(",")
    .map((part) => part.trim());
  const seconds = parts.map((part) =>
    /:\d\d/.test(part) ? Math.max(0, (timeOf(part) - now) / 1000) : Number(part || -1),
  );
  return longest(...seconds.filter((secs) => secs >= 0));
}

/**
 * Seconds that a response asks to wait: the longer of `meta.retryAfterSecs` and `Retry-After`. Undefined if it has
 * neither. The backoff still applies where it is longer.
 */
export function retryHint(meta: unknown, headers: Headers, now: number): number | undefined {
  const { retryAfterSecs } = Object(meta) as { readonly retryAfterSecs?: unknown };
  const from = timeOf(headers.get("date") ?? "") || now;
  return longest(parseRetryAfter(retryAfterSecs, from), parseRetryAfter(headers.get("retry-after"), from));
}
