// What an answer says, once its body is read.

import { InvalidResponseError, type Problem } from "../errors/errors.ts";
import { isObject, isText, messageOf } from "../utils/guards.ts";
import { excerpt, redact } from "../utils/redact.ts";
import type { Progress } from "./attempt.ts";
import type { AttemptResult, Call } from "./call.ts";
import { cleaned } from "./failure.ts";
import { outcomeOfAnswer, type RequestOutcome, retryHint } from "./retry.ts";

/** What an answer's head says of the attempt's effect. A browser hides a redirect behind status 0, a lost connection too. */
export function effectOf(response: Response, code?: string): RequestOutcome {
  if (response.type === "opaqueredirect") return "rejected";
  // A success that is no JSON comes from something else than the API.
  return response.ok && isForeign(response) ? "unknown" : outcomeOfAnswer(response.status, code);
}

const contentTypeOf = (response: Response): string =>
  response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

/** Whether a success says of itself that it is a page or a file; plain text is what JSON without a label often gets. */
const isForeign = (response: Response): boolean => {
  const type = contentTypeOf(response);
  return type !== "" && type !== "text/plain" && !isJsonType(type);
};

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

/** A success, as far as its body is of use. */
export function success(call: Call, response: Response, text: string | null, progress: Progress): AttemptResult {
  const end = common(response, progress);
  if (!call.answer || (call.answer === "object or nothing" && !text)) return end;
  const value = parsed(text);
  const data = objectOf(value);
  if (data) return { ...end, data, partialBody: text ?? undefined };
  const type = contentTypeOf(response);
  // JSON that breaks off is the API's; anything else may come from a login page or a wrong address.
  const isBroken = value === undefined && (isJsonType(type) ? !/^\s*</.test(text ?? "") : /^\s*\{/.test(text ?? ""));
  if (isBroken) return invalid(call, end, text, "JSON that is broken or cut short");
  const what = text ? excerpt(redact(type || "no content type", call.tokens), 60) : "empty";
  const words = `a body that is no JSON object (${what}): is baseUrl right, or did a proxy answer?`;
  return invalid(call, { ...end, outcome: end.outcome === "applied" ? "unknown" : end.outcome }, text, words);
}

/** A success without use: its body is kept, and says why. */
function invalid(call: Call, end: AttemptResult, text: string | null | undefined, words: string, error?: unknown) {
  const cause = error === undefined ? undefined : cleaned(error, call.tokens);
  const failure = { kind: InvalidResponseError, words: `answered ${end.status} with ${words}`, cause };
  return { ...end, data: undefined, partialBody: text ?? undefined, failure };
}

/** Lets the caller's own check look at a success. */
export async function validated(call: Call, result: AttemptResult): Promise<AttemptResult> {
  try {
    await call.validate?.(call.operationId, result.data);
    return result;
  } catch (error) {
    const why = excerpt(redact(messageOf(error), call.tokens));
    return invalid(call, result, result.partialBody, `a body that validation refused (${why})`, error ?? "nothing");
  }
}

/** An error that the API, or something before it, answered. */
export function refusal(call: Call, response: Response, text: string | null, progress: Progress): AttemptResult {
  const problem = problemIn(text);
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

export function codeOf(problem: Problem): string | undefined {
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

/** An error's body where it is a JSON object, and not one nested so deeply that it could not be written again. */
export function problemIn(text: string | null | undefined): Problem {
  const value = parsed(text);
  try {
    JSON.stringify(value);
  } catch {
    return undefined;
  }
  return objectOf(value);
}

const objectOf = (value: unknown): Problem => (isObject(value) && !Array.isArray(value) ? value : undefined);
