// How an error is printed: by console.error, and by a runtime that reports it as uncaught.
import { messageOf } from "../utils/guards.ts";
import { callerFrames, printLines } from "../utils/inspect.ts";
import { excerpt, maskNumbers } from "../utils/redact.ts";
import type { Attempt, OutcomeUnknownErrorDetails } from "./details.ts";

/** How many attempts are printed: the last ones. */
const maxAttempts = 4;

function formatAttempt({ status, code, error, durationMs, requestId }: Attempt): string {
  const ended = [status, code && excerpt(code, 100), error].filter(Boolean).join(" ");
  return `${ended} in ${durationMs ?? "?"} ms${requestId ? ` (request ${excerpt(requestId, 100)})` : ""}`;
}

function formatContext(context: unknown): string {
  try {
    return excerpt(maskNumbers(JSON.stringify(context)), 500);
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Prints an error in at most eight lines: its message, up to two frames of the caller's code, and the facts of the request.
 * The whole stack is in `stack`, and every fact is a property.
 */
export function printError(error: Error & Partial<OutcomeUnknownErrorDetails> & { retryAfterSecs?: number }): string {
  const { cause, operationId, outcome, attempts = [], durationMs, retryAfterSecs } = error;
  const { baseUrl, accountId, context, window } = error;
  const frames = [...callerFrames(cause).slice(0, 1), ...callerFrames(error)];
  const wait = retryAfterSecs === undefined ? "" : `, wait ${retryAfterSecs} s`;
  const shown = attempts.slice(-maxAttempts);
  const count = `${attempts.length} attempt${attempts.length === 1 ? "" : "s"}`;
  return printLines(error, frames, [
    operationId && `  ${operationId}: outcome ${outcome}${wait}, ${count} in ${durationMs ?? "?"} ms`,
    baseUrl && `  to ${baseUrl}${accountId ? `, account ${accountId}` : ""}`,
    shown.length > 0 &&
      `  attempts: ${attempts.length > shown.length ? "…, " : ""}${shown.map(formatAttempt).join(", ")}`,
    window && `  may have been carried out from ${window.start} to ${window.end}`,
    context && `  context: ${formatContext(context)}`,
  ]);
}
