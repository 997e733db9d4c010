// What is recorded of a request while its attempts run.
import type { Attempt, OutcomeWindow } from "../errors/details.ts";
import { excerpt } from "../utils/redact.ts";
import type { ReadResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call } from "./call.ts";
import { combine, effectOf } from "./effect.ts";
import { codeOf, parseProblem } from "./response.ts";
import { retryHint } from "./retry.ts";

/** One day: no correct clock is further ahead. There is no limit for one behind, which may be a mock's. */
const maxSkewMs = 86_400_000;

// Milliseconds that the server's clock may be off, with and without a `Date` header to correct it by.
const correctedTolerance = 5_000;
const uncorrectedTolerance = 300_000;

/** The request ID for support, redacted: servers may put anything there. */
export function requestIdOf({ headers }: Response, { clean }: Pick<Call, "clean">): string | undefined {
  const id = headers.get("x-request-id");
  return id ? clean(id) : undefined;
}

/** Records what the headers say, which counts even if the body never arrives. */
export function recordHead(state: AttemptState, attempt: Attempt, response: Response): void {
  const { call } = state;
  const { clock } = call.settings;
  const { headers } = response;
  const requestId = requestIdOf(response, call);
  if (requestId) attempt.requestId = requestId;
  logDeprecation(headers, call);
  if (call.retry === "once") {
    // For the window of an unknown outcome. Parsing a date takes as long as much of an attempt.
    const date = Date.parse(headers.get("date") ?? "");
    const skewMs = date >= 0 ? date - clock.now() : Number.NaN;
    if (skewMs <= maxSkewMs) state.skewMs = skewMs;
  }
  if (!response.ok) state.hintSecs = retryHint(undefined, headers, clock.now());
}

/** Logs once per operation that the server will change or remove it. */
function logDeprecation(headers: Headers, { operationId, settings, clean }: Call): void {
  const { log, loggedDeprecations } = settings;
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  if ((deprecation === null && sunset === null) || loggedDeprecations.has(operationId)) return;
  const notices = [
    deprecation !== null && ` is deprecated (${deprecation})`,
    sunset !== null && ` will stop working on ${sunset}`,
  ].filter(Boolean);
  log(
    "warn",
    () => {
      // Only where a logger receives it: copies of a client share this record.
      loggedDeprecations.add(operationId);
      return excerpt(clean(`${operationId}${notices.join(" and")}`));
    },
    `${operationId} deprecated`,
  );
}

export function recordRefusal(state: AttemptState, attempt: Attempt, { response, text }: ReadResponse): void {
  const { settings, retryPolicy } = state.call;
  const problem = parseProblem(text && state.call.clean(text));
  const code = codeOf(problem);
  if (code) attempt.code = code;
  if (typeof problem?.requestId === "string") attempt.requestId ??= problem.requestId;
  state.outcome = effectOf(response, code, retryPolicy.trust503Codes);
  state.hintSecs = retryHint(problem?.meta, response.headers, settings.clock.now());
}

export function recordResult(call: Call, { attempt, outcome, skewMs }: AttemptResult): void {
  if (attempt) call.attempts.push(attempt);
  call.outcome = combine(call.outcome, outcome);
  if (skewMs !== undefined) call.skewMs = skewMs;
}

/** Whole milliseconds since a moment by `elapsed()`. The caller's clock may go back or fail. */
export function msSince({ settings }: Pick<Call, "settings">, from: number): number {
  try {
    return Math.max(0, Math.round(settings.elapsed() - from));
  } catch {
    return 0;
  }
}

/** The last attempt in a line of the log. */
export function summaryOf({ operationId, attempts }: Call, result: AttemptResult): string {
  const { durationMs = 0, code, requestId } = attempts.at(-1) ?? {};
  const ended = result.failure?.message ?? `answered ${result.status}${code ? ` ${excerpt(code, 100)}` : ""}`;
  const request = requestId ? ` (request ${excerpt(requestId, 100)})` : "";
  return `${operationId} attempt ${attempts.length} ${ended} in ${durationMs} ms${request}`;
}

/** Whether an operation that is not idempotent may have been carried out without a usable response. */
export const isUnknown = ({ retry, outcome }: Call): boolean =>
  retry === "once" && (outcome === "unknown" || outcome === "applied");

/** Period in which the request may have been carried out, by the server's clock. */
export function windowOf({ settings, attempts, skewMs, begunAt }: Call): OutcomeWindow {
  const now = settings.clock.now();
  const first = attempts[0]?.startedAt ?? now;
  // The clock may have jumped meanwhile. Less than a second is no jump: the request began before its first attempt.
  const began = now - (settings.elapsed() - begunAt);
  const begun = began < first - 1000 ? began : first;
  const tolerance = skewMs === undefined ? uncorrectedTolerance : correctedTolerance;
  const iso = (time: number) => new Date(time + (skewMs ?? 0)).toISOString();
  return { from: iso(begun - tolerance), to: iso(Math.max(first, now) + tolerance) };
}
