// The attempt loop: which attempt follows which, and what is reported in the end.

import type { OutcomeWindow } from "../core/reconcile.ts";
import { type ApiError, apiErrorOf, OutcomeUnknownError, type RequestError, withReason } from "../errors/errors.ts";
import type { ErrorCode } from "../generated/error-codes.gen.ts";
import type { Credential } from "../options/auth.ts";
import { isText, messageOf } from "../utils/guards.ts";
import { excerpt } from "../utils/redact.ts";
import { requestIdOf } from "./answer.ts";
import { attemptOnce, between } from "./attempt.ts";
import type { AttemptResult, Call, CallRecord, Outgoing } from "./call.ts";
import { withinLimit } from "./deadline.ts";
import { backoffFor, combine, shouldRetry } from "./retry.ts";

// Milliseconds by which the server's clock may be off, with and without a `Date` header to correct it by.
const correctedTolerance = 5_000;
const uncorrectedTolerance = 300_000;

/** The one refusal that a new credential repairs. */
const expiredCode = "token_expired" satisfies ErrorCode;

/** What a request came to: an answer, and where it is an error of the API, the error to throw. */
export interface Sent {
  readonly response: Response;
  /** A success's body, parsed. */
  readonly data?: unknown;
  readonly error?: ApiError;
}

/** Sends the request until it succeeds, fails for good, or may not be sent again. */
export async function send(call: Call, outgoing: Outgoing): Promise<Sent> {
  const record: CallRecord = {
    operationId: call.operationId,
    attempts: [],
    outcome: "not_sent",
    retrySkippedReason: undefined,
    skewMs: undefined,
    renewed: false,
  };
  let renewed: Credential | undefined;
  for (let retries = 0; ; retries++) {
    const result = await attemptOnce(call, { ...outgoing, number: record.attempts.length + 1, renewed });
    keep(record, result);
    const { response, failure, data } = result;
    call.log("debug", () => summaryOf(call, record, result));
    if (response?.ok && !failure) {
      call.budget?.refill();
      return { response, data };
    }
    renewed = undefined;
    if (isExpired(call, record, result)) {
      const renewal = await renew(call, record, result.credential);
      if (!("value" in renewal)) return finish(call, record, renewal);
      renewed = renewal.value;
      // Not counted: the credential was stale, not the request refused.
      retries--;
      continue;
    }
    const delayMs = Math.max(backoffFor(retries, call.random), (result.hintSecs ?? 0) * 1000);
    if (!(await mayFollow(call, outgoing, record, result, retries, delayMs))) return finish(call, record, result);
    await waitForRetry(call, record, result, delayMs);
  }
}

/** Writes down what an attempt found. */
function keep(record: CallRecord, { attempt, outcome, skewMs }: AttemptResult): void {
  if (attempt) record.attempts.push(attempt);
  record.outcome = combine(record.outcome, outcome);
  if (skewMs !== undefined) record.skewMs = skewMs;
}

/** Whether a token has expired that can be exchanged, which happens once per request. */
function isExpired({ auth, retry }: Call, { renewed }: CallRecord, result: AttemptResult): boolean {
  const { status, code, credential, outcome } = result;
  if (status !== 401 || !auth.canRenew || !credential) return false;
  if (code !== expiredCode || renewed) {
    auth.forget(credential);
    return false;
  }
  // Middleware may have put this refusal in place of an answer that says otherwise.
  return retry === "safe" || outcome === "rejected" || outcome === "not_sent";
}

async function renew(call: Call, record: CallRecord, expired: Credential | undefined) {
  record.renewed = true;
  const renewal = await between(call, () => call.auth.renew(expired as Credential, call.elapsed()));
  if ("value" in renewal) call.tokens.add(renewal.value.token);
  return renewal;
}

/** Whether another attempt may follow; where one is retrySkippedReason, the record says why. */
async function mayFollow(
  call: Call,
  { body }: Outgoing,
  record: CallRecord,
  result: AttemptResult,
  retries: number,
  delayMs: number,
): Promise<boolean> {
  if (result.final || !shouldRetry("safe", result) || retries >= call.maxRetries) return false;
  record.retrySkippedReason = await whyWithheld(call, body, record, result, delayMs);
  return record.retrySkippedReason === undefined;
}

