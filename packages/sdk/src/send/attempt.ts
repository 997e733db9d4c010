// One attempt: middleware, credential, deadline, a limited body, and what is recorded of the response.
import { ConfigurationError } from "../errors/base.ts";
import type { ApiErrorDetails } from "../errors/details.ts";
import { AbortError, type FailureKind, InvalidResponseError, TimeoutError } from "../errors/request-error.ts";
import type { Credential } from "../options/auth.ts";
import { momentOf, msSince } from "../options/clock.ts";
import type { AttemptInstrumentation } from "../options/options.ts";
import { abortReason, reasonOf } from "../options/runtime.ts";
import { isObject, messageOf } from "../utils/guards.ts";
import { excerpt } from "../utils/redact.ts";
import { type ReadResponse, readBody, replay, toResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call, Failure, OpenAttempt } from "./call.ts";
import {
  contentTypeOf,
  describeError,
  effectOf,
  failedResult,
  isJsonType,
  outcomeOfFailure,
  sanitizeError,
  unexplained,
} from "./effect.ts";
import { exchangeWithin } from "./instrumentation.ts";
import { longest, retryHint } from "./retry.ts";
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
  const { attempt, sentAt = 0 } = state;
  if (attempt) attempt.durationMs = msSince(call.settings, sentAt);
  // An aborted fetch fails within some microtasks, and only then shows whether it was sent.
  for (let turn = 0; turn < 10 && state.inFlight; turn++) await undefined;
  if (state.watch) unwatch(state.watch);
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
  const { timeoutMs, deadline, settings } = state.call;
  const remaining = deadline === undefined ? timeoutMs : deadline - settings.elapsed();
  return withDeadline(state.call, Math.max(0, Math.min(timeoutMs, remaining)), work, (thrown, interruption) => {
    cancelReading(state);
    return failedResult(state, thrown, interruption);
  });
}

/** Milliseconds by which a timer is late if the process was suspended, such as a frozen Lambda or a closed laptop. */
const lateMs = 100;
/** Milliseconds by which a timer may be early. A clock that is further back does not follow its timers. */
const earlyMs = 2;
/** Milliseconds that a late timer leaves for answers that arrived meanwhile: runtimes run timers before they read sockets. */
const graceMs = 50;

/** What waits for each signal of the caller's. It gets one listener for all: Node 20 warns of a leak after ten. */
const waiting = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly onAbort: () => void }>();

/** Calls back when a signal aborts. Returns what takes that back. */
function listen(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = new Set<() => void>();
  const onAll = () => {
    for (const one of [...callbacks]) one();
  };
  const all = waiting.get(signal) ?? { callbacks, onAbort: onAll };
  waiting.set(signal, all);
  if (all.callbacks.size === 0) signal.addEventListener("abort", all.onAbort, { once: true });
  all.callbacks.add(callback);
  return () => {
    all.callbacks.delete(callback);
    if (all.callbacks.size === 0) signal.removeEventListener("abort", all.onAbort);
  };
}

/**
 * Runs work until it ends, its time is up, or the caller aborts. At 0 ms it is not started. It may ignore its signal.
 * `onFailure` turns its error, or the interruption, into another result.
 */
