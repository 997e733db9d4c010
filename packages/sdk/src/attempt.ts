// One sending of a request: credential, deadline, bounded body, parsed once.
import type { Credential } from "./auth.ts";
import { completed, isWhole, Received, readText, replay, textOf } from "./body.ts";
import type { AttemptResult, Call, Outgoing } from "./call.ts";
import { type Attempt, InvalidResponseError, type Problem } from "./errors.ts";
import { cleaned, endOf } from "./failure.ts";
import { isObject, isText, messageOf } from "./guards.ts";
import { withinLimit } from "./interruption.ts";
import { noticeDeprecation } from "./logger.ts";
import { runMiddleware } from "./middleware.ts";
import { excerpt, redact, withoutTokens } from "./redact.ts";
import { type Outcome, outcomeOfAnswer, outcomeOfFailure, retryHint } from "./retry.ts";

/** 10 MiB. */
const maxBodyBytes = 10_485_760;
/** 64 KiB. */
const maxErrorBodyBytes = 65_536;
/** A day: no honest clock is ahead by more. One far behind may be a mock's, and looking from earlier on misses nothing. */
const largestSkewMs = 86_400_000;

/** What is known of an attempt while it runs. */
export interface Progress {
  /** What the exchange did to the server, whatever middleware makes of its answer. */
  effect: Outcome;
  /** The sending itself, once the request is out. */
  attempt?: Attempt;
  credential?: Credential;
  /** Milliseconds that the server's clock is ahead. */
  skewMs?: number;
  /** Seconds that the server asked to wait. */
  hintSecs?: number | undefined;
  /** The exchange's own error, as opposed to one that middleware threw. */
  error?: unknown;
  /** The response whose body is read, with what came of it: middleware may answer with another than the server's. */
  reading?: { readonly response: Response; readonly received: Received };
  /** Whether middleware has answered. */
  answered?: boolean;
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
    const response = await throughMiddleware(call, plan, stop, progress);
    progress.answered = true;
    return readOnce(response, stop, progress, call);
  });
  if (!("value" in end)) return end;
  const { value: response } = end;
  const text = textOf(response) ?? null;
  return response.ok ? success(call, response, text, progress) : refusal(call, response, text, progress);
}

/** Does something between attempts within the same limits: nothing may outlive the request. */
export const between = <T>(
  call: Call,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<{ value: T } | AttemptResult> => within(call, Number.POSITIVE_INFINITY, { effect: "not_sent" }, work);

function within<T>(call: Call, number: number, progress: Progress, work: (stop: AbortSignal) => Promise<T>) {
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
  const context = { operationId, route, attempt: number };
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
    const given = await send(url, init);
    const response = isWhole(given) ? given : await completed(given);
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
    if (attempt.status === undefined) progress.effect = outcomeOfFailure(error);
    progress.error = error;
    throw error;
  }
}

/** Notes what an answer's head says, which counts even where its body never comes. */
function note(call: Call, response: Response, attempt: Attempt, progress: Progress): void {
  const { clock, tokens } = call;
  const { status, headers } = response;
  attempt.status = status;
  // A success that is no JSON comes from something else than the API.
  progress.effect = response.ok && isForeign(response) ? "unknown" : outcomeOfAnswer(status, undefined);
  const requestId = requestIdOf(response, tokens);
  if (requestId) attempt.requestId = requestId;
  const skewMs = Date.parse(headers.get("date") ?? "") - clock.now();
  if (skewMs <= largestSkewMs) progress.skewMs = skewMs;
  if (!response.ok) progress.hintSecs = retryHint(undefined, headers, clock.now());
  noticeDeprecation(headers, call);
}

/** Notes what the body of the server's refusal says. */
function noteRefusal(call: Call, response: Response, attempt: Attempt, progress: Progress): void {
  const problem = objectOf(parsed(textOf(response)));
  const code = codeOf(problem);
  if (code) attempt.code = code;
  progress.effect = outcomeOfAnswer(response.status, code);
  progress.hintSecs = retryHint(problem?.meta, response.headers, call.clock.now());
}

