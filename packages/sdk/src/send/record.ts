// What is recorded of a request while its attempts run.
import type { OutcomeWindow } from "../errors/details.ts";
import { momentOf } from "../options/clock.ts";
import { excerpt } from "../utils/redact.ts";
import type { ReadResponse } from "./body.ts";
import type { AttemptResult, AttemptState, Call, OpenAttempt } from "./call.ts";
import { effectOf } from "./effect.ts";
import { readRefusal } from "./response.ts";
import { retryHint } from "./retry.ts";
import { windowOf } from "./window.ts";

/** The request ID for support, redacted: servers may put anything there. */
export function requestIdOf({ headers }: Response, { clean }: Pick<Call, "clean">): string | undefined {
  const id = headers.get("x-request-id");
  return id ? clean(id) : undefined;
}

/** Records what the headers say, which counts even if the body never arrives. */
export function recordHead(state: AttemptState, attempt: OpenAttempt, response: Response): void {
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

export function recordRefusal(state: AttemptState, attempt: OpenAttempt, read: ReadResponse): void {
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

/** Whether an operation that is not idempotent may have been carried out without a usable response. */
export const isUnknown = ({ retry, outcome }: Call): boolean =>
  retry === "once" && (outcome === "unknown" || outcome === "applied");

/** Returns a function for the window of a request that ends now, by all that is known of the server's clock at its call. */
export function windowOfCall({ settings, begun, answerBefore }: Call): () => OutcomeWindow {
  const ended = momentOf(settings);
  return () => windowOf({ begun, ended, before: answerBefore, newest: settings.serverTime.newest });
}
