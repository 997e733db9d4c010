// One attempt: middleware, instrumentation, credential and fetch, within its deadline.
import { ConfigurationError, kind } from "../errors/base.ts";
import type { Credential } from "../options/auth.ts";
import { momentOf, msSince, withDeadline } from "../options/clock.ts";
import type { AttemptInstrumentation, RequestInstrumentation } from "../options/options.ts";
import { reasonOf } from "../options/runtime.ts";
import { type ReadResponse, readBody, replay, toResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call, OpenAttempt } from "./call.ts";
import {
  describeError,
  effectOf,
  failedResult,
  outcomeOfFailure,
  recordHead,
  recordRefusal,
  refusal,
  success,
  unexplained,
  validated,
} from "./result.ts";
import {
  callWatched,
  endOf,
  isRefused,
  isUnanswered,
  isUnsent,
  readIdle,
  unwatch,
  type Watch,
  waitAsLong,
} from "./watch.ts";

/** How messages call the token function. */
export const tokenFunction = "the accessToken function";

/** Sends the request once, with a credential in place of an expired one if it was renewed. */
export async function attemptOnce(
  call: Call,
  renewed: Credential | undefined,
  instrumentation?: AttemptInstrumentation,
): Promise<AttemptResult> {
  const number = call.attempts.length + 1;
  const state: AttemptState = { call, number, renewed, instrumentation, outcome: "not_sent", buffers: [] };
  const end = await within(state, (stop) => {
    if (call.middleware.length > 0) return throughMiddleware(state, stop);
    // A copy: instrumentation and the caller's own fetch may add headers, to one attempt alone.
    return exchange(state, new Headers(call.headers), stop.signal);
  });
  const { attempt, watch, sentAt = 0 } = state;
  if (attempt) attempt.durationMs = msSince(call.settings, sentAt);
  // An aborted fetch fails within some microtasks, and only then shows whether it was sent.
  for (let turn = 0; turn < 10 && state.inFlight; turn++) await undefined;
  if (watch) unwatch(watch);
  if (!("value" in end)) return { ...end, outcome: state.outcome };
  try {
    if (!end.value.response.ok) return refusal(state, end.value);
    const result = success(state, end.value);
    return call.settings.responseValidator && result.data ? await validated(call, result) : result;
  } catch {
    return unexplained(state);
  }
}

/** Runs work between attempts, within the request's deadline. An error says if it waited for the caller's own code. */
export const between = <T>(
  call: Call,
  work: (stop: AbortSignal) => Promise<T>,
  waitingFor?: string,
): Promise<{ readonly value: T } | AttemptResult> =>
  within({ call, number: 0, outcome: "not_sent", buffers: [], waitingFor }, async ({ signal }) => work(signal));

function cancelReading({ buffers }: AttemptState): void {
  for (const buffer of buffers) buffer.cancel();
}

function within<T>(state: AttemptState, work: (stop: AbortController) => Promise<T>) {
  const { call } = state;
  const now = momentOf(call.settings);
  call.begun ??= now;
  call.deadline ??= now.elapsed + (call.totalTimeoutMs ?? Number.POSITIVE_INFINITY);
  const limitMs = Math.max(0, Math.min(call.timeoutMs, call.deadline - now.elapsed));
  return withDeadline(call, limitMs, work, (thrown, interruption) => {
    cancelReading(state);
    return failedResult(state, thrown, interruption);
  });
}