export function withDeadline<T, Result>(
  { signal, settings: { timers, elapsed } }: Call,
  limitMs: number,
  work: (stop: AbortController) => Promise<T>,
  onFailure: (thrown: unknown, interruption?: Failure) => Result,
): Promise<{ readonly value: T } | Result> {
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    let timer: unknown;
    let over = false;
    let unlisten: (() => void) | undefined;
    const end = (result: () => { readonly value: T } | Result) => {
      if (over) return;
      over = true;
      try {
        if (timer !== undefined) timers.clearTimeout(timer);
        unlisten?.();
      } catch {
        // The caller's clock or signal failed. The result still counts.
      }
      try {
        resolve(result());
      } catch (error) {
        reject(error);
      }
    };
    const interrupt = (kind: FailureKind, message: string, cause: unknown) =>
      end(() => {
        stop.abort(cause);
        return onFailure(undefined, { kind, message, cause });
      });
    const onAbort = () => interrupt(AbortError, "was aborted by the caller", signal?.reason);
    const onTimeout = () => {
      const message = `no complete response within ${Math.ceil(limitMs)} ms`;
      interrupt(TimeoutError, `got ${message}`, abortReason("TimeoutError", message));
    };
    const onTimer = (dueAt: number) => {
      try {
        const late = elapsed() - dueAt;
        if (late > lateMs) timer = timers.setTimeout(onTimeout, graceMs);
        else if (late < 0 && late >= -earlyMs) timer = timers.setTimeout(onTimeout, earlyMs - late);
        else onTimeout();
      } catch {
        // The caller's clock failed.
        onTimeout();
      }
    };
    unlisten = signal && listen(signal, onAbort);
    if (signal?.aborted) return onAbort();
    if (limitMs === 0) return onTimeout();
    const dueAt = elapsed() + limitMs;
    timer = timers.setTimeout(() => onTimer(dueAt), limitMs);
    work(stop).then(
      (value) => end(() => ({ value })),
      (error: unknown) => end(() => onFailure(error)),
    );
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
  let response: Response | undefined;
  const doubt = (): void => {
    if (response && state.outcome === "rejected" && isUnanswered(watch, response)) state.outcome = "unknown";
  };
  try {
    state.inFlight = true;
    waitAsLong(watch, init, timeoutMs);
    const answer = toResponse(await callWatched(watch, init));
    if (stop.aborted) {
      // The attempt has ended, so the body is not read.
      (async () => answer.body?.cancel())().catch(() => {});
      throw reasonOf(stop);
    }
    response = answer;
    attempt.status = response.status;
    state.outcome = effectOf(response);
    doubt();
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
    doubt();
    state.inFlight = false;
    if (state.outcome !== "applied") end?.abort();
  }
}

/** The request ID for support, redacted: servers may put anything there. */
export function requestIdOf({ headers }: Response, { clean }: Pick<Call, "clean">): string | undefined {
  const id = headers.get("x-request-id");
  return id ? clean(id) : undefined;
}

/** Records what the headers say, which counts even if the body never arrives. */
function recordHead(state: AttemptState, attempt: OpenAttempt, response: Response): void {
  const { call } = state;
  const { headers } = response;
  const requestId = requestIdOf(response, call);
  if (requestId) attempt.requestId = requestId;
  logDeprecation(headers, call);
  const date = headers.get("date");
  if (date) call.settings.serverTime.note(date, momentOf(call.settings));
  if (!response.ok) state.hintSecs = retryHint(undefined, headers, call.settings.clock.now());
}

/** Logs once per operation that the server will change or remove it. */
function logDeprecation(headers: Headers, { operationId, settings, clean }: Call): void {
  const { log, loggedDeprecations } = settings;
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  const notices = [
    deprecation !== null && ` is deprecated (${deprecation})`,
    sunset !== null && ` will stop working on ${sunset}`,
  ].filter(Boolean);
  if (!notices[0] || loggedDeprecations.has(operationId)) return;
  log.warn?.(() => {
    // Only where a logger receives it: copies of a client share this record.
    loggedDeprecations.add(operationId);
    return excerpt(clean(`${operationId}${notices.join(" and")}`));
  }, `${operationId} deprecated`);
}

function recordRefusal(state: AttemptState, attempt: OpenAttempt, read: ReadResponse): void {
  const { problem, code, hintSecs } = readRefusal(state.call, read);
  if (code) attempt.code = code;
  if (typeof problem?.requestId === "string") attempt.requestId ??= problem.requestId;
  state.outcome = effectOf(read.response, code, state.call.retryPolicy.trust503Codes);
  state.hintSecs = hintSecs;
}

