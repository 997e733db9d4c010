// What the SDK does after an error code, from its own functions.
import { type ErrorCode, errorCodes, limits, type OperationId, type operations } from "@call-transfer/spec";
import type { RequestOutcome } from "../packages/sdk/src/errors/details.ts";
import { createApiError } from "../packages/sdk/src/errors/status-errors.gen.ts";
import { outcomeOfResponse } from "../packages/sdk/src/send/effect.ts";
import { shouldRetry } from "../packages/sdk/src/send/retry.ts";

/** The classes of operations that the SDK distinguishes. */
export type RetryClass = (typeof operations)[OperationId]["retry"];

/** The names of the classes on the pages. */
export const retryClasses: Readonly<Record<RetryClass, string>> = {
  safe: "Reading, removing hours",
  unique: "Creating a group",
  once: "Placing a call, rotating a secret",
};

/** The reaction of the SDK to one attempt that was answered with a code. */
export interface Reaction {
  readonly outcome: RequestOutcome;
  /** True for the classes whose requests are sent again. */
  readonly retried: Readonly<Record<RetryClass, boolean>>;
}

/** The reaction of the SDK to a code. */
export function reactionTo(code: ErrorCode): Reaction {
  const { mockStatus: status } = errorCodes[code];
  const outcome = outcomeOfResponse(status, code, false);
  const end = { status, code, outcome, interrupted: false };
  return {
    outcome,
    retried: { safe: shouldRetry("safe", end), unique: shouldRetry("unique", end), once: shouldRetry("once", end) },
  };
}

/** The class of a code's errors. */
export function errorClassOf(code: ErrorCode): string {
  const details = { outcome: "rejected", attempts: [], operationId: "", problem: { code } } as const;
  return createApiError({ ...details, status: errorCodes[code].mockStatus }).name;
}

/** The reason for a reaction, for the caller. */
function reason(code: ErrorCode, { outcome, retried }: Reaction): string {
  const { mockStatus, effectFree } = errorCodes[code];
  if (outcome === "unknown") {
    const trusted = effectFree
      ? " With `retry: { trust503Codes: true }` the SDK trusts [assumption A-28](../assumptions.md#a-28), that this code means no effect. Then it sends a placement again, too."
      : "";
    return `The server failed, perhaps after it had carried the request out. To read again does no harm, and a group's name can be taken only once. A call could ring twice.${trusted}`;
  }
  if (retried.once)
    return "The request was refused and had no effect. The SDK waits as long as `meta.retryAfterSecs` asks, and throws the error if that is longer than `retry.maxWaitMs`.";
  if (mockStatus === 429) return "The wait ends at a given time, long after any retry.";
  return "The request was refused, and the same request would be refused again.";
}

/** The section about retries of a code's page. */
export function retrySection(code: ErrorCode): string {
  const reaction = reactionTo(code);
  const { outcome, retried } = reaction;
  const cell = (name: RetryClass): string => {
    if (retried[name]) return `sent again, up to ${limits.clientMaxRetries} times`;
    return name === "once" && outcome === "unknown" ? "throws `OutcomeUnknownError`" : "throws the error";
  };
  const names = Object.keys(retryClasses) as RetryClass[];
  const renewal =
    code === "token_expired"
      ? "\n\nIf `accessToken` is a function, the SDK calls it for a new token first, and sends the request again once, whatever the operation."
      : "";
  return `| ${names.map((name) => retryClasses[name]).join(" | ")} |
|---|---|---|
| ${names.map(cell).join(" | ")} |

${reason(code, reaction)} The \`outcome\` of the error is \`${outcome}\`. [What an outcome means](../resilience.md#what-an-outcome-means)${renewal}`;
}
