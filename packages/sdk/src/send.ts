// The attempt loop: which attempt follows which, and what is told in the end.
import { attemptOnce, between, type Ending, requestIdOf } from "./attempt.ts";
import {
  type ApiErrorFacts,
  type Attempt,
  apiErrorOf,
  OutcomeUnknownError,
  type Problem,
  type RequestError,
  withReason,
} from "./errors.ts";
import type { ErrorCode } from "./generated/error-codes.gen.ts";
import { isText, messageOf } from "./guards.ts";
import { withinLimit } from "./interruption.ts";
import type { Middleware } from "./middleware.ts";
import type { OperationFacts } from "./operation-facts.ts";
import type { RequestOptions } from "./options.ts";
import type { LookUp, OutcomeWindow } from "./reconcile.ts";
import { backoffFor, combine, type Outcome, shouldRetry } from "./retry.ts";
import type { Settings } from "./settings.ts";

// Milliseconds by which the server's clock may be off, with and without a `Date` header to correct it by.
const correctedTolerance = 5_000;
const uncorrectedTolerance = 300_000;

/** The one refusal that a new credential mends. */
const expiredCode = "token_expired" satisfies ErrorCode;

/** What goes out, and can go out again. */
export interface Outgoing {
  /** The base address until the rest is written. */
  url: string;
  /** The client's and, over them, the request's own. */
  headers: Headers;
  body?: unknown;
}

/** One logical request: what it may do, and what happened to it so far. */
export interface Call extends Outgoing, Omit<Settings, "headers" | "middleware">, OperationFacts {
  readonly method: string;
  /** The path template. */
  readonly route: string;
  readonly signal?: AbortSignal | undefined;
  readonly middleware: readonly Middleware[];
  /** When the whole request must be over, as `elapsed()` tells it. */
  readonly deadline: number | undefined;
  /** How to look whether it was carried out. */
  readonly lookUp: LookUp | undefined;
  /** What the request was sent with, so that the look is one of the same caller. */
  readonly lookUpOptions: RequestOptions;
  readonly attempts: Attempt[];
  /** Every token that was sent, to keep them out of what is told. */
  readonly tokens: Set<string>;
  /** The token of the last attempt. */
  token?: string;
  /** What all attempts together did to the server. */
  outcome: Outcome;
  /** A success's body, parsed. */
  data?: unknown;
  /** What came of a success's body that is of no use. */
  partialBody?: string | undefined;
  /** An error's body, parsed; undefined where it is no JSON object. */
  problem?: Problem;
  /** Seconds that the last answer asked to wait. */
  hint?: number | undefined;
  /** A token that replaces an expired one at the next attempt. */
  renewedToken?: string | undefined;
  renewed?: boolean;
  /** Milliseconds that the server's clock is ahead. */
  skewMs?: number;
  withheld: string | undefined;
}

/** Sends the request until it succeeds, fails for good, or may not be sent again. */
export async function send(call: Call): Promise<Response> {
  for (let retries = 0; ; retries++) {
    const ending = await attemptOnce(call);
    const { response, failure } = ending;
    call.outcome = combine(call.outcome, ending.outcome);
    call.log("debug", () => wordsOf(call, ending));
    if (response?.ok && !failure) {
      call.budget?.refill();
      return response;
    }
    const renewal = await renewToken(call, ending);
    if (renewal === true) {
      // Not counted: the credential was stale, not the request refused.
      retries--;
      continue;
    }
    if (renewal) return finish(call, renewal);
    const delayMs = Math.max(backoffFor(retries, call.random), (call.hint ?? 0) * 1000);
    if (!(await mayFollow(call, ending, retries, delayMs))) return finish(call, ending);
    await waitForRetry(call, delayMs);
  }
}

/** Exchanges an expired access token, once per request: whether it did, or how it failed. */
async function renewToken(call: Call, { status, code }: Ending): Promise<boolean | Ending> {
  const { auth, token: stale } = call;
  if (status !== 401 || code !== expiredCode || !auth.canRenew || stale === undefined) return false;
  if (call.renewed) {
    auth.forget(stale);
    return false;
  }
  call.renewed = true;
  const renewal = await between(call, () => auth.renew(stale));
  if (!("value" in renewal)) return renewal;
  call.renewedToken = renewal.value;
  call.tokens.add(renewal.value);
  return true;
}

