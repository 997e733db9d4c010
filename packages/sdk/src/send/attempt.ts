// One sending of a request: credential, deadline, bounded body.

import type { Attempt } from "../errors/errors.ts";
import type { Credential } from "../options/auth.ts";
import { isText } from "../utils/guards.ts";
import { redact } from "../utils/redact.ts";
import { codeOf, effectOf, problemIn, refusal, requestIdOf, success, validated } from "./answer.ts";
import { completed, isWhole, Received, readText, replay, textOf } from "./body.ts";
import type { AttemptResult, Call, Outgoing } from "./call.ts";
import { withinLimit } from "./deadline.ts";
import { endOf } from "./failure.ts";
import { noticeDeprecation } from "./logger.ts";
import { runMiddleware } from "./middleware.ts";
import { outcomeOfFailure, type RequestOutcome, retryHint } from "./retry.ts";

/** 10 MiB. */
const maxBodyBytes = 10_485_760;
/** 64 KiB. */
const maxErrorBodyBytes = 65_536;
/** A day: no honest clock is ahead by more. One far behind may be a mock's, and looking from earlier on misses nothing. */
const largestSkewMs = 86_400_000;

/** What is known of an attempt while it runs. */
export interface Progress {
  /** What the exchange did to the server, whatever middleware makes of its answer. */
  effect: RequestOutcome;
  /** The sending itself, once the request is out. */
  attempt?: Attempt;
  credential?: Credential;
  /** Milliseconds that the server's clock is ahead. */
  skewMs?: number;
  /** Seconds that the server asked to wait. */
  hintSecs?: number | undefined;
  /** The exchange's own failure, as opposed to one of middleware. */
  failed?: { readonly error: unknown };
  /** The response whose body is read, with what came of it: middleware may answer with another than the server's. */
  reading?: { readonly response: Response; readonly received: Received };
  /** Whether middleware has answered. */
  answered?: boolean;
  /** Whether fetch is under way. */
  inFlight?: boolean;
  /** Whether the attempt has ended, so that nothing may be sent any more. */
  over?: boolean;
}

/** What an attempt is made with. */
export interface AttemptPlan extends Outgoing {
  /** Which sending it is, from 1. */
  readonly number: number;
  /** Replaces a credential that has expired. */
  readonly renewed?: Credential | undefined;
}

/** Sends the request once. Throws what the caller's own code threw, such as its token function, before anything was sent. */
export async function attemptOnce(call: Call, plan: AttemptPlan): Promise<AttemptResult> {
  const progress: Progress = { effect: "not_sent" };
  const end = await within(call, plan.number, progress, async (stop) => {
    try {
      const response = await throughMiddleware(call, plan, stop.signal, progress);
      progress.answered = true;
      return await readOnce(response, stop.signal, progress, call);
    } finally {
      // Middleware need not wait for what it began: neither is its answer awaited, nor is it sent from now on.
      progress.over = true;
      if (progress.inFlight) stop.abort(new DOMException("middleware answered before the server", "AbortError"));
    }
  });
  if (!("value" in end)) return end;
  const { value: response } = end;
  const text = textOf(response) ?? null;
  if (!response.ok) return refusal(call, response, text, progress);
  const result = success(call, response, text, progress);
  return call.validate && result.data ? validated(call, result) : result;
}

