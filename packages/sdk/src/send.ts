// The attempt loop: auth, deadline, bounded body, parsed once.
import { BodyTooLarge, readText, replay } from "./body.ts";
import {
  AbortError,
  type ApiErrorFacts,
  type Attempt,
  apiErrorOf,
  ConnectionError,
  InvalidResponseError,
  OutcomeUnknownError,
  type Problem,
  type RequestFacts,
  TimeoutError,
} from "./errors.ts";
import type { OperationFacts } from "./operation-facts.ts";
import { checkToken, type Settings } from "./options.ts";
import { redact } from "./redact.ts";
import {
  type AttemptEnd,
  backoffFor,
  combine,
  type Outcome,
  outcomeOfAnswer,
  outcomeOfFailure,
  retryHint,
  shouldRetry,
} from "./retry.ts";

const maxBodyBytes = 10 * 1024 * 1024;
const maxErrorBodyBytes = 64 * 1024;

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
  /** Whether the contract knows the operation; of others nothing is expected. */
  readonly known: boolean;
  readonly accountId: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** When the whole request must be over, in milliseconds since 1970. */
  readonly deadline: number | undefined;
  readonly attempts: Attempt[];
  /** What all attempts together did to the server. */
  outcome: Outcome;
  /** A success's body, parsed. */
  data?: unknown;
  /** An error's body, parsed; undefined where it is no JSON object. */
  problem?: Problem;
  /** Seconds that the last answer asked to wait. */
  hint?: number | undefined;
}

/** How one attempt ended. */
interface Ending extends AttemptEnd {
  readonly response?: Response;
  readonly text?: string | null;
  /** Why there is no usable answer. */
  readonly failure?: Failure;
}

interface Failure {
  readonly kind: typeof ConnectionError | typeof TimeoutError | typeof AbortError | typeof InvalidResponseError;
  readonly words: string;
  readonly cause?: unknown;
}

/** Sends the plan until it succeeds, fails for good, or may not be sent again. */
export async function send(plan: Plan, call: Call): Promise<Response> {
  const { clock, random, maxRetryAfterSecs } = call.settings;
  // A body that is no text, e.g. a stream, can be sent only once.
  const replayable = plan.body === undefined || plan.body === null || typeof plan.body === "string";
  for (let retries = 0; ; retries++) {
    const ending = await attemptOnce(plan, call);
    call.outcome = combine(call.outcome, ending.outcome);
    if (ending.response?.ok && !ending.failure) return replay(ending.response, ending.text ?? null);

    const aborted = ending.failure?.kind === AbortError;
    if (aborted || !replayable || retries >= call.maxRetries || !shouldRetry(call.operation.retry, ending)) {
      return finish(call, ending);
    }
    const hintMs = (call.hint ?? 0) * 1000;
    const delayMs = Math.max(backoffFor(retries, random), hintMs);
    const tooLate = call.deadline !== undefined && clock.now() + delayMs >= call.deadline;
    if (hintMs > maxRetryAfterSecs * 1000 || tooLate) return finish(call, ending);
    const attempt = call.attempts.at(-1);
    if (attempt) attempt.delayMs = delayMs;
    await sleep(delayMs, call);
  }
}

/** The answer of an error that is settled, or the error of one that is not. */
function finish(call: Call, ending: Ending): Response {
  const facts = factsOf(call);
  if (ending.failure) {
    const { kind: FailureError, words, cause } = ending.failure;
    const error = new FailureError(`${facts.operationId} ${words}`, facts, cause);
    throw withUnknownOutcome(call, error, FailureError !== AbortError);
  }
  const response = ending.response as Response;
  if (call.operation.retry === "once" && call.outcome === "unknown") {
    throw withUnknownOutcome(call, apiErrorOf(apiErrorFactsOf(call, response)), true);
  }
  return replay(response, ending.text ?? null);
}

/** Wraps the end of an operation that must not be repeated blindly, when nobody can tell what it did. */
function withUnknownOutcome(call: Call, error: Error, wrap: boolean): Error {
  if (!wrap || call.operation.retry !== "once" || call.outcome !== "unknown") return error;
  const advice = "It may have been carried out, so it was not sent again: look before you repeat it (§8.3)";
  return new OutcomeUnknownError(`${error.message}. ${advice}`, factsOf(call), error);
}

export function factsOf({ outcome, attempts, operation }: Call): RequestFacts {
  return { outcome, attempts, operationId: operation.id };
}

export function apiErrorFactsOf(call: Call, response: Response): ApiErrorFacts {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const { status, headers } = response;
  return { ...factsOf(call), status, problem: call.problem, requestId, headers, retryAfterSecs: call.hint };
}

