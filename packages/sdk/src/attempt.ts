// One sending of a request: credential, deadline, bounded body, parsed once.
import { BodyTooLarge, Received, readText, replay, textOf } from "./body.ts";
import {
  AbortError,
  type Attempt,
  ConnectionError,
  InvalidResponseError,
  type Problem,
  RequestError,
  TimeoutError,
} from "./errors.ts";
import { type Failure, watch } from "./interruption.ts";
import { noticeDeprecation } from "./logger.ts";
import { runMiddleware } from "./middleware.ts";
import { redact } from "./redact.ts";
import { type AttemptEnd, outcomeOfAnswer, outcomeOfFailure, retryHint } from "./retry.ts";
import type { Call, Plan } from "./send.ts";

const maxBodyBytes = 10 * 1024 * 1024;
const maxErrorBodyBytes = 64 * 1024;
/** A day: no honest clock is ahead by more. One far behind may be a mock's, and looking from earlier on misses nothing. */
const largestSkewMs = 86_400_000;

/** How one attempt ended. */
export interface Ending extends AttemptEnd {
  readonly response?: Response;
  /** Why there is no usable answer. */
  readonly failure?: Failure;
  /** Whether the caller's own code ended it, so that nothing may follow. */
  readonly final?: boolean;
}

/** What is known of an attempt while it runs. */
interface Progress {
  attempt?: Attempt;
  response?: Response;
  /** The exchange's own error, as opposed to one that middleware threw. */
  error?: unknown;
  /** What came of the body so far. */
  readonly received: Received;
}

/** Sends the plan once. Throws what the caller's own code threw, such as its token function, while nothing is out. */
export async function attemptOnce(plan: Plan, call: Call): Promise<Ending> {
  const progress: Progress = { received: new Received() };
  const interruption = watch(call);
  const { signal, race } = interruption;
  try {
    signal.throwIfAborted();
    const answer = await race(throughMiddleware(plan, call, signal, progress));
    // Middleware may have made an answer up, which comes unread.
    const response = textOf(answer) === undefined ? await race(readOnce(answer, signal, progress, call)) : answer;
    const text = textOf(response) ?? null;
    return response.ok ? success(call, response, text) : refusal(call, response, text, progress);
  } catch (error) {
    const ownCode = !interruption.failure && progress.error === undefined && !progress.attempt;
    if (ownCode && call.attempts.length === 0) throw error;
    return failed(interruption.failure ?? failureOf(error, call, progress), progress, call);
  } finally {
    interruption.close();
  }
}

/** Does something between attempts within the same limits: nothing may outlive the request. */
export async function withinLimits<T>(
  call: Call,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ value: T } | Ending> {
  const interruption = watch(call);
  const { signal, race } = interruption;
  try {
    signal.throwIfAborted();
    return { value: await race(work(signal)) };
  } catch (error) {
    const progress: Progress = { received: new Received() };
    return failed(interruption.failure ?? failureOf(error, call, progress), progress, call);
  } finally {
    interruption.close();
  }
}

function throughMiddleware(plan: Plan, call: Call, stop: AbortSignal, progress: Progress): Promise<Response> {
  const { middleware } = call;
  if (middleware.length === 0) return exchange(plan, call, plan.headers, stop, progress);
  const headers = new Headers(plan.headers);
  const body = typeof plan.body === "string" ? plan.body : undefined;
  const { id: operationId } = call.operation;
  const context = { operationId, route: call.route, attempt: call.attempts.length + 1 };
  const request = { method: plan.method, url: plan.url, headers, body };
  // The credential goes onto a copy, which middleware that keeps its request does not see.
  return runMiddleware(middleware, request, context, () => exchange(plan, call, new Headers(headers), stop, progress));
}

