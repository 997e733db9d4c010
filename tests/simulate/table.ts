// The design's tables of effects and retries, written down a second time and independently of the SDK.
import type { RequestOutcome } from "@call-transfer/sdk";
import { type ErrorCode, errorCodes, type OperationDescription } from "@call-transfer/spec";
import type { AttemptRecord } from "./records.ts";

/** From the least to the most that may have happened: all attempts together are as certain as the worst of them. */
const ranks: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** A quota that resets at a stated time, which no retry waits for. */
const isQuota = (code: string | undefined): boolean => code === "assistant_quota_exceeded";

const isEffectFree = (code: string | undefined): boolean =>
  code !== undefined && Object.hasOwn(errorCodes, code) && errorCodes[code as ErrorCode].effectFree;

function effectOfStatus(status: number, code: string | undefined): RequestOutcome {
  if (status < 300) return "applied";
  if (status === 408) return "unknown";
  if (status < 500) return "rejected";
  return status === 503 && isEffectFree(code) ? "rejected" : "unknown";
}

/** What an attempt may have done, as far as a client can know. */
function effectOf({ end, status, code, fault }: AttemptRecord): RequestOutcome {
  if (end === "not_sent") return "not_sent";
  // A page with a status of success may be anybody's.
  if (fault === "wrong_content_type" && status !== undefined && status < 300) return "unknown";
  return status === undefined ? "unknown" : effectOfStatus(status, code);
}

/**
 * What all attempts together may have done. An abort at the very instant at which the last attempt ended may find its
 * answer or failure unread: then `unknown` is right too.
 */
export function outcomesOf(
  attempts: readonly AttemptRecord[],
  abortedAt: number | undefined,
): ReadonlySet<RequestOutcome> {
  const known = attempts.map(effectOf).reduce<RequestOutcome>(worse, "not_sent");
  const last = attempts.at(-1);
  if (last === undefined || last.endedAt !== abortedAt) return new Set([known]);
  return new Set([known, attempts.slice(0, -1).map(effectOf).reduce<RequestOutcome>(worse, "unknown")]);
}

const worse = (one: RequestOutcome, other: RequestOutcome): RequestOutcome =>
  ranks.indexOf(one) > ranks.indexOf(other) ? one : other;

/** Whether the table wants a retry after an attempt: `open` where it is silent. */
export function wantsRetry(retry: OperationDescription["retry"], attempt: AttemptRecord): boolean | "open" {
  const { end, status, code } = attempt;
  if (end === "not_sent") return true;
  const broken = end === "lost" || end === "cancelled";
  if (retry === "once") return status === 429 ? !isQuota(code) : status === 503 && isEffectFree(code);
  if (status === undefined) return true;
  if (status === 429) return !isQuota(code);
  if (status === 408 || status >= 500) return true;
  if (!broken) return false;
  return status < 300 && retry === "safe" ? true : "open";
}

/** The least and the most milliseconds before retry `n`, counted from 0. */
export function backoffBounds(n: number): readonly [number, number] {
  const longest = Math.min(8_000, 500 * 2 ** n);
  return [longest / 2, longest];
}

/** Seconds that a client waits at most when a server asks it to. */
export const longestHintSecs = 60;

/** Retries that a budget always has room for, and how many successes make room for one more. */
export const budgetRoom = { retries: 100, successesPerRetry: 5 };