async function attemptOnce(plan: Plan, call: Call): Promise<Ending> {
  const { clock } = call.settings;
  const { signal } = call;
  const stop = new AbortController();
  let stopped: Failure | undefined;
  let attempt: Attempt | undefined;
  let response: Response | undefined;
  const remaining = call.deadline === undefined ? call.timeoutMs : call.deadline - clock.now();
  const limitMs = Math.max(0, Math.min(call.timeoutMs, remaining));

  // Some implementations of fetch never look at the signal, so whatever is awaited races this.
  const interrupted = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  interrupted.catch(() => {});
  const end = (failure: Failure) => {
    stopped ??= failure;
    stop.abort(failure.cause);
  };
  const onAbort = () => end({ kind: AbortError, words: "was aborted by the caller", cause: signal?.reason });
  const timeout = new DOMException(`no whole answer within ${limitMs} ms`, "TimeoutError");
  const timer = clock.setTimeout(
    () => end({ kind: TimeoutError, words: `got ${timeout.message}`, cause: timeout }),
    limitMs,
  );
  signal?.addEventListener("abort", onAbort, { once: true });

  try {
    if (signal?.aborted) onAbort();
    stop.signal.throwIfAborted();
    const headers = await Promise.race([headersOf(plan, call), interrupted]);
    attempt = { startedAt: clock.now() };
    call.attempts.push(attempt);
    call.problem = undefined;
    call.hint = undefined;
    response = await Promise.race([fetchOf(call)(plan.url, initOf(plan, headers, stop.signal)), interrupted]);
    attempt.status = response.status;
    const requestId = response.headers.get("x-request-id");
    if (requestId) attempt.requestId = requestId;
    const bound = response.ok ? maxBodyBytes : maxErrorBodyBytes;
    const text = await Promise.race([
      readText(response, bound, response.ok ? "throw" : "cut", stop.signal),
      interrupted,
    ]);
    return response.ok ? success(call, response, text) : refusal(call, response, text, attempt);
  } catch (error) {
    // What the caller's own code threw before anything was sent, such as its token function, is the caller's to see.
    if (!attempt && !stopped) throw error;
    const failure = stopped ?? failureOf(error, response, call);
    if (attempt) attempt.error = failure.words;
    const outcome = outcomeOf(error, attempt !== undefined, stopped !== undefined, response);
    return { outcome, failure, interrupted: failure.kind !== InvalidResponseError };
  } finally {
    clock.clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** What an attempt without a whole answer did to the server. */
function outcomeOf(error: unknown, sent: boolean, stopped: boolean, response: Response | undefined): Outcome {
  if (!sent) return "not_sent";
  if (response) return response.ok ? "applied" : outcomeOfAnswer(response.status, undefined);
  return stopped ? "unknown" : outcomeOfFailure(error);
}

function success(call: Call, response: Response, text: string | null): Ending {
  const end = { status: response.status, outcome: "applied" as const, interrupted: false, response, text };
  if (response.status === 204 || !call.known) return end;
  try {
    call.data = JSON.parse(text ?? "");
    return end;
  } catch {
    const words = `answered ${response.status} with a body that is no JSON, though the request was carried out`;
    return { ...end, failure: { kind: InvalidResponseError, words } };
  }
}

function refusal(call: Call, response: Response, raw: string | null, attempt: Attempt): Ending {
  const text = raw === null ? null : redact(raw, secretsOf(call));
  call.problem = problemOf(text);
  const code = typeof call.problem?.code === "string" ? call.problem.code : undefined;
  if (code) attempt.code = code;
  const { status, headers } = response;
  call.hint = retryHint(call.problem?.meta, headers, call.settings.clock.now());
  return { status, code, outcome: outcomeOfAnswer(status, code), interrupted: false, response, text };
}

function problemOf(text: string | null): Problem {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Problem) : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown, response: Response | undefined, call: Call): Failure {
  const message = redact(error instanceof Error ? error.message : String(error), secretsOf(call));
  if (error instanceof BodyTooLarge) {
    return { kind: InvalidResponseError, words: `answered ${response?.status} with a body ${message}` };
  }
  const where = response
    ? `lost the connection in the body of its ${response.status}`
    : "could not be sent or lost its connection";
  return { kind: ConnectionError, words: `${where}: ${message}`, cause: error };
}

const sentTokens = new WeakMap<Call, string>();

function secretsOf(call: Call): string[] {
  const token = sentTokens.get(call);
  return token === undefined ? [] : [token];
}

async function headersOf(plan: Plan, call: Call): Promise<Headers> {
  const { credential } = call.settings;
  const token =
    typeof credential.token === "function" ? await credential.token({ forceRefresh: false }) : credential.token;
  checkToken(token, credential.kind);
  sentTokens.set(call, token);
  const headers = new Headers(plan.headers);
  headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${token}`);
  if (call.accountId !== undefined) headers.set("x-account-id", call.accountId);
  return headers;
}

/** Looked up for each attempt: a client made before a mock replaces the global fetch must not go to the network. */
const fetchOf = (call: Call): typeof globalThis.fetch => call.settings.fetch ?? globalThis.fetch;

function initOf(plan: Plan, headers: Headers, signal: AbortSignal): RequestInit {
  const init: RequestInit = { method: plan.method, headers, redirect: "manual", signal };
  return plan.body === undefined || plan.body === null ? init : { ...init, body: plan.body as BodyInit };
}

function sleep(delayMs: number, call: Call): Promise<void> {
  const { clock } = call.settings;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clock.clearTimeout(timer);
      const words = "was aborted by the caller while waiting to retry";
      reject(new AbortError(`${call.operation.id} ${words}`, factsOf(call), call.signal?.reason));
    };
    const timer = clock.setTimeout(() => {
      call.signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    if (call.signal?.aborted) onAbort();
    else call.signal?.addEventListener("abort", onAbort, { once: true });
  });
}
