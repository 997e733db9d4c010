// One attempt: middleware, credential, deadline and a limited body.

import type { Attempt } from "../errors/details.ts";
import type { Credential } from "../options/auth.ts";
import type { AttemptInstrumentation } from "../options/instrumentation.ts";
import { isText } from "../utils/guards.ts";
import { redact } from "../utils/redact.ts";
import { BodyBuffer, isComplete, keepText, type ReadResponse, readText, replay, textOf, toResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call, Outgoing } from "./call.ts";
import { withDeadline } from "./deadline.ts";
import { logDeprecation } from "./deprecation.ts";
import { failedResult } from "./failure.ts";
import { exchangeWithin } from "./instrumentation.ts";
import { runMiddleware } from "./middleware.ts";
import { codeOf, effectOf, parseProblem, refusal, requestIdOf, success, validated } from "./response.ts";
import { outcomeOfFailure, retryHint } from "./retry.ts";

/** 10 MiB. */
const maxBodyBytes = 10_485_760;
/** 64 KiB. */
const maxErrorBodyBytes = 65_536;
/** One day: no correct clock is further ahead. There is no limit for one behind, which may be a mock's. */
const maxSkewMs = 86_400_000;

/** Input of an attempt. */
export interface AttemptPlan extends Outgoing {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** Replaces an expired credential. */
  readonly renewed?: Credential | undefined;
  readonly instrumentation?: AttemptInstrumentation | undefined;
}

/** Sends the request once. */
export async function attemptOnce(call: Call, plan: AttemptPlan): Promise<AttemptResult> {
  const state = newState();
  const end = await within(call, plan.number, state, async (stop) => {
    try {
      return await throughMiddleware(call, plan, stop.signal, state);
    } finally {
      // Middleware may return before its request ends. From now on nothing is sent or awaited.
      state.over = true;
      if (state.inFlight) {
        stop.abort(new DOMException("middleware returned early", "AbortError"));
        cancelReading(state);
      }
    }
  });
  if (!("value" in end)) return end;
  const { response, text } = end.value;
  if (!response.ok) return refusal(call, response, text, state);
  const result = success(call, response, text, state);
  return call.settings.validate && result.data ? validated(call, result) : result;
}

/** Runs work between attempts, within the request's deadline. An error says if it waited for the caller's own code. */
export const between = <T>(
  call: Call,
  work: (stop: AbortSignal) => Promise<T>,
  waitingFor?: string,
): Promise<{ value: T } | AttemptResult> =>
  within(call, Number.POSITIVE_INFINITY, { ...newState(), waitingFor }, ({ signal }) => work(signal));

/** How messages call the token function. */
export const tokenFunction = "the accessToken function";

const newState = (): AttemptState => ({ outcome: "not_sent", buffers: [] });

function cancelReading({ buffers }: AttemptState): void {
  for (const buffer of buffers) buffer.cancel();
}

function within<T>(call: Call, number: number, state: AttemptState, work: (stop: AbortController) => Promise<T>) {
  const { timeoutMs, deadline, settings } = call;
  const remaining = deadline === undefined ? timeoutMs : deadline - settings.elapsed();
  return withDeadline<{ value: T } | AttemptResult>(
    call,
    Math.max(0, Math.min(timeoutMs, remaining)),
    async (stop) => ({ value: await work(stop) }),
    (thrown, interruption) => {
      cancelReading(state);
      return failedResult(call, number, state, thrown, interruption);
    },
  );
}

async function throughMiddleware(
  call: Call,
  plan: AttemptPlan,
  stop: AbortSignal,
  state: AttemptState,
): Promise<ReadResponse> {
  const { middleware, operationId, route, method } = call;
  const { url, body, number } = plan;
  if (middleware.length === 0) {
    // Instrumentation adds headers to one attempt alone.
    const own = plan.instrumentation ? new Headers(plan.headers) : plan.headers;
    return exchange(call, plan, own, stop, state);
  }
  const headers = new Headers(plan.headers);
  const context = { operationId, route, attemptNumber: number };
  const request = { method, url, headers, body: isText(body) ? body : undefined };
  // The credential goes onto a copy, so that middleware cannot see it.
  const response = await runMiddleware(middleware, request, context, state, async () => {
    const read = await exchange(call, plan, new Headers(headers), stop, state);
    return replay(read.response, read.text);
  });
  state.returned = true;
  state.waitingFor = undefined;
  return readBody(response, stop, state, call);
}