async function throughMiddleware(state: AttemptState, stop: AbortController): Promise<ReadResponse> {
  const { call, number } = state;
  const { middleware, operationId, route, method, url, body, context: own } = call;
  const headers = new Headers(call.headers);
  const context = { operationId, route, attemptNumber: number, context: own };
  const request = { method, url, headers, body: typeof body === "string" ? body : undefined };
  // Runs the middleware from an index on, the first one outermost. The state names the one that is running.
  const run = async (index: number): Promise<Response> => {
    const current = middleware[index];
    if (!current) {
      // The credential goes onto a copy, so that middleware cannot see it.
      const read = await exchange(state, new Headers(headers), stop.signal);
      return replay(read.response, read.text);
    }
    const name = `middleware ${index + 1} of ${operationId}`;
    let called = false;
    const enter = () => {
      state.waitingFor = name;
    };
    const next = () => {
      const sent = called ? Promise.reject(new TypeError(`${name} called next() twice`)) : run(index + 1);
      called = true;
      // Handled here: middleware that does not await it must not end the process.
      sent.then(enter, enter);
      return sent;
    };
    enter();
    const response: unknown = await current(request, next, context);
    const isResponse = typeof (response as Response | null | undefined)?.status === "number";
    if (!isResponse) throw new TypeError(`${name} returned no Response`);
    return response as Response;
  };
  try {
    const response = await run(0);
    state.returned = true;
    state.waitingFor = undefined;
    return await readBody(response, stop.signal, state, call.withoutTokens);
  } finally {
    // Middleware may return before its request ends. From now on nothing is sent or awaited.
    state.over = true;
    if (state.inFlight) {
      stop.abort();
      cancelReading(state);
    }
  }
}

async function exchange(state: AttemptState, headers: Headers, stop: AbortSignal): Promise<ReadResponse> {
  const { call, instrumentation } = state;
  state.waitingFor = tokenFunction;
  const credential = state.renewed ?? (await call.settings.auth.credential());
  state.waitingFor = undefined;
  state.credential = credential;
  call.tokens.add(credential.token);
  // Looked up at each call: a mock may replace the global fetch after the client was created.
  const send = call.settings.fetch ?? globalThis.fetch;
  const idle = readIdle({ send, url: call.url });
  if (idle) await idle;
  // The time may be up after the wait for a token. Then nothing may be sent.
  if (stop.aborted) throw reasonOf(stop);
  if (state.over) throw new TypeError("next() called after its middleware returned");
  if (typeof send !== "function")
    throw new ConfigurationError("fetch", "is missing in this runtime. Pass the option fetch.");
  const sent = momentOf(call.settings);
  const init = requestInit(call, headers, credential, stop);
  const attempt: OpenAttempt = { startedAt: sent.now };
  state.attempt = attempt;
  state.sentAt = sent.elapsed;
  state.outcome = "unknown";
  const fetching = () => fetchOnce(state, attempt, send, init, stop);
  return instrumentation ? exchangeWithin(call, instrumentation, headers, fetching) : fetching();
}

function requestInit(call: Call, headers: Headers, { token }: Credential, signal: AbortSignal): RequestInit {
  const { method, accountId, fetchOptions, body } = call;
  if (!headers.has("accept")) headers.set("accept", "application/json");
  headers.set("authorization", `Bearer ${token}`);
  if (accountId !== undefined) headers.set("x-account-id", accountId);
  const init: RequestInit & { duplex?: "half" } = { ...fetchOptions, method, headers, redirect: "manual", signal };
  if (body !== undefined && body !== null) {
    init.body = body as BodyInit;
    // Node requires this for a stream.
    if (typeof body !== "string") init.duplex = "half";
  }
  return init;
}

