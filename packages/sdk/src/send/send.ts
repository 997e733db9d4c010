// The attempt loop: which attempt follows which, and which error is reported in the end.
import { readArguments } from "../errors/base.ts";
import type { OutcomeWindow, ReconcileOptions, RetrySkippedReason } from "../errors/details.ts";
import { OutcomeUnknownError } from "../errors/outcome-unknown-error.ts";
import { RequestError, withRetryReason } from "../errors/request-error.ts";
import { createApiError } from "../errors/status-errors.gen.ts";
import type { ErrorCode } from "../generated/error-codes.gen.ts";
import type { Credential } from "../options/auth.ts";
import { checkOptions, maxTimerMs, reconcileRules } from "../options/checks.ts";
import { momentOf, msSince, windowOf, withDeadline } from "../options/clock.ts";
import type { RequestInstrumentation } from "../options/options.ts";
import { retryCost } from "../options/retry-budget.ts";
import { messageOf } from "../utils/guards.ts";
import { cleanHeaders } from "../utils/redact.ts";
import { attemptOnce, between, followAttempt, followRequest, tokenFunction } from "./attempt.ts";
import type { ReadResponse } from "./body.ts";
import type { AttemptResult, Call } from "./call.ts";
import { combine, isEffectFree, requestIdOf, summaryOf, untold } from "./result.ts";
import { delayFor, shouldRetry } from "./retry.ts";

/** The one refusal that a new credential fixes. */
const expiredCode = "token_expired" satisfies ErrorCode;

/** Result of a request: a success, or an error response with the error to throw. */
export interface Sent<T = unknown> extends ReadResponse {
  /** Parsed body of a success. */
  readonly data: T;
  readonly error?: RequestError;
}

/** Sends the request until it succeeds or may not be retried. */
export function send<T>(call: Call): Promise<Sent<T>> {
  if (!call.settings.instrumentation) return sendAttempts(call);
  return followRequest(call, (request) => sendAttempts(call, request));
}

async function sendAttempts<T>(call: Call, request?: RequestInstrumentation): Promise<Sent<T>> {
  const { auth, budgets, log, random } = call.settings;
  let renewed: Credential | undefined;
  for (let retries = 0; ; retries++) {
    const result = await (request
      ? followAttempt(call, request, (instrumentation) => attemptOnce(call, renewed, instrumentation))
      : attemptOnce(call, renewed));
    const { attempt, outcome, response, failure, data, text = null } = result;
    if (attempt) call.attempts.push(attempt);
    call.outcome = combine(call.outcome, outcome);
    log.debug?.(() => summaryOf(call, result));
    if (response?.ok && !failure) {
      budgets?.of(call.accountId).refill(call.retryCost);
      auth.accept(result.credential);
      return { response, text, data: data as T };
    }
    renewed = undefined;
    const isRenewal = isExpired(call, result);
    const delayMs = isRenewal ? 0 : delayFor(retries, result.hintSecs ?? 0, random);
    if (!(await maySendAgain(call, result, isRenewal, retries, delayMs))) return finish(call, result);
    if (isRenewal) {
      const renewal = await renew(call, result.credential);
      if (!("value" in renewal)) return finish(call, renewal);
      renewed = renewal.value;
      // Not counted as a retry: only the credential was refused.
      retries--;
      if (renewed) continue;
      call.retrySkippedReason = "token_still_expired";
      return finish(call, result);
    }
    await waitForRetry(call, result, delayMs);
  }
}

/** Whether the token expired and can be renewed, which happens once per request. */
function isExpired({ settings: { auth, elapsed }, idempotency, renewed }: Call, result: AttemptResult): boolean {
  const { status, code, credential, outcome } = result;
  if (status !== 401 || !auth.canRenew || !credential) return false;
  if (code !== expiredCode || renewed) {
    auth.forget(credential, elapsed());
    return false;
  }
  // Middleware may have put this refusal in place of another response.
  return idempotency === "idempotent" || outcome === "rejected" || outcome === "not_sent";
}

function renew(call: Call, expired: Credential | undefined) {
  call.renewed = true;
  const { settings } = call;
  return between(call, (stop) => settings.auth.renew(expired as Credential, settings, stop), tokenFunction);
}

/** The one way to a second send, by a retry or with a renewed credential. If one is due but skipped, the call says why. */
async function maySendAgain(
  call: Call,
  result: AttemptResult,
  isRenewal: boolean,
  retries: number,
  delayMs: number,
): Promise<boolean> {
  const isDue = !result.final && shouldRetry("idempotent", result) && retries < call.maxRetries;
  if (!isDue && !isRenewal) return false;
  call.retrySkippedReason = await reasonToSkip(call, result, isRenewal, delayMs);
  return call.retrySkippedReason === undefined;
}

async function reasonToSkip(
  call: Call,
  result: AttemptResult,
  isRenewal: boolean,
  delayMs: number,
): Promise<RetrySkippedReason | undefined> {
  const { budgets, elapsed } = call.settings;
  const { maxRetryAfterMs, onUnknownOutcome } = call.retryPolicy;
  const { hintSecs = 0 } = result;
  const blind = !isRenewal && !shouldRetry(call.idempotency, result);
  if (blind && result.outcome === "applied") return "already_applied";
  if (blind && onUnknownOutcome === "throw")
    return isEffectFree(result.status, result.code) ? "untrusted_503" : "not_idempotent";
  // Anything but text, e.g. a stream, can be sent only once.
  if (typeof (call.body ?? "") !== "string") return "body_not_replayable";
  if (isRenewal) return undefined;
  if (hintSecs * 1000 > maxRetryAfterMs) return "retry_after_too_long";
  if (pastDeadline(call, delayMs)) return "total_timeout";
  if (blind && onUnknownOutcome === "check" && !(await foundNothing(call))) return "list_inconclusive";
  // The check took time itself.
  if (pastDeadline(call, delayMs)) return "total_timeout";
  // A 429 that says how long to wait asks for exactly this retry.
  call.retryCost = result.status === 429 && hintSecs > 0 ? 0 : retryCost;
  return budgets?.of(call.accountId).spend(call.retryCost, elapsed()) === false ? "retry_budget" : undefined;
}

