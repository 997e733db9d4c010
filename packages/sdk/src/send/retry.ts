// The retry policy as pure functions. Its reasons are in docs/decisions/0003.

import type { RequestOutcome } from "../errors/details.ts";
import type { ErrorCode } from "../generated/error-codes.gen.ts";
import { effectFreeCodes, type OperationFacts } from "../generated/operations.gen.ts";
import { maxTimerMs } from "../options/checks.ts";
import { isText } from "../utils/guards.ts";
import type { AttemptEnd } from "./call.ts";
import { provesUnsent } from "./not-sent.ts";

const byCertainty: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** Combines the outcomes of two attempts. `unknown` stays: a later refusal says nothing about an earlier attempt. */
export function combine(one: RequestOutcome, other: RequestOutcome): RequestOutcome {
  return byCertainty.indexOf(one) > byCertainty.indexOf(other) ? one : other;
}

/** A quota that resets at a fixed time, long after any retry. */
const quotaCode = "assistant_quota_exceeded" satisfies ErrorCode;

/** Whether a response is a 503 that had no effect, if assumption A-28 is right. */
export const isEffectFree = (status: number | undefined, code = ""): boolean =>
  status === 503 && effectFreeCodes.includes(code);

/**
 * Effect of an attempt, by the status and code of its response.
 *
 * @param trust503Codes Whether to rely on assumption A-28.
 */
export function outcomeOfResponse(status: number, code: string | undefined, trust503Codes: boolean): RequestOutcome {
  if (status >= 200 && status < 300) return "applied";
  if (trust503Codes && isEffectFree(status, code)) return "rejected";
  return status >= 300 && status < 500 && status !== 408 ? "rejected" : "unknown";
}

/** Effect of an attempt, by the error of fetch. Runtimes that hide the cause lead to `unknown`. */
export function outcomeOfFailure(error: unknown): RequestOutcome {
  try {
    return provesUnsent(error) ? "not_sent" : "unknown";
  } catch {
    // Its getters may throw.
    return "unknown";
  }
}

/** Whether a response with this status is retried (§8). */
const isRetried = (status: number | undefined, code: string | undefined): boolean =>
  status === 429 ? code !== quotaCode : status === 408 || (status !== undefined && status >= 500);

/**
 * Whether to retry after an attempt. Its effect counts before its status: middleware may replace the server's response.
 */
export function shouldRetry(retry: OperationFacts["retry"], end: AttemptEnd): boolean {
  const isRetryable = isRetried(end.status, end.code);
  if (end.outcome === "not_sent") return end.status === undefined || isRetryable;
  if (end.outcome === "rejected") return isRetryable;
  if (end.outcome === "applied") return retry === "safe" && (end.interrupted || isRetryable);
  return retry !== "once" && (end.interrupted || isRetryable);
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

/** A date in milliseconds since 1970. HTTP dates are in GMT, even in asctime's form, which does not say so. */
const timeOf = (text: string): number => Date.parse(/[ :]\d+$/.test(text) ? `${text} GMT` : text);

/**
 * Parses a `Retry-After` header into seconds. If it has several values, the longest counts. A value is a number in any
 * spelling (`2`, ` 02 `, `1.5`), or a date in any HTTP form or in ISO 8601; a past date means 0. Returns undefined for
 * anything else: then only the backoff applies.
 */
export function parseRetryAfter(header: string, now: number): number | undefined {
  let longest = -1;
  // The comma after a day name splits a date; the rest is still a date.
  for (const part of header.split(",").map((value) => value.trim())) {
    const seconds = /:\d\d/.test(part) ? Math.max(0, (timeOf(part) - now) / 1000) : Number(part || -1);
    if (seconds > longest) longest = seconds;
  }
  return longest < 0 ? undefined : longest;
}

/**
 * Seconds that a response asks to wait: the longer of `meta.retryAfterSecs` and `Retry-After`. Undefined if it has
 * neither. The backoff still applies where it is longer.
 */
export function retryHint(meta: unknown, headers: Headers, now: number): number | undefined {
  const { retryAfterSecs: secs } = Object(meta) as { readonly retryAfterSecs?: unknown };
  const date = timeOf(headers.get("date") ?? "");
  const wait = typeof secs === "number" || isText(secs) ? secs : "";
  return parseRetryAfter(`${wait},${headers.get("retry-after")}`, Number.isNaN(date) ? now : date);
}