/** The last attempt in a line of the log. */
export function summaryOf({ operationId, attempts }: Call, result: AttemptResult): string {
  const { durationMs = 0, code, requestId } = attempts.at(-1) ?? {};
  const ended = result.failure?.message ?? `answered ${result.status}${code ? ` ${excerpt(code, 100)}` : ""}`;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${durationMs} ms${request}`;
}

/** Body of an error response, secrets redacted; undefined where it is not a JSON object or nests too deeply. */
type Problem = ApiErrorDetails["body"];

/** Result of a complete exchange. Names each field: a literal that begins with a spread takes 10 µs on Node 20. */
const resultOf = ({ attempt, credential, outcome }: AttemptState, { response, text }: ReadResponse) => {
  return { attempt, credential, outcome, response, text, status: response.status };
};

/** Result of a success: its data, or why its body is unusable. */
function success(state: AttemptState, read: ReadResponse): AttemptResult {
  const { call } = state;
  const { response } = read;
  const text = read.text ?? "";
  const result = resultOf(state, read);
  if ((call.success !== "object" && !text) || (call.anyBody && !call.success)) return result;
  const value = parseJson(text);
  const data = call.success ? asObject(value) : value;
  if (data !== undefined) {
    const missing = missingField(call, response.status, data);
    if (missing) return invalid(result, `a body without ${missing}`);
    return Object.assign(result, { data });
  }
  const type = contentTypeOf(response);
  // Truncated JSON comes from the API. Anything else may come from a login page or a wrong address.
  const isBroken = value === undefined && (isJsonType(type) ? !/^\s*</.test(text) : /^\s*\{/.test(text));
  if (isBroken) return invalid(result, "invalid or truncated JSON");
  const what = text ? excerpt(call.clean(type || "no content type"), 60) : "empty";
  const problem = `a body that is not ${call.success ? "a JSON object" : "JSON"} (${what}): check baseUrl and proxies`;
  const outcome = result.outcome === "applied" ? "unknown" : result.outcome;
  return invalid({ ...result, outcome }, problem);
}

/** The field that a success is unusable without, if it is missing. */
function missingField({ result }: Call, status: number, data: unknown): string | undefined {
  const fields = Object(data) as Readonly<Record<string, unknown>>;
  const byKey = Object.entries(result ?? {});
  const hasTypes = byKey.some(([key]) => /\D/.test(key));
  if (hasTypes && typeof fields.type !== "string") return "type";
  const own = hasTypes ? fields.type : `${status}`;
  return byKey.find(([key, needed]) => key === own && !fields[needed])?.[1];
}

/** Result of a success with an unusable body, which is kept. */
function invalid(result: AttemptResult, problem: string, cause?: unknown): AttemptResult {
  const failure = { kind: InvalidResponseError, message: `answered ${result.status} with ${problem}`, cause };
  return { ...result, data: undefined, partialBody: result.text ?? undefined, failure };
}

async function validated(call: Call, result: AttemptResult): Promise<AttemptResult> {
  try {
    await call.settings.responseValidator?.(call.operationId, result.data);
    return result;
  } catch (error) {
    const reason = excerpt(call.clean(messageOf(error)));
    const cause = sanitizeError(error ?? "nothing", call.clean);
    return invalid(result, `a body that failed validation (${reason})`, cause);
  }
}

/** Result of an error response, from the API or a proxy. */
function refusal(state: AttemptState, read: ReadResponse): AttemptResult {
  const facts = readRefusal(state.call, read);
  // A response that middleware returns instead does not shorten the wait.
  return { ...resultOf(state, read), ...facts, hintSecs: longest(state.hintSecs, facts.hintSecs) };
}

/** What an error response says. */
function readRefusal({ settings, clean }: Call, { response: { headers }, text }: ReadResponse) {
  const bodyText = clean(text ?? "");
  const parsed = parseObject(bodyText);
  const body =
    !isDeep(parsed) && hasInfinity(parsed) ? (JSON.parse(bodyText, (_, value) => finite(value)) as Problem) : parsed;
  const problem = isDeep(body) ? undefined : body;
  const hintSecs = retryHint(problem?.meta, headers, settings.clock.now());
  return { problem, code: codeOf(problem), bodyText: (!problem && bodyText) || undefined, hintSecs };
}

export function codeOf(problem: Problem): string | undefined {
  const code = problem?.code;
  return typeof code === "string" ? code : undefined;
}

/** Returns undefined for anything but JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns undefined for anything but a JSON object. */
export const parseObject = (text: string): Problem => asObject(parseJson(text));

/** A number that is too large for JSON.stringify, as the largest. */
const finite = (value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    ? Math.sign(value) * Number.MAX_VALUE
    : value;

const hasInfinity = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).some(hasInfinity) : finite(value) !== value;

/** Whether a value nests deeper than 64 levels. What logs it walks through all of them, on what is left of the stack. */
const isDeep = (value: unknown, levels = 64): boolean =>
  isObject(value) && (levels < 1 || Object.values(value).some((part) => isDeep(part, levels - 1)));

const asObject = (value: unknown): Problem =>
  typeof value === "object" && !Array.isArray(value) ? ((value ?? undefined) as Problem) : undefined;
