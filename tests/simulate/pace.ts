// Invariants about how often, when and how long the SDK tries.

import type { RequestOutcome } from "@call-transfer/sdk";
import { ApiError, OutcomeUnknownError } from "@call-transfer/sdk";
import { type ErrorCode, errorCodes, type OperationDescription } from "@call-transfer/spec";
import type { AttemptRecord, CallRecord } from "./records.ts";
import { aboutCall } from "./records.ts";
import type { Evidence } from "./world.ts";

/** Floating-point dust of virtual milliseconds. */
const dust = 1e-3;

/** Whether the attempt after this one only brought a fresh token. */
const isRenewal = ({ code, status, client }: AttemptRecord): boolean =>
  status === 401 && code === "token_expired" && client.plan.credential === "renewedToken";

/** An attempt and what followed. */
interface Step {
  readonly attempt: AttemptRecord;
  readonly next: AttemptRecord | undefined;
  readonly renewal: boolean;
  readonly retry: number;
}

/** The attempts of a call with what followed each; the first expired token of a renewing client is not a retry. */
export function steps({ attempts }: CallRecord): Step[] {
  let renewed = false;
  let retry = 0;
  return attempts.map((attempt, index) => {
    const renewal = !renewed && isRenewal(attempt);
    const step = { attempt, next: attempts[index + 1], renewal, retry };
    renewed ||= renewal;
    if (!renewal) retry += 1;
    return step;
  });
}

/** Retries stay within their number, follow only what the table allows, and do follow what it wants. */
export function* attemptsFollowTheTable({ calls, attempts }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { maxRetries, unsafe } = call.client.plan;
    for (const { attempt, next, renewal, retry } of steps(call)) {
      if (renewal) continue;
      const { retry: retryClass } = call.plan.operation;
      const wanted = wantsRetry(retryClass, attempt);
      const blindly = unsafe !== "never" && wantsRetry("safe", attempt) !== false;
      if (next && retry >= maxRetries) yield `${aboutCall(call)} was tried more often than ${maxRetries} retries allow`;
      if (next && wanted === false && !blindly) yield `${aboutCall(call)} was sent again where the table forbids it`;
      if (next && call.abortedAt !== undefined && next.startedAt > call.abortedAt)
        yield `${aboutCall(call)} was sent again after its caller aborted it`;
      if (next && wanted === false && unsafe === "check" && !sawNothing(attempts, attempt, next))
        yield `${aboutCall(call)} was sent again without a look that found nothing`;
      const gaveUp = !next && call.error !== undefined && call.abortedAt === undefined;
      if (gaveUp && wanted === true && retry < maxRetries && !hasReason(call, attempt, retry))
        yield `${aboutCall(call)} was given up without a reason: ${call.error}`;
    }
  }
}

/** Whether a look between two attempts read a list without calls. */
function sawNothing(all: readonly AttemptRecord[], before: AttemptRecord, after: AttemptRecord): boolean {
  if (before.operation.resource !== "calls") return false;
  return all.some(
    ({ call, client, startedAt, end, executions: [run] }) =>
      !call &&
      client === before.client &&
      startedAt >= (before.endedAt ?? 0) &&
      startedAt <= after.startedAt &&
      end === "answered" &&
      run?.text.startsWith('{"calls":[]') === true,
  );
}

/** Why a retry that the table wants may be withheld: hint, deadline or budget. */
function hasReason({ error, client, plan, startedAt }: CallRecord, attempt: AttemptRecord, retry: number): boolean {
  const { hintSecs = 0, endedAt = 0 } = attempt;
  if (hintSecs > longestHintSecs) return toldHint(error) === hintSecs || attempt.end !== "answered";
  const longest = Math.max(backoffBounds(retry)[1], hintSecs * 1000);
  const { totalTimeoutMs } = plan;
  if (totalTimeoutMs !== undefined && (client.jumped || endedAt + longest >= startedAt + totalTimeoutMs)) return true;
  return client.budget.told >= budgetRoom.retries;
}

/** The wait that an error passes on to its catcher. */
const toldHint = (error: unknown): unknown =>
  error instanceof OutcomeUnknownError ? toldHint(error.cause) : Reflect.get(Object(error), "retryAfterSecs");

/** Each attempt ends in its time, and the call as soon as its last attempt, its abort or its deadline says so. */
export function* settlesInTime({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { settledAt, startedAt, abortedAt, attempts, client, plan } = call;
    if (settledAt === undefined) {
      yield `${aboutCall(call)} never settled`;
      continue;
    }
    for (const { startedAt: sentAt, endedAt } of attempts)
      if (endedAt === undefined || endedAt > sentAt + client.plan.timeoutMs + dust)
        yield `${aboutCall(call)}: an attempt took longer than ${client.plan.timeoutMs} ms`;
    const { totalTimeoutMs } = plan;
    if (totalTimeoutMs !== undefined && settledAt > startedAt + totalTimeoutMs + dust)
      yield `${aboutCall(call)} took ${settledAt - startedAt} ms, more than its ${totalTimeoutMs}`;
    if (abortedAt !== undefined && settledAt > abortedAt)
      yield `${aboutCall(call)} settled ${settledAt - abortedAt} ms after its caller aborted it`;
    const lastEnd = attempts.at(-1)?.endedAt ?? startedAt;
    const looks = client.plan.unsafe === "check" || client.plan.credential === "renewedToken";
    if (!looks && settledAt > Math.max(lastEnd, abortedAt ?? 0) + dust)
      yield `${aboutCall(call)} settled ${settledAt - lastEnd} ms after its last attempt ended`;
  }
}

/** No wait is below the backoff or what the server asked for, none is longer than both, and an error tells what it asked. */
export function* waitsLongEnough({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const last = call.attempts.at(-1);
    const answered = call.error instanceof OutcomeUnknownError ? call.error.cause : call.error;
    if (answered instanceof ApiError && last?.end === "answered" && answered.retryAfterSecs !== last.hintSecs)
      yield `${aboutCall(call)} is told to wait ${answered.retryAfterSecs} s, but the server asked for ${last.hintSecs}`;
    for (const { attempt, next, renewal, retry } of steps(call)) {
      if (renewal || !next || attempt.endedAt === undefined) continue;
      const gap = next.startedAt - attempt.endedAt;
      // A header counts from when it came; the rest of such an answer may have come much later, or never.
      const gapToHint = next.startedAt - ((attempt.code ? attempt.endedAt : attempt.headersAt) ?? attempt.endedAt);
      const [least, most] = backoffBounds(retry);
      const hintMs = (attempt.hintSecs ?? 0) * 1000;
      if (gap < least - dust || gapToHint < hintMs - dust)
        yield `${aboutCall(call)} waited ${gap} ms, less than ${Math.max(least, hintMs)}`;
      const looks = call.client.plan.unsafe === "check";
      if (!looks && gap > Math.max(most, hintMs) + dust)
        yield `${aboutCall(call)} waited ${gap} ms, more than ${Math.max(most, hintMs)}`;
    }
  }
}

// The design's tables of effects and retries, written down a second time and independently of the SDK.

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
