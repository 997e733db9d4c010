// The attempt loop: which attempt follows which, and what is told in the end.
import { attemptOnce, type Ending, requestIdOf, withinLimits } from "./attempt.ts";
import {
  AbortError,
  type ApiErrorFacts,
  type Attempt,
  apiErrorOf,
  OutcomeUnknownError,
  type Problem,
  type RequestError,
  type RequestFacts,
  withReason,
} from "./errors.ts";
import type { ErrorCode } from "./generated/error-codes.gen.ts";
import type { Middleware } from "./middleware.ts";
import type { OperationFacts } from "./operation-facts.ts";
import type { RequestOptions } from "./options.ts";
import type { LookUp, OutcomeWindow } from "./reconcile.ts";
import { backoffFor, combine, type Outcome, shouldRetry } from "./retry.ts";
import type { Settings } from "./settings.ts";

/** Milliseconds by which the server's clock may be off, with and without a `Date` header to correct it by. */
const clockTolerance = { corrected: 5_000, uncorrected: 300_000 };

/** The one refusal that a new credential mends. */
const expiredCode = "token_expired" satisfies ErrorCode;

/** A request that can be sent again: openapi-fetch makes it where it would make a `Request`. */
export class Plan {
  readonly url: string;
  declare readonly method: string;
  declare readonly headers: Headers;
  declare readonly body: unknown;

  constructor(url: string, init: object) {
    Object.assign(this, init);
    this.url = url;
  }
}

/** One logical request: what it may do, and what happened to it so far. */
export interface Call {
  readonly settings: Settings;
  readonly operation: OperationFacts;
  /** The path template. */
  readonly route: string;
  /** Whether the contract knows the operation; of others nothing is expected. */
  readonly known: boolean;
  readonly accountId: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly middleware: readonly Middleware[];
  /** When the whole request must be over, as `elapsed()` of the clock. */
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
  withheld?: string | undefined;
}

/** Sends the plan until it succeeds, fails for good, or may not be sent again. */
export async function send(plan: Plan, call: Call): Promise<Response> {
  const { settings } = call;
  for (let retries = 0; ; retries++) {
    const ending = await attemptOnce(plan, call);
    call.outcome = combine(call.outcome, ending.outcome);
    logAttempt(call, ending);
    if (ending.response?.ok && !ending.failure) {
      settings.budget?.refill();
      return ending.response;
    }
    const renewal = await renewToken(call, ending);
    if (renewal === true) {
      // Not counted: the credential was stale, not the request refused.
      retries--;
      continue;
    }
    if (renewal) return finish(call, renewal);
    const delayMs = Math.max(backoffFor(retries, settings.random), (call.hint ?? 0) * 1000);
    if (!(await mayFollow(plan, call, ending, retries, delayMs))) return finish(call, ending);
    await waitForRetry(call, delayMs);
  }
}

/** Exchanges an expired access token, once per request: whether it did, or how it failed. */
async function renewToken(call: Call, { status, code }: Ending): Promise<boolean | Ending> {
  const { auth } = call.settings;
  const stale = call.token;
  if (status !== 401 || code !== expiredCode || !auth.canRenew || stale === undefined) return false;
  if (call.renewed) {
    auth.forget(stale);
    return false;
  }
  call.renewed = true;
  const renewal = await withinLimits(call, () => auth.renew(stale));
  if (!("value" in renewal)) return renewal;
  call.renewedToken = renewal.value;
  call.tokens.add(renewal.value);
  return true;
}

/** Whether another attempt may follow; where one is withheld, the call remembers why. */
async function mayFollow(plan: Plan, call: Call, ending: Ending, retries: number, delayMs: number): Promise<boolean> {
  const { retry } = call.operation;
  const { budget, maxRetryAfterSecs, unsafe } = call.settings;
  const withhold = (why: string) => {
    call.withheld = why;
    return false;
  };
  if (ending.final || !shouldRetry("safe", ending)) return false;
  if (retries >= call.maxRetries) return false;
  const blind = !shouldRetry(retry, ending);
  if (blind && unsafe === "never") return withhold("it may have been carried out, and must not be repeated blindly");
  // A body that is no text, e.g. a stream, can be sent only once.
  if (plan.body !== undefined && plan.body !== null && typeof plan.body !== "string")
    return withhold("its body is no text");
  const hintSecs = call.hint ?? 0;
  if (hintSecs > maxRetryAfterSecs) {
    return withhold(`the server asks to wait ${hintSecs} s, more than maxRetryAfterSecs (${maxRetryAfterSecs})`);
  }
  if (pastDeadline(call, delayMs)) return withhold("totalTimeoutMs would pass before it");
  if (blind && unsafe === "check" && !(await nothingListed(call))) {
    return withhold("a look at the server does not rule out that it was carried out");
  }
  // The look took time itself.
  if (pastDeadline(call, delayMs)) return withhold("totalTimeoutMs would pass before it");
  if (budget && !budget.spend()) return withhold("the client's retry budget is used up");
  return true;
}