const pastDeadline = ({ deadline = 0, settings }: Call, delayMs: number): boolean =>
  settings.elapsed() + delayMs >= deadline;

async function foundNothing(call: Call): Promise<boolean> {
  const { findCandidates, findOptions } = call;
  if (!findCandidates) return false;
  // Without the body: a list may spell a number otherwise, so no outbound call may be left out.
  const currentWindow = windowOfCall(call);
  const sought = { body: undefined, currentWindow };
  const found = await between(call, (signal) => findCandidates(currentWindow(), { ...findOptions, signal }, sought));
  return "value" in found && found.value.complete && found.value.candidates.length === 0;
}

async function waitForRetry(call: Call, result: AttemptResult, delayMs: number): Promise<void> {
  const { attempt } = result;
  const { operationId, settings, attempts, context } = call;
  const { onRetry, log, clock } = settings;
  if (attempt) attempt.delayMs = delayMs;
  const cause = `${operationId} ${result.code ?? result.status ?? attempt?.error}`;
  log.warn?.(() => `${summaryOf(call, result)}; retried in ${Math.round(delayMs)} ms`, cause);
  // Called at once, and not awaited.
  const event = attempt && { operationId, attempt, nextAttemptNumber: attempts.length + 1, context };
  const notify = async () => event && onRetry?.(event);
  notify().catch((error: unknown) => log.error?.(() => `onRetry threw: ${messageOf(error)}`, "onRetry"));
  const limitMs = clock.wait ? maxTimerMs : delayMs;
  const wait = () => clock.wait?.(delayMs) ?? new Promise<void>(() => {});
  // Ends early if the caller aborts. The next attempt then ends before it begins.
  await withDeadline(call, limitMs, wait, () => {});
}

/** Returns an error response whose outcome is known, or throws. */
function finish<T>(call: Call, result: AttemptResult): Sent<T> {
  const { failure, response, text = null, hintSecs: retryAfterSecs } = result;
  call.durationMs = call.begun && msSince(call.settings, call.begun.elapsed);
  let error: RequestError;
  // Not with orElse(): a stack trace shows ten frames, and the caller's must be among them.
  try {
    if (failure || !response) {
      const { kind: FailureError, message, cause } = failure as NonNullable<typeof failure>;
      const full = withRetryReason(`${call.operationId} ${message}`, { ...call, retryAfterSecs });
      error = new FailureError(full, call, cause);
    } else {
      const { problem, bodyText } = result;
      const headers = cleanHeaders(response.headers, call.withoutTokens);
      const { status } = response;
      const requestId = requestIdOf(response, call);
      error = createApiError({ ...call, status, headers, body: problem, bodyText, requestId, retryAfterSecs });
    }
  } catch {
    // What failed may quote what it worked on.
    error = new RequestError(`${call.operationId} ${untold}`, call);
  }
  if (isUnknown(call)) failUnknown(call, result, error);
  if (failure || !response) throw error;
  return { response, text, data: undefined as T, error };
}

/** Throws an `OutcomeUnknownError` for the error of the last attempt. */
function failUnknown(call: Call, { partialBody }: AttemptResult, error: RequestError): never {
  const { body, findOptions, findCandidates: find } = call;
  const what =
    call.outcome === "applied"
      ? "was carried out, but its response was lost. Do not send it again: reconcile() looks for its result."
      : "may have been carried out. Call reconcile() before sending it again.";
  const currentWindow = windowOfCall(call);
  const window = currentWindow();
  const findCandidates =
    find &&
    ((options: ReconcileOptions) => {
      const { signal, maxItems } = readArguments("options", () => checkOptions(options, reconcileRules));
      return find(currentWindow(), { ...findOptions, signal }, { body, maxItems, currentWindow });
    });
  const details = { ...call, window, partialBody: partialBody && call.withoutTokens(partialBody), findCandidates };
  // Printed as the cause, it would repeat the facts and the stack of the error around it.
  for (const name of [...Object.keys(error), "stack"]) Object.defineProperty(error, name, { enumerable: false });
  error.stack = String(error);
  const unknown = new OutcomeUnknownError(`${call.operationId} ${what} ${error.message}`, details, error);
  call.settings.log.error?.(() => unknown.message, `${call.operationId} unknown`);
  throw unknown;
}

/** Whether an operation that is not idempotent may have been carried out without a usable response. */
const isUnknown = ({ idempotency, outcome }: Call): boolean =>
  idempotency === "non_idempotent" && (outcome === "unknown" || outcome === "applied");

/** Returns a function for the window of a request that ends now, by all that is known of the server's clock at its call. */
function windowOfCall({ settings, begun, answerBefore: before }: Call): () => OutcomeWindow {
  const ended = momentOf(settings);
  return () => windowOf({ begun: begun ?? ended, ended, before, newest: settings.serverTime.newest });
}
