// One sending of a request: credential, deadline, bounded body, parsed once.
import { Received, readText, replay, textOf } from "./body.ts";
import { type Attempt, InvalidResponseError, type Problem } from "./errors.ts";
import { cleaned, endOf } from "./failure.ts";
import { isObject, isText, messageOf } from "./guards.ts";
import { type Failure, withinLimit } from "./interruption.ts";
import { noticeDeprecation } from "./logger.ts";
import { runMiddleware } from "./middleware.ts";
import { redact } from "./redact.ts";
import { type AttemptEnd, outcomeOfAnswer, retryHint } from "./retry.ts";
import type { Call } from "./send.ts";

/** 10 MiB. */
const maxBodyBytes = 10_485_760;
/** 64 KiB. */
const maxErrorBodyBytes = 65_536;
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
export interface Progress {
  attempt?: Attempt;
  response?: Response;
  /** The exchange's own error, as opposed to one that middleware threw. */
  error?: unknown;
  /** What came of the body so far. */
  readonly received: Received;
}

/** Sends the request once. Throws what the caller's own code threw, such as its token function, while nothing is out. */
export async function attemptOnce(call: Call): Promise<Ending> {
  const progress: Progress = { received: new Received() };
  const end = await within(call, progress, async (stop) =>
    // Middleware may have made an answer up, which comes unread.
    readOnce(await throughMiddleware(call, stop, progress), stop, progress, call),
  );
  if (!("value" in end)) return end;
  const { value: response } = end;
  const text = textOf(response) ?? null;
  return response.ok ? success(call, response, text) : refusal(call, response, text, progress);
}

/** Does something between attempts within the same limits: nothing may outlive the request. */
export const between = <T>(call: Call, work: (stop: AbortSignal) => Promise<T>): Promise<{ value: T } | Ending> =>
  within(call, { received: new Received() }, work);

function within<T>(call: Call, progress: Progress, work: (stop: AbortSignal) => Promise<T>) {
  const { timeoutMs, deadline, elapsed } = call;
  const remaining = deadline === undefined ? timeoutMs : deadline - elapsed();
  return withinLimit<{ value: T } | Ending>(
    call,
    Math.max(0, Math.min(timeoutMs, remaining)),
    async (stop) => ({ value: await work(stop) }),
    (thrown, interruption) => endOf(call, progress, thrown, interruption),
  );
}

function throughMiddleware(call: Call, stop: AbortSignal, progress: Progress): Promise<Response> {
  const { middleware, operationId, route, method, url, body } = call;
  if (middleware.length === 0) return exchange(call, call.headers, stop, progress);
  const headers = new Headers(call.headers);
  const context = { operationId, route, attempt: call.attempts.length + 1 };
  const request = { method, url, headers, body: isText(body) ? body : undefined };
  // The credential goes onto a copy, which middleware that keeps its request does not see.
  return runMiddleware(middleware, request, context, () => exchange(call, new Headers(headers), stop, progress));
}

/** The request itself: nothing of the caller's runs in here but its token function and its fetch. */
async function exchange(call: Call, headers: Headers, stop: AbortSignal, progress: Progress): Promise<Response> {
  const { clock, method, url, body } = call;
  const token = call.renewedToken ?? (await call.auth.token());
  call.renewedToken = undefined;
  call.token = token;
  call.tokens.add(token);
  // The wait for a token may have used up the time or been aborted: then nothing may be sent any more.
  stop.throwIfAborted();
  headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${token}`);
  if (call.accountId !== undefined) headers.set("x-account-id", call.accountId);
  const init: RequestInit = { method, headers, redirect: "manual", signal: stop };
  if (body !== undefined && body !== null) init.body = body as BodyInit;

  const attempt: Attempt = { startedAt: clock.now() };
  progress.attempt = attempt;
  call.attempts.push(attempt);
  call.problem = undefined;
  call.hint = undefined;
  try {
    // Looked up now: a client made before a mock replaces the global fetch must not go to the network.
    const send = call.fetch ?? globalThis.fetch;
    const response = await send(url, init);
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
    const skewMs = date - clock.now();
    if (skewMs <= largestSkewMs) call.skewMs = skewMs;
    // The header counts even where the body, which may say it more exactly, never comes.
    if (!response.ok) call.hint = retryHint(undefined, response.headers, clock.now());
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
  if (!call.answer || (call.answer === "object or nothing" && !text)) return end;
  const invalid = (words: string, cause?: unknown): Ending => {
    call.partialBody = text ?? undefined;
    const carried = `answered ${response.status} with a body that ${words}, though the request was carried out`;
    return { ...end, failure: { kind: InvalidResponseError, words: carried, cause } };
  };
  call.data = objectOf(text);
  if (!call.data) return invalid("is no JSON object");
  try {
    call.validate?.(call.operationId, call.data);
  } catch (error) {
    return invalid(`validation refused (${redact(messageOf(error), call.tokens)})`, cleaned(error, call.tokens));
  }
  return end;
}

function refusal(call: Call, response: Response, text: string | null, { attempt }: Progress): Ending {
  call.problem = objectOf(text);
  const written = call.problem?.code;
  const code = isText(written) ? written : undefined;
  if (code && attempt) attempt.code = code;
  const { status, headers } = response;
  call.hint = retryHint(call.problem?.meta, headers, call.clock.now());
  return { status, code, outcome: outcomeOfAnswer(status, code), interrupted: false, response };
}

function objectOf(text: string | null): Problem {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isObject(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
