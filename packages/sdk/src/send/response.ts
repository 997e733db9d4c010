// The result of an attempt whose response was read.
import type { ApiErrorDetails } from "../errors/details.ts";
import { InvalidResponseError } from "../errors/request-error.ts";
import { isObject, messageOf } from "../utils/guards.ts";
import { excerpt } from "../utils/redact.ts";
import type { ReadResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call } from "./call.ts";
import { contentTypeOf, isJsonType } from "./effect.ts";
import { sanitizeError } from "./failure.ts";
import { longest, retryHint } from "./retry.ts";

/** Body of an error response, secrets redacted; undefined where it is not a JSON object or nests too deeply. */
type Problem = ApiErrorDetails["problem"];

/** Result of a complete exchange. Names each field: a literal that begins with a spread takes 10 µs on Node 20. */
const resultOf = ({ attempt, credential, outcome }: AttemptState, { response, text }: ReadResponse) => {
  return { attempt, credential, outcome, response, text, status: response.status };
};

/** Result of a success: its data, or why its body is unusable. */
export function success(state: AttemptState, read: ReadResponse): AttemptResult {
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

export async function validated(call: Call, result: AttemptResult): Promise<AttemptResult> {
  try {
    await call.settings.validate?.(call.operationId, result.data);
    return result;
  } catch (error) {
    const reason = excerpt(call.clean(messageOf(error)));
    const cause = sanitizeError(error ?? "nothing", call.clean);
    return invalid(result, `a body that failed validation (${reason})`, cause);
  }
}

/** Result of an error response, from the API or a proxy. */
export function refusal(state: AttemptState, read: ReadResponse): AttemptResult {
  const facts = readRefusal(state.call, read);
  // A response that middleware returns instead does not shorten the wait.
  return { ...resultOf(state, read), ...facts, hintSecs: longest(state.hintSecs, facts.hintSecs) };
}

/** What an error response says. */
export function readRefusal({ settings, clean }: Call, { response: { headers }, text }: ReadResponse) {
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
