// What the SDK does after an error code, from its own functions.
import { type ErrorCode, errorCodes, limits, type OperationId, type operations } from "@call-transfer/spec";
import type { RequestOutcome } from "../packages/sdk/src/errors/details.ts";
import { createApiError } from "../packages/sdk/src/errors/status-errors.gen.ts";
import { outcomeOfResponse } from "../packages/sdk/src/send/result.ts";
import { shouldRetry } from "../packages/sdk/src/send/retry.ts";

/** The classes of operations that the SDK distinguishes. */
type Idempotency = (typeof operations)[OperationId]["idempotency"];

/** The operations of the classes, as the pages name them. */
const retryClasses: Readonly<Record<Idempotency, readonly string[]>> = {
  idempotent: ["reading", "removing hours"],
  conflict_safe: ["creating a group"],
  non_idempotent: ["placing a call", "rotating a secret"],
};
const retryClassNames = Object.keys(retryClasses) as Idempotency[];

const either = new Intl.ListFormat("en", { type: "disjunction" });

/** What the SDK does after an error, in a sentence for the operations that it treats alike. */
function reactionText(after: Readonly<Record<Idempotency, string>>): string {
  const alike = [...Map.groupBy(retryClassNames, (name) => after[name])];
  const sentences = alike.map(([reaction, names], index) => {
    const operations =
      alike.length === 1 ? "every operation" : either.format(names.flatMap((one) => retryClasses[one]));
    return `For ${operations}, ${index === 0 ? "the SDK" : "it"} ${reaction}.`;
  });
  return sentences.join(" ");
}

/** The reaction of the SDK to one attempt that was answered with a code. */
export interface Reaction {
  readonly outcome: RequestOutcome;
  /** True for the classes whose requests are sent again. */
  readonly retried: Readonly<Record<Idempotency, boolean>>;
}

/** The reaction of the SDK to a code. */
export function reactionTo(code: ErrorCode): Reaction {
  const { mockStatus: status } = errorCodes[code];
  const outcome = outcomeOfResponse(status, code, false);
  const end = { status, code, outcome, interrupted: false };
  return {
    outcome,
    retried: {
      idempotent: shouldRetry("idempotent", end),
      conflict_safe: shouldRetry("conflict_safe", end),
      non_idempotent: shouldRetry("non_idempotent", end),
    },
  };
}

/** The class of a code's errors. */
export function errorClassOf(code: ErrorCode): string {
  const details = { outcome: "rejected", attempts: [], operationId: "", body: { code } } as const;
  return createApiError({ ...details, status: errorCodes[code].mockStatus }).name;
}

/** The reason for a reaction, for the caller. */
function reason(code: ErrorCode, { outcome, retried }: Reaction): string {
  const { mockStatus, noEffect } = errorCodes[code];
  if (outcome === "unknown") {
    const trusted = noEffect
      ? " With `retry: { trust503Codes: true }` the SDK trusts [assumption A-28](../assumptions.md#a-28), that this code means no effect. Then it sends a placement again, too."
      : "";
    return `The server failed, perhaps after it had carried the request out. To read again does no harm, and a group's name can be taken only once. A call could ring twice.${trusted}`;
  }
  if (retried.non_idempotent)
    return "The request was refused and had no effect. The SDK waits as long as `meta.retryAfterSecs` asks, and throws the error if that is longer than `retry.maxRetryAfterMs`.";
  if (mockStatus === 429) return "The wait ends at a given time, long after any retry.";
  return "The request was refused, and the same request would be refused again.";
}

/** The section about retries of a code's page. */
export function retrySection(code: ErrorCode): string {
  const reaction = reactionTo(code);
  const { outcome, retried } = reaction;
  const after = (name: Idempotency): string => {
    if (retried[name]) return `sends the request again, up to ${limits.clientMaxRetries} times`;
    return name === "non_idempotent" && outcome === "unknown" ? "throws `OutcomeUnknownError`" : "throws the error";
  };
  const renewal =
    code === "token_expired"
      ? "\n\nIf `accessToken` is a function, the SDK calls it for a new token first, and sends the request again once, whatever the operation."
      : "";
  const text = reactionText({
    idempotent: after("idempotent"),
    conflict_safe: after("conflict_safe"),
    non_idempotent: after("non_idempotent"),
  });
  return `${text}

${reason(code, reaction)} The \`outcome\` of the error is \`${outcome}\`. [What an outcome means](../resilience.md#what-an-outcome-means)${renewal}`;
}
