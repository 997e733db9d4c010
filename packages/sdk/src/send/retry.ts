// Retry policy, as pure functions. docs/decisions/0003 gives the reasons.

import type { ErrorCode } from "../generated/error-codes.gen.ts";
import { effectFreeCodes } from "../generated/operations.gen.ts";
import { isText } from "../utils/guards.ts";
import { provesUnsent } from "./not-sent.ts";
import type { OperationFacts } from "./operation-facts.ts";

/**
 * What an attempt did to the server: nothing was sent, it was refused, it was carried out, or nobody can tell.
 */
export type RequestOutcome = "not_sent" | "rejected" | "applied" | "unknown";

const byCertainty: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** Both outcomes as one. Unknown is sticky: no later refusal tells what an earlier attempt did. */
export function combine(one: RequestOutcome, other: RequestOutcome): RequestOutcome {
  return byCertainty.indexOf(one) > byCertainty.indexOf(other) ? one : other;
}

/** An attempt's end: an answer's status and code, or a failure. */
export interface AttemptEnd {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly outcome: RequestOutcome;
  /** Whether the connection was lost or timed out, as opposed to an answer that came whole. */
  readonly interrupted: boolean;
}

/** A quota that resets at a given time, not within a retry's patience. */
const quotaCode = "assistant_quota_exceeded" satisfies ErrorCode;

const isEffectFree = (code = ""): boolean => effectFreeCodes.includes(code);

/** What an answer says of the attempt's effect. */
export function outcomeOfAnswer(status: number, code: string | undefined): RequestOutcome {
  if (status >= 200 && status < 300) return "applied";
  if (status === 503 && isEffectFree(code)) return "rejected";
  return status >= 300 && status < 500 && status !== 408 ? "rejected" : "unknown";
}

/** What a failure of fetch says of the attempt's effect. Runtimes that hide the cause give `unknown`. */
export const outcomeOfFailure = (error: unknown): RequestOutcome => (provesUnsent(error) ? "not_sent" : "unknown");

/** Whether an answer of this status asks for another attempt (§8). */
const isRetried = (status: number | undefined, code: string | undefined): boolean =>
  status === 429 ? code !== quotaCode : status === 408 || (status !== undefined && status >= 500);

/**
 * Whether an attempt that ended so may be followed by another. Its effect decides before its status: middleware may put
 * an answer of its own in place of the server's.
 */
export function shouldRetry(retry: OperationFacts["retry"], end: AttemptEnd): boolean {
  const asks = isRetried(end.status, end.code);
  if (end.outcome === "not_sent") return end.status === undefined || asks;
  if (end.outcome === "rejected") return asks;
  if (end.outcome === "applied") return retry === "safe" && (end.interrupted || asks);
  return retry !== "once" && (end.interrupted || asks);
}

/** Backoff in milliseconds before retry `n`, counted from 0: 0.5 s · 2ⁿ up to 8 s, with jitter in [½, 1]. */
export function backoffFor(n: number, random: () => number): number {
  return Math.min(8000, 500 * 2 ** n) * (0.5 + random() / 2);
}

/** A date in milliseconds since 1970. Dates of HTTP are in GMT, also in asctime's form, which does not say so. */
const timeOf = (text: string): number => Date.parse(/[ :]\d+$/.test(text) ? `${text} GMT` : text);

/**
 * Seconds that a `Retry-After` header asks for: the longest of its values, since it may stand there more than once. A
 * value is a number in any spelling (`2`, ` 02 `, `1.5`), or a date in any form of HTTP or in ISO 8601; one that has
 * passed asks for 0. What is neither, or negative, asks for nothing that could be kept: undefined, so that the backoff
 * alone holds.
 */
export function parseRetryAfter(header: string, now: number): number | undefined {
  let longest = -1;
  // The comma after a date's day name parts it from the rest, which is a date without it.
  for (const part of header.split(",").map((value) => value.trim())) {
    const seconds = /:\d\d/.test(part) ? Math.max(0, (timeOf(part) - now) / 1000) : Number(part || -1);
    if (seconds > longest) longest = seconds;
  }
  return longest < 0 ? undefined : longest;
}

/**
 * Seconds that an answer asks to wait: the longer of `meta.retryAfterSecs` and `Retry-After`, so that neither is cut
 * short. Undefined when it asks for nothing, and 0 when it asks for no wait: the backoff holds in both cases.
 */
export function retryHint(meta: unknown, headers: Headers, now: number): number | undefined {
  const { retryAfterSecs: secs } = Object(meta) as { readonly retryAfterSecs?: unknown };
  const date = timeOf(headers.get("date") ?? "");
  const asked = typeof secs === "number" || isText(secs) ? secs : "";
  return parseRetryAfter(`${asked},${headers.get("retry-after")}`, Number.isNaN(date) ? now : date);
}

// Tokens that a client starts with, and what a retry costs and a success gives back (after AWS's standard mode).
const capacity = 500;
const retryCost = 5;
const successGain = 1;

/** Bounds a client's retries, so that in a lasting outage the load stays close to that of first attempts alone. */
export class RetryBudget {
  #tokens = capacity;

  /** Takes what a retry costs; false when too little is left. */
  spend(): boolean {
    if (this.#tokens < retryCost) return false;
    this.#tokens -= retryCost;
    return true;
  }

  /** Gives back a little after a success. */
  refill(): void {
    this.#tokens = Math.min(capacity, this.#tokens + successGain);
  }
}