/** The request itself: nothing of the caller's runs in here but its token function and its fetch. */
async function exchange(
  plan: Plan,
  call: Call,
  headers: Headers,
  stop: AbortSignal,
  progress: Progress,
): Promise<Response> {
  const { settings } = call;
  const token = call.renewedToken ?? (await settings.auth.token());
  call.renewedToken = undefined;
  call.token = token;
  call.tokens.add(token);
  // The wait for a token may have used up the time or been aborted: then nothing may be sent any more.
  stop.throwIfAborted();
  headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${token}`);
  if (call.accountId !== undefined) headers.set("x-account-id", call.accountId);
  const init: RequestInit = { method: plan.method, headers, redirect: "manual", signal: stop };
  if (plan.body !== undefined && plan.body !== null) init.body = plan.body as BodyInit;

  const attempt: Attempt = { startedAt: settings.clock.now() };
  progress.attempt = attempt;
  call.attempts.push(attempt);
  call.problem = undefined;
  call.hint = undefined;
  try {
    // Looked up now: a client made before a mock replaces the global fetch must not go to the network.
    const send = settings.fetch ?? globalThis.fetch;
    const response = await send(plan.url, init);
    if (stop.aborted) {
      // Too late: the attempt was told as ended, and nobody will read this.
      response.body?.cancel().catch(() => {});
      stop.throwIfAborted();
    }
    progress.response = response;
    attempt.status = response.status;
    const requestId = requestIdOf(response, call);
    if (requestId) attempt.requestId = requestId;
    const date = Date.parse(response.headers.get("date") ?? "");
    const skewMs = date - settings.clock.now();
    if (skewMs <= largestSkewMs) call.skewMs = skewMs;
    // The header counts even where the body, which may say it more exactly, never comes.
    if (!response.ok) call.hint = retryHint(undefined, response.headers, settings.clock.now());
    noticeDeprecation(response.headers, call);
    return await readOnce(response, stop, progress, call);
  } catch (error) {
    progress.error = error;
    throw error;
  }
}

/** Reads the body within its bound, unless that was done. */
async function readOnce(response: Response, stop: AbortSignal, { received }: Progress, call: Call): Promise<Response> {
  if (textOf(response) !== undefined) return response;
  if (response.ok) return replay(response, await readText(response, maxBodyBytes, "throw", stop, received));
  const text = await readText(response, maxErrorBodyBytes, "cut", stop, received);
  return replay(response, text === null ? null : withoutTokens(text, call.tokens));
}

/** Text without tokens, also where JSON writes them with escapes. */
function withoutTokens(text: string, tokens: ReadonlySet<string>): string {
  const clean = redact(text, tokens);
  if (!clean.includes("\\")) return clean;
  try {
    const value: unknown = JSON.parse(clean);
    const written = JSON.stringify(value, (_, part: unknown) =>
      typeof part === "string" ? redact(part, tokens) : part,
    );
    return written === JSON.stringify(value) ? clean : written;
  } catch {
    return clean;
  }
}

/** The request's id for support, also where a server puts there what it should not. */
export function requestIdOf(response: Response, { tokens }: Call): string | undefined {
  const id = response.headers.get("x-request-id");
  return id ? redact(id, tokens) : undefined;
}

function success(call: Call, response: Response, text: string | null): Ending {
  const end: Ending = { status: response.status, outcome: "applied", interrupted: false, response };
  if (!call.known || (call.operation.bodyless && !text)) return end;
  const invalid = (words: string, cause?: unknown): Ending => {
    call.partialBody = text ?? undefined;
    const failure = { kind: InvalidResponseError, words: `answered ${response.status} ${words}`, cause };
    return { ...end, failure };
  };
  call.data = objectOf(text);
  if (!call.data) return invalid("with a body that is no JSON object, though the request was carried out");
  try {
    call.settings.validate?.(call.operation.id, call.data);
  } catch (error) {
    const message = redact(error instanceof Error ? error.message : String(error), call.tokens);
    return invalid(
      `with a body that validation refused, though the request was carried out: ${message}`,
      cleaned(error, call.tokens),
    );
  }
  return end;
}

function refusal(call: Call, response: Response, text: string | null, { attempt }: Progress): Ending {
  call.problem = objectOf(text);
  const code = typeof call.problem?.code === "string" ? call.problem.code : undefined;
  if (code && attempt) attempt.code = code;
  const { status, headers } = response;
  call.hint = retryHint(call.problem?.meta, headers, call.settings.clock.now());
  return { status, code, outcome: outcomeOfAnswer(status, code), interrupted: false, response };
}

function objectOf(text: string | null): Problem {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Problem) : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown, call: Call, { attempt, response, error: own }: Progress): Failure {
  const message = redact(wordsOf(error), call.tokens);
  if (error instanceof BodyTooLarge) {
    return { kind: InvalidResponseError, words: `answered ${response?.status} with a body ${message}` };
  }
  if (error !== own) {
    const words = attempt ? "was sent, but middleware threw" : "ended, since middleware or the token function threw";
    return { kind: RequestError, words: `${words}: ${message}`, cause: cleaned(error, call.tokens) };
  }
  const where = response
    ? `lost the connection in the body of its ${response.status}`
    : "could not be sent or lost its connection";
  return { kind: ConnectionError, words: `${where}: ${message}`, cause: cleaned(error, call.tokens) };
}

/** A cause without anything but its words: errors of other code may carry whole requests with their headers. */
function cleaned(error: unknown, tokens: ReadonlySet<string>, depth = 5): unknown {
  if (!(error instanceof Error) || depth === 0) return redact(String(error), tokens);
  const copy = new Error(redact(error.message, tokens));
  copy.name = error.name;
  copy.stack = redact(String(error.stack), tokens);
  const { code } = error as { code?: unknown };
  if (typeof code === "string") Object.assign(copy, { code: redact(code, tokens) });
  if (error.cause !== undefined) copy.cause = cleaned(error.cause, tokens, depth - 1);
  if (error instanceof AggregateError) {
    Object.assign(copy, { errors: error.errors.map((one) => cleaned(one, tokens, depth - 1)) });
  }
  return copy;
}

/** An error's message with those of its causes: fetch itself says no more than that it failed. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown[] = error.cause instanceof AggregateError ? error.cause.errors : [error.cause];
  const why = inner
    .filter((part) => part instanceof Error)
    .map((part) => part.message || (part as { code?: string }).code);
  return why.length > 0 ? `${error.message} (${[...new Set(why)].join(", ")})` : error.message;
}

function failed(failure: Failure, { attempt, response, received, error }: Progress, call: Call): Ending {
  if (attempt) attempt.error = failure.words;
  if (response?.ok) call.partialBody = received.text(false);
  const interrupted = failure.kind === ConnectionError || failure.kind === TimeoutError;
  const end = { failure, interrupted, final: failure.kind === AbortError || failure.kind === RequestError };
  if (!attempt) return { ...end, outcome: "not_sent" };
  if (response) return { ...end, status: response.status, outcome: outcomeOfAnswer(response.status, undefined) };
  return { ...end, outcome: failure.kind === ConnectionError ? outcomeOfFailure(error) : "unknown" };
}
