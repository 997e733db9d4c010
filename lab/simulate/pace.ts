// Invariants of attempts: how many, when, and how long. The tables of outcomes and retries are written here a second time,
// independently of the SDK.
import { ApiError, OutcomeUnknownError, type RequestOutcome } from "@call-transfer/sdk";
import { type ErrorCode, errorCodes, type OperationDescription } from "@call-transfer/spec";
import { type AttemptRecord, aboutCall, type CallRecord, type Evidence } from "./records.ts";

/** Tolerated floating-point error in milliseconds. */
const epsilonMs = 1e-3;

/** Whether the next attempt only follows because of a new token. */
const isRenewal = ({ code, status, client }: AttemptRecord): boolean =>
  status === 401 && code === "token_expired" && client.plan.credential === "renewedToken";

/** An attempt and the one after it. */
interface Step {
  readonly attempt: AttemptRecord;
  readonly next: AttemptRecord | undefined;
  readonly renewal: boolean;
  readonly retry: number;
}

/** The attempts of a call, each with the next one. The first token renewal of a call is not a retry. */
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

/** Retries stay within their limit. They happen if the table requires them, and only if it allows them. */
export function* attemptsFollowTheTable({ calls, attempts }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { maxRetries, onUnknownOutcome } = call.client.plan;
    for (const { attempt, next, renewal, retry } of steps(call)) {
      if (renewal) continue;
      const { idempotency: retryClass } = call.plan.operation;
      const required = retryAfterAttempt(retryClass, attempt);
      const blindly = onUnknownOutcome !== "throw" && retryAfterAttempt("idempotent", attempt) !== false;
      if (next && retry >= maxRetries) yield `${aboutCall(call)} was retried more than ${maxRetries} times`;
      if (next && required === false && !blindly) yield `${aboutCall(call)} was retried although the table forbids it`;
      if (next && call.abortedAt !== undefined && next.startedAt > call.abortedAt)
        yield `${aboutCall(call)} was retried after its caller aborted it`;
      if (next && required === false && onUnknownOutcome === "check" && !sawNothing(attempts, attempt, next))
        yield `${aboutCall(call)} was retried without a reconcile() that found nothing`;
      const gaveUp = !next && call.error !== undefined && call.abortedAt === undefined;
      if (gaveUp && required === true && retry < maxRetries && !hasReason(call, attempt, retry))
        yield `${aboutCall(call)} was not retried, without a reason: ${call.error}`;
    }
  }
}

/** Whether reconcile() read an empty call list between two attempts. */
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

/** Whether a required retry may be skipped because of a hint, the total timeout or the budget. */
function hasReason({ error, client, plan, startedAt }: CallRecord, attempt: AttemptRecord, retry: number): boolean {
  const { hintSecs = 0, endedAt = 0 } = attempt;
  if (hintSecs > longestHintSecs) return reportedHint(error) === hintSecs || attempt.end !== "answered";
  const longest = waitBounds(retry, hintSecs)[1];
  const { totalTimeoutMs } = plan;
  if (totalTimeoutMs !== undefined && (client.jumped || endedAt + longest >= startedAt + totalTimeoutMs)) return true;
  return !isFree(attempt) && client.budget.reportedRetries >= budgetRoom.retries;
}

/** Whether a retry after an attempt costs nothing: the server said how long to wait for it. */
export const isFree = ({ status, hintSecs = 0 }: AttemptRecord): boolean => status === 429 && hintSecs > 0;

/** The `retryAfterSecs` of an error or its cause. */
const reportedHint = (error: unknown): unknown =>
  error instanceof OutcomeUnknownError ? reportedHint(error.cause) : Reflect.get(Object(error), "retryAfterSecs");

/** Each attempt ends within its timeout. Each call ends with its last attempt, its abort or its total timeout. */
export function* settlesInTime({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const { settledAt, startedAt, abortedAt, attempts, client, plan } = call;
    if (settledAt === undefined) {
      yield `${aboutCall(call)} never settled`;
      continue;
    }
    for (const { startedAt: sentAt, endedAt } of attempts)
      if (endedAt === undefined || endedAt > sentAt + client.plan.timeoutMs + epsilonMs)
        yield `${aboutCall(call)}: an attempt took longer than its ${client.plan.timeoutMs} ms`;
    const { totalTimeoutMs } = plan;
    if (totalTimeoutMs !== undefined && settledAt > startedAt + totalTimeoutMs + epsilonMs)
      yield `${aboutCall(call)} took ${settledAt - startedAt} ms, more than its ${totalTimeoutMs}`;
    if (abortedAt !== undefined && settledAt > abortedAt)
      yield `${aboutCall(call)} settled ${settledAt - abortedAt} ms after its caller aborted it`;
    const lastEnd = attempts.at(-1)?.endedAt ?? startedAt;
    const mayWait = client.plan.onUnknownOutcome === "check" || client.plan.credential === "renewedToken";
    if (!mayWait && settledAt > Math.max(lastEnd, abortedAt ?? 0) + epsilonMs)
      yield `${aboutCall(call)} settled ${settledAt - lastEnd} ms after its last attempt ended`;
  }
}

