// The attempt loop: which attempt follows which, and which error is reported in the end.

import type { ApiError } from "../errors/api-error.ts";
import type { OutcomeWindow, ReconcileOptions } from "../errors/details.ts";
import { OutcomeUnknownError } from "../errors/outcome-unknown-error.ts";
import { type RequestError, withRetryReason } from "../errors/request-error.ts";
import { createApiError } from "../errors/status-errors.ts";
import type { ErrorCode } from "../generated/error-codes.gen.ts";
import type { Credential } from "../options/auth.ts";
import { checkOptions, reconcileRules } from "../options/checks.ts";
import type { RequestInstrumentation } from "../options/instrumentation.ts";
import { retryCost } from "../options/retry-budget.ts";
import { isText, messageOf } from "../utils/guards.ts";
import { excerpt, redact, redactHeaders } from "../utils/redact.ts";
import { attemptOnce, between, tokenFunction } from "./attempt.ts";
import type { ReadResponse } from "./body.ts";
import type { AttemptResult, Call, CallRecord, Outgoing } from "./call.ts";
import { withDeadline } from "./deadline.ts";
import { followAttempt, followRequest } from "./instrumentation.ts";
import { requestIdOf } from "./response.ts";
import { combine, delayFor, isEffectFree, shouldRetry } from "./retry.ts";

// Milliseconds that the server's clock may be off, with and without a `Date` header to correct it by.
const correctedTolerance = 5_000;
const uncorrectedTolerance = 300_000;

/** The one refusal that a new credential fixes. */
const expiredCode = "token_expired" satisfies ErrorCode;

/** Result of a request: a success, or an error response with the error to throw. */
export interface Sent<T = unknown> extends ReadResponse {
  /** Parsed body of a success. */
  readonly data: T;
  readonly error?: ApiError;
}

/** Sends the request until it succeeds or may not be retried. */
export function send<T>(call: Call, outgoing: Outgoing): Promise<Sent<T>> {
  const record: CallRecord = {
    operationId: call.operationId,
    attempts: [],
    outcome: "not_sent",
    retrySkippedReason: undefined,
    skewMs: undefined,
    renewed: false,
    begunAt: call.settings.elapsed(),
    sentBody: outgoing.body,
    retryCost: 0,
  };
  if (!call.settings.instrumentation) return sendAttempts(call, outgoing, record);
  return followRequest(call, record, (request) => sendAttempts(call, outgoing, record, request));
}

async function sendAttempts<T>(
  call: Call,
  outgoing: Outgoing,
  record: CallRecord,
  request?: RequestInstrumentation,
): Promise<Sent<T>> {
  const { auth, log, budget, random } = call.settings;
  let renewed: Credential | undefined;
  for (let retries = 0; ; retries++) {
    const plan = { ...outgoing, number: record.attempts.length + 1, renewed };
    const result = await (request
      ? followAttempt(call, request, plan.number, (instrumentation) => attemptOnce(call, { ...plan, instrumentation }))
      : attemptOnce(call, plan));
    recordResult(record, result);
    const { response, failure, data, text = null } = result;
    log("debug", () => summaryOf(call, record, result));
    if (response?.ok && !failure) {
      budget?.refill(record.retryCost);
      auth.accept(result.credential);
      return { response, text, data: data as T };
    }
    renewed = undefined;
    if (isExpired(call, record, result)) {
      const renewal = await renew(call, record, result.credential);
      if (!("value" in renewal)) return finish(call, record, renewal);
      renewed = renewal.value;
      if (!renewed) {
        record.retrySkippedReason = `${tokenFunction} keeps returning expired tokens, and is not called again yet`;
        return finish(call, record, result);
      }
      // Not counted as a retry: only the credential was refused.
      retries--;
      continue;
    }
    const delayMs = delayFor(retries, result.hintSecs ?? 0, random);
    if (!(await canRetry(call, outgoing, record, result, retries, delayMs))) return finish(call, record, result);
    await waitForRetry(call, record, result, delayMs);
  }
}