/** Does something between attempts within the same limits: nothing may outlive the request. */
export const between = <T>(
  call: Call,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<{ value: T } | AttemptResult> =>
  within(call, Number.POSITIVE_INFINITY, { effect: "not_sent" }, ({ signal }) => work(signal));

function within<T>(call: Call, number: number, progress: Progress, work: (stop: AbortController) => Promise<T>) {
  const { timeoutMs, deadline, elapsed } = call;
  const remaining = deadline === undefined ? timeoutMs : deadline - elapsed();
  return withinLimit<{ value: T } | AttemptResult>(
    call,
    Math.max(0, Math.min(timeoutMs, remaining)),
    async (stop) => ({ value: await work(stop) }),
    (thrown, interruption) => endOf(call, number, progress, thrown, interruption),
  );
}

function throughMiddleware(call: Call, plan: AttemptPlan, stop: AbortSignal, progress: Progress): Promise<Response> {
  const { middleware, operationId, route, method } = call;
  const { url, body, number } = plan;
  if (middleware.length === 0) return exchange(call, plan, plan.headers, stop, progress);
  const headers = new Headers(plan.headers);
  const context = { operationId, route, attemptNumber: number };
  const request = { method, url, headers, body: isText(body) ? body : undefined };
  // The credential goes onto a copy, which middleware that keeps its request does not see.
  return runMiddleware(middleware, request, context, () => exchange(call, plan, new Headers(headers), stop, progress));
}

/** The request itself: nothing of the caller's runs in here but its token function and its fetch. */
async function exchange(
  call: Call,
  { url, body, renewed }: AttemptPlan,
  headers: Headers,
  stop: AbortSignal,
  progress: Progress,
): Promise<Response> {
  const { clock, method } = call;
  const credential = renewed ?? (await call.auth.credential());
  progress.credential = credential;
  call.tokens.add(credential.token);
  // The wait for a token may have used up the time or been aborted: then nothing may be sent any more.
  stop.throwIfAborted();
  if (progress.over) throw new TypeError("next() goes on after its middleware has answered");
  headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${credential.token}`);
  if (call.accountId !== undefined) headers.set("x-account-id", call.accountId);
  const init: RequestInit & { duplex?: "half" } = { method, headers, redirect: "manual", signal: stop };
  if (body !== undefined && body !== null) {
    init.body = body as BodyInit;
    // Node sends a stream only when it is told that the answer comes after it.
    if (!isText(body)) init.duplex = "half";
  }

  const attempt: Attempt = { startedAt: clock.now() };
  progress.attempt = attempt;
  progress.effect = "unknown";
  try {
    // Looked up now: a client made before a mock replaces the global fetch must not go to the network.
    const send = call.fetch ?? globalThis.fetch;
    progress.inFlight = true;
    const given = await send(url, init);
    const response = isWhole(given) ? given : completed(given);
    if (stop.aborted) {
      // Too late: the attempt has ended, and nobody will read this.
      response.body?.cancel().catch(() => {});
      stop.throwIfAborted();
    }
    note(call, response, attempt, progress);
    const read = await readOnce(response, stop, progress, call);
    if (!response.ok) noteRefusal(call, response, attempt, progress);
    return read;
  } catch (error) {
    progress.failed = { error };
    if (attempt.status === undefined) progress.effect = outcomeOfFailure(error);
    throw error;
  } finally {
    progress.inFlight = false;
  }
}

/** Notes what an answer's head says, which counts even where its body never comes. */
function note(call: Call, response: Response, attempt: Attempt, progress: Progress): void {
  const { clock, tokens } = call;
  const { status, headers } = response;
  attempt.status = status;
  progress.effect = effectOf(response);
  const requestId = requestIdOf(response, tokens);
  if (requestId) attempt.requestId = requestId;
  const date = Date.parse(headers.get("date") ?? "");
  const skewMs = date - clock.now();
  if (date >= 0 && skewMs <= largestSkewMs) progress.skewMs = skewMs;
  if (!response.ok) progress.hintSecs = retryHint(undefined, headers, clock.now());
  noticeDeprecation(headers, call);
}

/** Notes what the body of the server's refusal says. */
function noteRefusal(call: Call, response: Response, attempt: Attempt, progress: Progress): void {
  const problem = problemIn(textOf(response));
  const code = codeOf(problem);
  if (code) attempt.code = code;
  progress.effect = effectOf(response, code);
  progress.hintSecs = retryHint(problem?.meta, response.headers, call.clock.now());
}

/** Reads the body within its bound, unless that was done. */
async function readOnce(given: Response, stop: AbortSignal, progress: Progress, { tokens }: Call): Promise<Response> {
  if (textOf(given) !== undefined) return given;
  const response = isWhole(given) ? given : completed(given);
  const received = new Received();
  progress.reading = { response, received };
  if (response.ok) return replay(response, await readText(response, maxBodyBytes, "throw", stop, received));
  const text = await readText(response, maxErrorBodyBytes, "cut", stop, received);
  return replay(response, text === null ? null : redact(text, tokens));
}