/** Each wait is at least the backoff and the server's hint, and little more. Errors report the hint. */
export function* waitsLongEnough({ calls }: Evidence): Iterable<string> {
  for (const call of calls) {
    const last = call.attempts.at(-1);
    const answered = call.error instanceof OutcomeUnknownError ? call.error.cause : call.error;
    if (answered instanceof ApiError && last?.end === "answered" && answered.retryAfterSecs !== last.hintSecs)
      yield `${aboutCall(call)} reports a hint of ${answered.retryAfterSecs} s, but the server sent ${last.hintSecs}`;
    for (const { attempt, next, renewal, retry } of steps(call)) {
      if (renewal || !next || attempt.endedAt === undefined) continue;
      const gap = next.startedAt - attempt.endedAt;
      // A hint in a header counts from the arrival of the header. The body may arrive much later, or never.
      const gapToHint = next.startedAt - ((attempt.code ? attempt.endedAt : attempt.headersAt) ?? attempt.endedAt);
      const [least, most] = waitBounds(retry, attempt.hintSecs);
      const hintMs = (attempt.hintSecs ?? 0) * 1000;
      if (gap < shortestBackoff(retry) - epsilonMs || gapToHint < hintMs - epsilonMs)
        yield `${aboutCall(call)} waited ${gap} ms, less than ${least}`;
      if (call.client.plan.onUnknownOutcome !== "check" && gap > most + epsilonMs)
        yield `${aboutCall(call)} waited ${gap} ms, more than ${most}`;
    }
  }
}

/** Outcomes from best to worst. The worst attempt decides the outcome of a call. */
const ranks: readonly RequestOutcome[] = ["not_sent", "rejected", "unknown", "applied"];

/** A quota resets at a stated time. No retry waits for that. */
const isQuota = (code: string | undefined): boolean => code === "assistant_quota_exceeded";

const isEffectFree = (code: string | undefined): boolean =>
  code !== undefined && Object.hasOwn(errorCodes, code) && errorCodes[code as ErrorCode].noEffect;

function effectOfStatus(status: number, code: string | undefined, trusted: boolean): RequestOutcome {
  if (status < 300) return "applied";
  if (status === 408) return "unknown";
  if (status < 500) return "rejected";
  return trusted && status === 503 && isEffectFree(code) ? "rejected" : "unknown";
}

/** The outcome of an attempt, as far as the client can know it. */
function effectOf({ end, status, code, fault, client }: AttemptRecord): RequestOutcome {
  if (end === "not_sent") return "not_sent";
  // An HTML page with a success status may come from a proxy.
  if (fault === "wrong_content_type" && status !== undefined && status < 300) return "unknown";
  return status === undefined ? "unknown" : effectOfStatus(status, code, client.plan.trust503Codes);
}

/**
 * The possible outcomes of all attempts together. If the abort happens in the instant in which the last attempt ends, its
 * response may be unread. Then `unknown` is correct too.
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

/** Whether the table requires (true) or forbids (false) a retry. `open` if it says nothing. */
function retryAfterAttempt(idempotency: OperationDescription["idempotency"], attempt: AttemptRecord): boolean | "open" {
  const { end, status, code, client } = attempt;
  if (end === "not_sent") return true;
  const broken = end === "lost" || end === "cancelled";
  const isTrusted = client.plan.trust503Codes && status === 503 && isEffectFree(code);
  if (idempotency === "non_idempotent") return status === 429 ? !isQuota(code) : isTrusted;
  if (status === undefined) return true;
  if (status === 429) return !isQuota(code);
  if (status === 408 || status >= 500) return true;
  if (!broken) return false;
  return status < 300 && idempotency === "idempotent" ? true : "open";
}

/** The shortest backoff before retry `n` in milliseconds, half of the longest. The first retry is 0. */
const shortestBackoff = (n: number): number => Math.min(8_000, 500 * 2 ** n) / 2;

/** The shortest and the longest wait before retry `n`: waits on a hint are spread after it by as much as the backoff. */
function waitBounds(n: number, hintSecs = 0): readonly [number, number] {
  const least = Math.max(shortestBackoff(n), hintSecs * 1000);
  // In whole milliseconds, with one more in case that a timer fires early.
  return [least, least + shortestBackoff(n) + 2];
}

/** The longest hint that a client follows, in seconds. */
const longestHintSecs = 60;

/** The retries that a full budget allows, the successes that allow one more, and those that an hour allows. */
export const budgetRoom = { retries: 100, successesPerRetry: 5, retriesPerHour: 10 };