/** Calls fetch, and records what the response says. */
async function fetchOnce(
  state: AttemptState,
  attempt: OpenAttempt,
  send: Watch["send"],
  init: RequestInit,
  stop: AbortSignal,
): Promise<ReadResponse> {
  const { url, method, timeoutMs, withoutTokens } = state.call;
  const watch = { method, url, send, created: [] };
  state.watch = watch;
  const end = endOf(watch, stop);
  if (end) init.signal = end.signal;
  try {
    state.inFlight = true;
    waitAsLong(watch, init, timeoutMs);
    const response = toResponse(await callWatched(watch, init));
    if (stop.aborted) {
      // The attempt has ended, so the body is not read.
      (async () => response.body?.cancel())().catch(() => {});
      throw reasonOf(stop);
    }
    attempt.status = response.status;
    state.outcome = effectOf(response);
    recordHead(state, attempt, response);
    const read = await readBody(response, stop, state, withoutTokens);
    if (!response.ok) recordRefusal(state, attempt, read);
    return read;
  } catch (error) {
    state.failed = { error };
    if (attempt.status !== undefined) throw error;
    if (!stop.aborted && isRefused(watch, error)) {
      state.attempt = undefined;
      state.outcome = "not_sent";
      const problem = state.call.clean(describeError(error));
      throw new ConfigurationError(/bad port/.test(problem) ? "baseUrl" : "fetchOptions", `is refused: ${problem}`);
    }
    state.outcome = outcomeOfFailure(error, isUnsent(watch, error, stop));
    throw error;
  } finally {
    // More may have been sent while the body was read.
    if (state.outcome === "rejected" && isUnanswered(watch, attempt.status)) state.outcome = "unknown";
    state.inFlight = false;
    if (state.outcome !== "applied") end?.abort();
  }
}

/** Calls a hook of instrumentation. What it throws is logged and never reaches the request. */
function callHook<T>({ settings }: Call, hook: () => T): T | undefined {
  // Without its message, which may quote the URL.
  const report = (error: unknown) =>
    settings.log.error?.(
      () => `instrumentation threw ${error instanceof Error ? error.name : typeof error}`,
      "instrumentation",
    );
  try {
    const returned = hook();
    // An async hook may reject, which must not end the process.
    (async () => returned)().catch(report);
    return returned;
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** Runs what is followed, and reports its end once, also if it throws. */
async function untilEnd<T>(run: Promise<T>, end: (result: T | undefined, thrown?: unknown) => unknown): Promise<T> {
  try {
    const result = await run;
    end(result);
    return result;
  } catch (error) {
    end(undefined, error);
    throw error;
  }
}

export function followRequest<T extends { readonly error?: unknown }>(
  call: Call,
  run: (request: RequestInstrumentation | undefined) => Promise<T>,
): Promise<T> {
  const { operationId, method, route, context, settings } = call;
  const { instrumentation, baseUrl } = settings;
  const request = callHook(call, () => instrumentation?.startRequest({ operationId, method, route, baseUrl, context }));
  return untilEnd(run(request), (sent, thrown) => {
    const { outcome, retrySkippedReason } = call;
    const attempts = call.attempts.map((attempt) => ({ ...attempt }));
    const error = sent ? sent.error : thrown;
    callHook(call, () => request?.end({ outcome, attempts, retrySkippedReason, error }));
  });
}

export function followAttempt(
  call: Call,
  request: RequestInstrumentation,
  run: (attempt: AttemptInstrumentation | undefined) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const following = callHook(call, () => request.startAttempt(call.attempts.length + 1));
  return untilEnd(run(following), (result) => {
    // Without a result, the token function returned something that is not a token.
    const { outcome, attempt, failure }: Partial<AttemptResult> = result ?? {};
    const reported = failure && { name: failure.kind[kind], message: failure.message };
    const summary = { outcome: outcome ?? "not_sent", attempt: attempt && { ...attempt }, failure: reported };
    callHook(call, () => following?.end(summary));
  });
}

/** Calls `fetch` within the instrumentation of an attempt: once, whatever that does. It gets no response. */
function exchangeWithin<T>(
  call: Call,
  attempt: AttemptInstrumentation,
  headers: Headers,
  fetchOnce: () => Promise<T>,
): Promise<T> {
  let sent: Promise<T> | undefined;
  let hasBegun = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = () => resolve();
  });
  const send = (added: Readonly<Record<string, string>> = {}): Promise<void> => {
    const extra = new Headers(added);
    // Getters of the headers, and the fetch itself, may call this function again.
    if (hasBegun) return ended;
    hasBegun = true;
    for (const [name, value] of extra) if (!headers.has(name)) headers.set(name, value);
    sent = fetchOnce();
    sent.then(end, end);
    return ended;
  };
  callHook(call, () => attempt.wrapSend(call.url, send));
  send();
  return sent as unknown as Promise<T>;
}