/** Whether another attempt may follow; where one is withheld, the call remembers why. */
async function mayFollow(call: Call, ending: Ending, retries: number, delayMs: number): Promise<boolean> {
  const { budget, maxRetryAfterSecs, unsafe, hint = 0 } = call;
  if (ending.final || !shouldRetry("safe", ending) || retries >= call.maxRetries) return false;
  const blind = !shouldRetry(call.retry, ending);
  const tooLate = () => pastDeadline(call, delayMs) && "totalTimeoutMs would pass before it";
  const withheld =
    (blind && unsafe === "never" && "it may have been carried out, and must not be repeated blindly") ||
    // A body that is no text, e.g. a stream, can be sent only once.
    (!isText(call.body ?? "") && "its body is no text") ||
    (hint > maxRetryAfterSecs &&
      `the server asks to wait ${hint} s, more than maxRetryAfterSecs (${maxRetryAfterSecs})`) ||
    tooLate() ||
    (blind &&
      unsafe === "check" &&
      !(await nothingListed(call)) &&
      "a look does not rule out that it was carried out") ||
    // The look took time itself.
    tooLate() ||
    (budget?.spend() === false && "the client's retry budget is used up");
  if (withheld) call.withheld = withheld;
  return !withheld;
}

const pastDeadline = ({ deadline, elapsed }: Call, delayMs: number): boolean =>
  deadline !== undefined && elapsed() + delayMs >= deadline;

async function nothingListed(call: Call): Promise<boolean> {
  const { lookUp, lookUpOptions } = call;
  if (!lookUp) return false;
  const look = await between(call, (signal) => lookUp(windowOf(call), { ...lookUpOptions, signal }));
  return "value" in look && look.value.complete && look.value.candidates.length === 0;
}

async function waitForRetry(call: Call, delayMs: number): Promise<void> {
  const { onRetry, log, operationId, attempts } = call;
  const attempt = attempts.at(-1);
  if (attempt) attempt.delayMs = delayMs;
  log("warn", () => `${operationId} is retried in ${Math.round(delayMs)} ms`);
  // Called at once, and never waited for.
  const told = async () => attempt && onRetry?.({ operationId, attempt, next: attempts.length + 1 });
  told().catch((error: unknown) => log("error", () => `onRetry threw: ${messageOf(error)}`));
  const never = () => new Promise<void>(() => {});
  // Ends early where the caller aborts; the next attempt then ends before it begins.
  await withinLimit(call, delayMs, never, () => {});
}

function wordsOf({ clock, operationId, attempts }: Call, { status, failure }: Ending): string {
  const { startedAt = clock.now(), code, requestId } = attempts.at(-1) ?? {};
  const ended = failure?.words ?? `answered ${status}${code ? ` ${code}` : ""}`;
  const request = requestId ? ` (request ${requestId})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${clock.now() - startedAt} ms${request}`;
}

/** The answer of an error that is settled, or the error of one that is not. */
function finish(call: Call, { failure, response }: Ending): Response {
  if (failure) {
    const { kind: FailureError, words, cause } = failure;
    fail(call, new FailureError(withReason(`${call.operationId} ${words}`, call), call, cause));
  }
  const answer = response as Response;
  if (isUnknown(call)) fail(call, apiErrorOf(apiErrorFactsOf(call, answer)));
  return answer;
}

/** Whether an operation that must not be repeated blindly was, or may have been, carried out without a usable answer. */
const isUnknown = ({ retry, outcome }: Call): boolean =>
  retry === "once" && (outcome === "unknown" || outcome === "applied");

function fail(call: Call, error: RequestError): never {
  if (!isUnknown(call)) throw error;
  const what = call.outcome === "applied" ? "was carried out, but its answer is lost" : "may have been carried out";
  const message = `${call.operationId} ${what}: call reconcile() before sending it again (§8.3). ${error.message}`;
  throw new OutcomeUnknownError(message, { ...call, window: windowOf(call) }, error);
}

function windowOf({ attempts, clock, skewMs }: Call): OutcomeWindow {
  const now = clock.now();
  const first = attempts[0]?.startedAt ?? now;
  const tolerance = skewMs === undefined ? uncorrectedTolerance : correctedTolerance;
  const iso = (time: number) => new Date(time + (skewMs ?? 0)).toISOString();
  return { from: iso(first - tolerance), to: iso(now + tolerance) };
}

export const apiErrorFactsOf = (call: Call, response: Response): ApiErrorFacts => ({
  ...call,
  status: response.status,
  headers: response.headers,
  requestId: requestIdOf(response, call),
  retryAfterSecs: call.hint,
});