/** Gets the credential and sends the request. */
async function exchange(
  call: Call,
  plan: AttemptPlan,
  headers: Headers,
  stop: AbortSignal,
  state: AttemptState,
): Promise<ReadResponse> {
  state.waitingFor = tokenFunction;
  const credential = plan.renewed ?? (await call.settings.auth.credential());
  state.waitingFor = undefined;
  state.credential = credential;
  call.tokens.add(credential.token);
  // The time may be up after the wait for a token. Then nothing may be sent.
  stop.throwIfAborted();
  if (state.over) throw new TypeError("next() called after its middleware returned");
  const init = requestInit(call, plan, headers, credential, stop);
  const attempt: Attempt = { startedAt: call.settings.clock.now() };
  state.attempt = attempt;
  state.outcome = "unknown";
  try {
    state.inFlight = true;
    const fetching = () => fetchOnce(call, plan.url, init, attempt, stop, state);
    const { instrumentation } = plan;
    return await (instrumentation ? exchangeWithin(call, instrumentation, plan.url, headers, fetching) : fetching());
  } catch (error) {
    state.failed = { error };
    if (attempt.status === undefined) state.outcome = outcomeOfFailure(error);
    throw error;
  } finally {
    state.inFlight = false;
  }
}

function requestInit(
  { method, accountId, fetchOptions }: Call,
  { body }: AttemptPlan,
  headers: Headers,
  { token }: Credential,
  signal: AbortSignal,
): RequestInit {
  headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${token}`);
  if (accountId !== undefined) headers.set("x-account-id", accountId);
  const init: RequestInit & { duplex?: "half" } = { ...fetchOptions, method, headers, redirect: "manual", signal };
  if (body !== undefined && body !== null) {
    init.body = body as BodyInit;
    // Node requires this for a stream.
    if (!isText(body)) init.duplex = "half";
  }
  return init;
}

/** Calls fetch, and records what the response says. */
async function fetchOnce(
  call: Call,
  url: string,
  init: RequestInit,
  attempt: Attempt,
  stop: AbortSignal,
  state: AttemptState,
): Promise<ReadResponse> {
  // Looked up at each call: a mock may replace the global fetch after the client was created.
  const send = call.settings.fetch ?? globalThis.fetch;
  const given = await send(url, init);
  const response = isComplete(given) ? given : toResponse(given);
  if (stop.aborted) {
    // The attempt has ended, so the body is not read.
    (async () => response.body?.cancel())().catch(() => {});
    stop.throwIfAborted();
  }
  recordHead(call, response, attempt, state);
  const read = await readBody(response, stop, state, call);
  if (!response.ok) recordRefusal(call, read, attempt, state);
  return read;
}

/** Records the status and headers, which count even if the body never arrives. */
function recordHead(call: Call, response: Response, attempt: Attempt, state: AttemptState): void {
  const { settings, tokens } = call;
  const { clock } = settings;
  const { status, headers } = response;
  attempt.status = status;
  state.outcome = effectOf(response);
  const requestId = requestIdOf(response, tokens);
  if (requestId) attempt.requestId = requestId;
  if (call.retry === "once") {
    // For the window of an unknown outcome. Parsing a date takes as long as much of an attempt.
    const date = Date.parse(headers.get("date") ?? "");
    const skewMs = date - clock.now();
    if (date >= 0 && skewMs <= maxSkewMs) state.skewMs = skewMs;
  }
  if (!response.ok) state.hintSecs = retryHint(undefined, headers, clock.now());
  logDeprecation(headers, call);
}

/** Records the body of an error response. */
function recordRefusal(call: Call, { response, text }: ReadResponse, attempt: Attempt, state: AttemptState): void {
  const problem = parseProblem(text);
  const code = codeOf(problem);
  if (code) attempt.code = code;
  if (isText(problem?.requestId)) attempt.requestId ??= problem.requestId;
  state.outcome = effectOf(response, code, call.settings.trust503Codes);
  state.hintSecs = retryHint(problem?.meta, response.headers, call.settings.clock.now());
}

/** Reads the body up to its limit. */
async function readBody(
  given: Response,
  stop: AbortSignal,
  state: AttemptState,
  { tokens }: Call,
): Promise<ReadResponse> {
  // A fetch may return the same object again, above all in tests.
  const known = textOf(given);
  if (known !== undefined) return { response: given, text: known };
  const response = isComplete(given) ? given : toResponse(given);
  const buffer = new BodyBuffer();
  state.reading = { response, buffer };
  state.buffers.push(buffer);
  const text = await (response.ok
    ? readText(response, maxBodyBytes, "throw", stop, buffer)
    : readText(response, maxErrorBodyBytes, "cut", stop, buffer));
  return keepText(response, response.ok || text === null ? text : redact(text, tokens));
}