function recordResult(record: CallRecord, { attempt, outcome, skewMs }: AttemptResult): void {
  if (attempt) record.attempts.push(attempt);
  record.outcome = combine(record.outcome, outcome);
  if (skewMs !== undefined) record.skewMs = skewMs;
}

/** Whether the token expired and can be renewed, which happens once per request. */
function isExpired(
  { settings: { auth, elapsed }, retry }: Call,
  { renewed }: CallRecord,
  result: AttemptResult,
): boolean {
  const { status, code, credential, outcome } = result;
  if (status !== 401 || !auth.canRenew || !credential) return false;
  if (code !== expiredCode || renewed) {
    auth.forget(credential, elapsed());
    return false;
  }
  // Middleware may have put this refusal in place of another response.
  return retry === "safe" || outcome === "rejected" || outcome === "not_sent";
}

async function renew(call: Call, record: CallRecord, expired: Credential | undefined) {
  record.renewed = true;
  const { auth, elapsed } = call.settings;
  const renewal = await between(call, () => auth.renew(expired as Credential, elapsed()), tokenFunction);
  if ("value" in renewal && renewal.value) call.tokens.add(renewal.value.token);
  return renewal;
}

/** Whether to retry. If a retry is due but skipped, the record says why. */
async function canRetry(
  call: Call,
  { body }: Outgoing,
  record: CallRecord,
  result: AttemptResult,
  retries: number,
  delayMs: number,
): Promise<boolean> {
  if (result.final || !shouldRetry("safe", result) || retries >= call.maxRetries) return false;
  record.retrySkippedReason = await reasonToSkip(call, body, record, result, delayMs);
  return record.retrySkippedReason === undefined;
}

async function reasonToSkip(
  call: Call,
  body: unknown,
  record: CallRecord,
  result: AttemptResult,
  delayMs: number,
): Promise<string | undefined> {
  const { budget, maxRetryAfterSecs, unsafe, elapsed } = call.settings;
  const { hintSecs = 0 } = result;
  const blind = !shouldRetry(call.retry, result);
  if (blind && result.outcome === "applied") return "it was carried out";
  if (blind && unsafe === "never") {
    const trust = isEffectFree(result.status, result.code) ? " (see retry.trust503Codes)" : "";
    return `it may have been carried out and is not idempotent${trust}`;
  }
  // Anything but text, e.g. a stream, can be sent only once.
  if (!isText(body ?? "")) return "its body cannot be sent twice";
  if (hintSecs > maxRetryAfterSecs)
    return `the server asked to wait ${hintSecs} s, more than maxRetryAfterSecs (${maxRetryAfterSecs})`;
  const tooLate = "totalTimeoutMs would expire first";
  if (pastDeadline(call, delayMs)) return tooLate;
  if (blind && unsafe === "check" && !(await foundNothing(call, record)))
    return "the list cannot rule out that it was carried out";
  // The check took time itself.
  if (pastDeadline(call, delayMs)) return tooLate;
  // A 429 that says how long to wait asks for exactly this retry.
  record.retryCost = result.status === 429 && hintSecs > 0 ? 0 : retryCost;
  return budget?.spend(record.retryCost, elapsed()) === false ? "the client's retry budget is used up" : undefined;
}

const pastDeadline = ({ deadline, settings }: Call, delayMs: number): boolean =>
  deadline !== undefined && settings.elapsed() + delayMs >= deadline;

async function foundNothing(call: Call, record: CallRecord): Promise<boolean> {
  const { findCandidates, findOptions } = call;
  if (!findCandidates) return false;
  // Without the body: a list may spell a number otherwise, so no outbound call may be left out.
  const sought = { body: undefined };
  const found = await between(call, (signal) =>
    findCandidates(windowOf(call, record), { ...findOptions, signal }, sought),
  );
  return "value" in found && found.value.complete && found.value.candidates.length === 0;
}

