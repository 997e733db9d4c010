// The result of an attempt whose response was read.

import type { Problem, RequestOutcome } from "../errors/details.ts";
import { InvalidResponseError } from "../errors/request-error.ts";
import { isObject, isText, messageOf } from "../utils/guards.ts";
import { excerpt, redact } from "../utils/redact.ts";
import type { AttemptResult, AttemptState, Call } from "./call.ts";
import { sanitizeError } from "./failure.ts";
import { outcomeOfResponse, retryHint } from "./retry.ts";

/** Effect of an attempt by its response. A browser hides a redirect behind status 0, like a lost connection. */
export function effectOf(response: Response, code?: string, trust503Codes = false): RequestOutcome {
  if (response.type === "opaqueredirect") return "rejected";
  // A success that is not JSON does not come from the API.
  return response.ok && isForeign(response) ? "unknown" : outcomeOfResponse(response.status, code, trust503Codes);
}

const contentTypeOf = (response: Response): string =>
  response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

const isJsonType = (type: string): boolean => /^[^/]+\/(?:.+\+)?json$/.test(type);

/** Whether a success is labelled as a page or a file. JSON without a label often gets plain text. */
const isForeign = (response: Response): boolean => {
  if (response.headers.get("content-type") === "application/json") return false;
  const type = contentTypeOf(response);
  return type !== "" && type !== "text/plain" && !isJsonType(type);
};

/** The request ID for support, redacted: servers may put anything there. */
export function requestIdOf(response: Response, tokens: ReadonlySet<string>): string | undefined {
  const id = response.headers.get("x-request-id");
  return id ? redact(id, tokens) : undefined;
}

const commonResult = (
  response: Response,
  text: string | null,
  { outcome, attempt, credential, skewMs }: AttemptState,
) => ({
  status: response.status,
  outcome,
  interrupted: false,
  response,
  text,
  attempt,
  credential,
  skewMs,
});

/** Result of a success: its data, or why its body is unusable. */
export function success(call: Call, response: Response, text: string | null, state: AttemptState): AttemptResult {
  const result = commonResult(response, text, state);
  if ((call.success !== "object" && !text) || (call.anyBody && !call.success)) return result;
  const value = parseJson(text);
  const data = call.success ? asObject(value) : value;
  if (data !== undefined) {
    const missing = missingField(call, response.status, data);
    if (missing) return invalid(call, result, text, `a body without ${missing}`);
    return { ...result, data, partialBody: text ?? undefined };
  }
  const type = contentTypeOf(response);
  // Truncated JSON comes from the API. Anything else may come from a login page or a wrong address.
  const isBroken = value === undefined && (isJsonType(type) ? !/^\s*</.test(text ?? "") : /^\s*\{/.test(text ?? ""));
  if (isBroken) return invalid(call, result, text, "invalid or truncated JSON");
  const what = text ? excerpt(redact(type || "no content type", call.tokens), 60) : "empty";
  const problem = `a body that is not ${call.success ? "a JSON object" : "JSON"} (${what}): check baseUrl and proxies`;
  return invalid(
    call,
    { ...result, outcome: result.outcome === "applied" ? "unknown" : result.outcome },
    text,
    problem,
  );
}

/** The field that a success is unusable without, if it is missing. */
function missingField({ result }: Call, status: number, data: unknown): string | undefined {
  const fields = Object(data) as Readonly<Record<string, unknown>>;
  const byKey = Object.entries(result ?? {});
  const hasTypes = byKey.some(([key]) => /\D/.test(key));
  const own = hasTypes && isText(fields.type) ? fields.type : `${status}`;
  const needed = byKey.find(([key]) => key === own)?.[1];
  return needed && !fields[needed] ? needed : undefined;
}

/** Result of a success with an unusable body, which is kept. */
function invalid(
  call: Call,
  result: AttemptResult,
  text: string | null | undefined,
  problem: string,
  error?: unknown,
): AttemptResult {
  const cause = error === undefined ? undefined : sanitizeError(error, call.tokens);
  const failure = { kind: InvalidResponseError, message: `answered ${result.status} with ${problem}`, cause };
  return { ...result, data: undefined, partialBody: text ?? undefined, failure };
}

/** Runs the caller's validation of a success. */
export async function validated(call: Call, result: AttemptResult): Promise<AttemptResult> {
  try {
    await call.settings.validate?.(call.operationId, result.data);
    return result;
  } catch (error) {
    const reason = excerpt(redact(messageOf(error), call.tokens));
    return invalid(call, result, result.partialBody, `a body that failed validation (${reason})`, error ?? "nothing");
  }
}

/** Result of an error response, from the API or a proxy. */
export function refusal(call: Call, response: Response, text: string | null, state: AttemptState): AttemptResult {
  const problem = parseProblem(text);
  const hints = [state.hintSecs, retryHint(problem?.meta, response.headers, call.settings.clock.now())];
  const known = hints.filter((hint) => hint !== undefined);
  return {
    ...commonResult(response, text, state),
    code: codeOf(problem),
    problem,
    bodyText: (!problem && text) || undefined,
    // A response that middleware returns instead does not shorten the wait.
    hintSecs: known.length > 0 ? Math.max(...known) : undefined,
  };
}

/** The error code of a body. */
export function codeOf(problem: Problem): string | undefined {
  const code = problem?.code;
  return isText(code) ? code : undefined;
}

/** Parses JSON. Returns undefined for anything else. */
function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** Parses an error's body. Returns undefined for anything but an object, and for one nested too deeply to log. */
export function parseProblem(text: string | null | undefined): Problem {
  const value = parseJson(text);
  try {
    JSON.stringify(value);
  } catch {
    return undefined;
  }
  return asObject(value);
}

const asObject = (value: unknown): Problem => (isObject(value) && !Array.isArray(value) ? value : undefined);