async function whyWithheld(
  call: Call,
  body: unknown,
  record: CallRecord,
  result: AttemptResult,
  delayMs: number,
): Promise<string | undefined> {
  const { budget, maxRetryAfterSecs, unsafe } = call;
  const { hintSecs = 0 } = result;
  const blind = !shouldRetry(call.retry, result);
  if (blind && result.outcome === "applied") return "it was carried out, and must not be repeated";
  if (blind && unsafe === "never") return "it may have been carried out, and must not be repeated blindly";
  // A body that is no text, e.g. a stream, can be sent only once.
  if (!isText(body ?? "")) return "its body is no text";
  if (hintSecs > maxRetryAfterSecs)
    return `the server asks to wait ${hintSecs} s, more than maxRetryAfterSecs (${maxRetryAfterSecs})`;
  const tooLate = "totalTimeoutMs would pass before it";
  if (pastDeadline(call, delayMs)) return tooLate;
  if (blind && unsafe === "check" && !(await nothingListed(call, record)))
    return "a look does not rule out that it was carried out";
  // The look took time itself.
  if (pastDeadline(call, delayMs)) return tooLate;
  return budget?.spend() === false ? "the client's retry budget is used up" : undefined;
}

const pastDeadline = ({ deadline, elapsed }: Call, delayMs: number): boolean =>
  deadline !== undefined && elapsed() + delayMs >= deadline;

async function nothingListed(call: Call, record: CallRecord): Promise<boolean> {
  const { findCandidates, findOptions } = call;
  if (!findCandidates) return false;
  const look = await between(call, (signal) => findCandidates(windowOf(call, record), { ...findOptions, signal }));
  return "value" in look && look.value.complete && look.value.candidates.length === 0;
}

async function waitForRetry(
  call: Call,
  { attempts }: CallRecord,
  { attempt }: AttemptResult,
  delayMs: number,
): Promise<void> {
  const { onRetry, log, operationId } = call;
  if (attempt) attempt.delayMs = delayMs;
  log("warn", () => `${operationId} is retried in ${Math.round(delayMs)} ms`);
  // Called at once, and never waited for.
  const told = async () => attempt && onRetry?.({ operationId, attempt, nextAttemptNumber: attempts.length + 1 });
  told().catch((error: unknown) => log("error", () => `onRetry threw: ${messageOf(error)}`));
  const never = () => new Promise<void>(() => {});
  // Ends early where the caller aborts; the next attempt then ends before it begins.
  await withinLimit(call, delayMs, never, () => {});
}

function summaryOf({ clock, operationId }: Call, { attempts }: CallRecord, { status, failure }: AttemptResult): string {
  const { startedAt = clock.now(), code, requestId } = attempts.at(-1) ?? {};
  const ended = failure?.words ?? `answered ${status}${code ? ` ${excerpt(code, 100)}` : ""}`;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${clock.now() - startedAt} ms${request}`;
}

/** The answer of an error that is settled; throws the error of one that is not. */
function finish(call: Call, record: CallRecord, result: AttemptResult): Sent {
  const { failure, response } = result;
  if (failure || !response) {
    const { kind: FailureError, words, cause } = failure as NonNullable<typeof failure>;
    return fail(
      call,
      record,
      result,
      new FailureError(withReason(`${call.operationId} ${words}`, record), record, cause),
    );
  }
  const { problem, bodyText, hintSecs: retryAfterSecs } = result;
  const { status, headers } = response;
  const requestId = requestIdOf(response, call.tokens);
  const error = apiErrorOf({ ...record, status, headers, problem, bodyText, requestId, retryAfterSecs });
  return isUnknown(call, record) ? fail(call, record, result, error) : { response, error };
}

/** Whether an operation that must not be repeated blindly was, or may have been, carried out without a usable answer. */
const isUnknown = ({ retry }: Call, { outcome }: CallRecord): boolean =>
  retry === "once" && (outcome === "unknown" || outcome === "applied");

function fail(call: Call, record: CallRecord, { partialBody }: AttemptResult, error: RequestError): never {
  if (!isUnknown(call, record)) throw error;
  const what = record.outcome === "applied" ? "was carried out, but its answer is lost" : "may have been carried out";
  const message = `${call.operationId} ${what}: call reconcile() before sending it again. ${error.message}`;
  const { findCandidates, findOptions } = call;
  const facts = { ...record, window: windowOf(call, record), partialBody, findCandidates, findOptions };
  throw new OutcomeUnknownError(message, facts, error);
}

function windowOf({ clock }: Call, { attempts, skewMs }: CallRecord): OutcomeWindow {
  const now = clock.now();
  const first = attempts[0]?.startedAt ?? now;
  const tolerance = skewMs === undefined ? uncorrectedTolerance : correctedTolerance;
  const iso = (time: number) => new Date(time + (skewMs ?? 0)).toISOString();
  return { from: iso(first - tolerance), to: iso(now + tolerance) };
}