async function waitForRetry(call: Call, record: CallRecord, result: AttemptResult, delayMs: number): Promise<void> {
  const { attempt } = result;
  const { attempts } = record;
  const { operationId, settings } = call;
  const { onRetry, log } = settings;
  if (attempt) attempt.delayMs = delayMs;
  log("warn", () => `${summaryOf(call, record, result)}; retried in ${Math.round(delayMs)} ms`);
  // Called at once, and not awaited.
  const notify = async () => attempt && onRetry?.({ operationId, attempt, nextAttemptNumber: attempts.length + 1 });
  notify().catch((error: unknown) => log("error", () => `onRetry threw: ${messageOf(error)}`));
  const never = () => new Promise<void>(() => {});
  // Ends early if the caller aborts. The next attempt then ends before it begins.
  await withDeadline(call, delayMs, never, () => {});
}

function summaryOf(
  { settings: { clock }, operationId }: Call,
  { attempts }: CallRecord,
  { status, failure }: AttemptResult,
): string {
  const { startedAt = clock.now(), code, requestId } = attempts.at(-1) ?? {};
  const ended = failure?.message ?? `answered ${status}${code ? ` ${excerpt(code, 100)}` : ""}`;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${clock.now() - startedAt} ms${request}`;
}

/** Returns an error response whose outcome is known, or throws. */
function finish<T>(call: Call, record: CallRecord, result: AttemptResult): Sent<T> {
  const { failure, response, text = null } = result;
  if (failure || !response) {
    const { kind: FailureError, message, cause } = failure as NonNullable<typeof failure>;
    const full = withRetryReason(`${call.operationId} ${message}`, record);
    return fail(call, record, result, new FailureError(full, record, cause));
  }
  const { problem, bodyText, hintSecs: retryAfterSecs } = result;
  const { method, tokens } = call;
  const { status } = response;
  const headers = redactHeaders(response.headers, tokens);
  const requestId = requestIdOf(response, tokens);
  const error = createApiError({ ...record, method, status, headers, problem, bodyText, requestId, retryAfterSecs });
  return isUnknown(call, record) ? fail(call, record, result, error) : { response, text, data: undefined as T, error };
}

/** Whether an operation that is not idempotent may have been carried out without a usable response. */
const isUnknown = ({ retry }: Call, { outcome }: CallRecord): boolean =>
  retry === "once" && (outcome === "unknown" || outcome === "applied");

function fail(call: Call, record: CallRecord, { partialBody }: AttemptResult, error: RequestError): never {
  if (!isUnknown(call, record)) throw error;
  const what =
    record.outcome === "applied"
      ? "was carried out, but its response was lost. Do not send it again: reconcile() looks for its result."
      : "may have been carried out. Call reconcile() before sending it again.";
  const message = `${call.operationId} ${what} ${error.message}`;
  const { findCandidates: find, findOptions } = call;
  const window = windowOf(call, record);
  const body = record.sentBody;
  const findCandidates =
    find &&
    ((options: ReconcileOptions) => {
      const { signal, maxCalls } = checkOptions(options, reconcileRules);
      return find(window, { ...findOptions, signal }, { body, maxCalls });
    });
  const received = partialBody && redact(partialBody, call.tokens);
  throw new OutcomeUnknownError(message, { ...record, window, partialBody: received, findCandidates }, error);
}

function windowOf({ settings }: Call, { attempts, skewMs, begunAt }: CallRecord): OutcomeWindow {
  const now = settings.clock.now();
  const first = attempts[0]?.startedAt ?? now;
  // The clock may have jumped meanwhile. Less than a second is no jump: the request began before its first attempt.
  const began = now - (settings.elapsed() - begunAt);
  const begun = began < first - 1000 ? began : first;
  const tolerance = skewMs === undefined ? uncorrectedTolerance : correctedTolerance;
  const iso = (time: number) => new Date(time + (skewMs ?? 0)).toISOString();
  return { from: iso(begun - tolerance), to: iso(Math.max(first, now) + tolerance) };
}
