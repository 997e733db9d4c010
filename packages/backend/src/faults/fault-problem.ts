import { type ErrorCode, type ErrorResponseMeta, errorCodes } from "@call-transfer/spec";
import { type Problem, problem } from "../utils/problem.ts";
import { omitUndefined } from "../utils/values.ts";
import type { FaultAction } from "./fault.ts";

/** The error response of a fault with an error code, with the default `errors` and `meta` of that code. */
export function faultProblem(action: Extract<FaultAction, { code: ErrorCode }>, now: number): Problem {
  const { code, meta = defaultMeta(code, now) } = action;
  const {
    errors = errorCodes[code].hasFieldErrors ? [{ field: "body", code: "invalid_format" as const }] : undefined,
  } = action;
  return problem(code, {
    ...(meta && { meta }),
    ...(errors && { errors: errors.map((error) => ({ message: "is rejected by a fault", ...omitUndefined(error) })) }),
  });
}

function defaultMeta(code: ErrorCode, now: number): ErrorResponseMeta | undefined {
  if (code === "rate_limit_exceeded" || code === "queue_full") return { retryAfterSecs: 1 };
  if (code === "assistant_quota_exceeded") return { resetsAt: new Date(now + 3_600_000).toISOString() };
  return undefined;
}