const contentTypeOf = (response: Response): string =>
  response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

/** Whether a success says of itself that it is a page or a file; plain text is what JSON without a label often gets. */
const isForeign = (response: Response): boolean => {
  const type = contentTypeOf(response);
  return type !== "" && type !== "text/plain" && !isJsonType(type);
};

/** Reads the body within its bound, unless that was done. */
async function readOnce(given: Response, stop: AbortSignal, progress: Progress, { tokens }: Call): Promise<Response> {
  if (textOf(given) !== undefined) return given;
  const response = isWhole(given) ? given : await completed(given);
  const received = new Received();
  progress.reading = { response, received };
  if (response.ok) return replay(response, await readText(response, maxBodyBytes, "throw", stop, received));
  const text = await readText(response, maxErrorBodyBytes, "cut", stop, received);
  return replay(response, text === null ? null : withoutTokens(text, tokens));
}

/** The request's id for support, also where a server puts there what it should not. */
export function requestIdOf(response: Response, tokens: ReadonlySet<string>): string | undefined {
  const id = response.headers.get("x-request-id");
  return id ? redact(id, tokens) : undefined;
}

/** What the attempt came to, whatever its answer. */
const common = (response: Response, { effect, attempt, credential, skewMs }: Progress) => ({
  status: response.status,
  outcome: effect,
  interrupted: false,
  response,
  attempt,
  credential,
  skewMs,
});

function success(call: Call, response: Response, text: string | null, progress: Progress): AttemptResult {
  const end = common(response, progress);
  if (!call.answer || (call.answer === "object or nothing" && !text)) return end;
  const invalid = (outcome: Outcome, words: string, cause?: unknown): AttemptResult => ({
    ...end,
    outcome,
    partialBody: text ?? undefined,
    failure: { kind: InvalidResponseError, words: `answered ${response.status} with ${words}`, cause },
  });
  const value = parsed(text);
  const data = objectOf(value);
  if (!data) {
    // JSON that breaks off is the API's; anything else may come from a login page or a wrong address.
    const type = contentTypeOf(response);
    if (value === undefined && (isJsonType(type) || /^\s*\{/.test(text ?? "")))
      return invalid(end.outcome, "JSON that is broken or cut short");
    const what = text ? excerpt(type || "no content type", 60) : "empty";
    const words = `a body that is no JSON object (${what}): is baseUrl right, or did a proxy answer?`;
    return invalid(end.outcome === "applied" ? "unknown" : end.outcome, words);
  }
  // JSON under another name is the API's answer all the same.
  const { status = 0 } = progress.attempt ?? {};
  const outcome = status >= 200 && status < 300 ? "applied" : end.outcome;
  try {
    call.validate?.(call.operationId, data);
  } catch (error) {
    const why = excerpt(redact(messageOf(error), call.tokens));
    return invalid(outcome, `a body that validation refused (${why})`, cleaned(error, call.tokens));
  }
  return { ...end, outcome, data };
}

function refusal(call: Call, response: Response, text: string | null, progress: Progress): AttemptResult {
  const problem = objectOf(parsed(text));
  const hints = [progress.hintSecs, retryHint(problem?.meta, response.headers, call.clock.now())];
  const asked = hints.filter((hint) => hint !== undefined);
  return {
    ...common(response, progress),
    code: codeOf(problem),
    problem,
    bodyText: (!problem && text) || undefined,
    // Middleware that answers with less than the server said does not shorten the wait.
    hintSecs: asked.length > 0 ? Math.max(...asked) : undefined,
  };
}

function codeOf(problem: Problem): string | undefined {
  const code = problem?.code;
  return isText(code) ? code : undefined;
}

/** What a JSON text says; undefined where it is none. */
function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Problem => (isObject(value) && !Array.isArray(value) ? value : undefined);