const pastDeadline = ({ deadline, settings }: Call, delayMs: number): boolean =>
  deadline !== undefined && settings.clock.elapsed() + delayMs >= deadline;

async function nothingListed(call: Call): Promise<boolean> {
  const { lookUp, lookUpOptions } = call;
  if (!lookUp) return false;
  const look = await withinLimits(call, (signal) => lookUp(windowOf(call), { ...lookUpOptions, signal }));
  return "value" in look && look.value.complete && look.value.candidates.length === 0;
}

async function waitForRetry(call: Call, delayMs: number): Promise<void> {
  const { onRetry, logger } = call.settings;
  const attempt = call.attempts.at(-1);
  if (attempt) attempt.delayMs = delayMs;
  logger?.warn(`call-transfer: ${call.operation.id} is retried in ${Math.round(delayMs)} ms`);
  const failed = (error: unknown) =>
    logger?.error(`call-transfer: onRetry threw: ${error instanceof Error ? error.message : String(error)}`);
  try {
    const told: unknown =
      attempt && onRetry?.({ operationId: call.operation.id, attempt, next: call.attempts.length + 1 });
    Promise.resolve(told).catch(failed);
  } catch (error) {
    failed(error);
  }
  await sleep(delayMs, call);
}

function logAttempt({ settings: { logger, clock }, operation, attempts }: Call, { status, failure }: Ending): void {
  const attempt = attempts.at(-1);
  if (!logger || !attempt) return;
  const request = attempt.requestId ? ` (request ${attempt.requestId})` : "";
  const ended = failure?.words ?? `answered ${status}${attempt.code ? ` ${attempt.code}` : ""}`;
  const took = clock.now() - attempt.startedAt;
  logger.debug(`call-transfer: ${operation.id} attempt ${attempts.length} ${ended} in ${took} ms${request}`);
}

/** The answer of an error that is settled, or the error of one that is not. */
function finish(call: Call, { failure, response }: Ending): Response {
  if (failure) {
    const { kind: FailureError, words, cause } = failure;
    const facts = factsOf(call);
    throw withOutcome(call, new FailureError(withReason(`${call.operation.id} ${words}`, facts), facts, cause));
  }
  const answer = response as Response;
  if (isUnknown(call)) throw withOutcome(call, apiErrorOf(apiErrorFactsOf(call, answer)));
  return answer;
}

/** Whether an operation that must not be repeated blindly was, or may have been, carried out without a usable answer. */
const isUnknown = ({ operation, outcome }: Call): boolean =>
  operation.retry === "once" && (outcome === "unknown" || outcome === "applied");

function withOutcome(call: Call, error: RequestError): Error {
  if (!isUnknown(call)) return error;
  const { lookUp, lookUpOptions, partialBody } = call;
  const what = call.outcome === "applied" ? "was carried out, but its answer is lost" : "may have been carried out";
  const message = `${call.operation.id} ${what}: call reconcile() before sending it again (§8.3). ${error.message}`;
  const facts = { ...factsOf(call), window: windowOf(call), lookUp, lookUpOptions, partialBody };
  return new OutcomeUnknownError(message, facts, error);
}

function windowOf({ attempts, settings: { clock }, skewMs }: Call): OutcomeWindow {
  const first = attempts[0]?.startedAt ?? clock.now();
  const tolerance = skewMs === undefined ? clockTolerance.uncorrected : clockTolerance.corrected;
  const iso = (time: number) => new Date(time + (skewMs ?? 0)).toISOString();
  return { from: iso(first - tolerance), to: iso(clock.now() + tolerance) };
}

export function factsOf({ outcome, attempts, operation, withheld }: Call): RequestFacts {
  return { outcome, attempts, operationId: operation.id, withheld };
}

export function apiErrorFactsOf(call: Call, response: Response): ApiErrorFacts {
  const requestId = requestIdOf(response, call);
  const { status, headers } = response;
  return { ...factsOf(call), status, problem: call.problem, requestId, headers, retryAfterSecs: call.hint };
}

function sleep(delayMs: number, call: Call): Promise<void> {
  const { clock } = call.settings;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clock.clearTimeout(timer);
      const words = "was aborted by the caller while waiting to retry";
      reject(withOutcome(call, new AbortError(`${call.operation.id} ${words}`, factsOf(call), call.signal?.reason)));
    };
    const timer = clock.setTimeout(() => {
      call.signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    if (call.signal?.aborted) onAbort();
    else call.signal?.addEventListener("abort", onAbort, { once: true });
  });
}
