import { RequestError, type RequestOutcome } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import { operationIds } from "../document/document.ts";
import { type ContractCase, casesFor, covering, type Idempotency } from "../suite/case.ts";
import { connectImpatient, invoke, type PendingResult, validInput } from "../suite/client.ts";
import type { BrokenResponse } from "../suite/target.ts";

const test = casesFor("broken responses", ["faults", "state"]);

/** The SDK's reaction: how often it sends a request, and the outcome it reports. */
interface Reaction {
  readonly sent: number;
  /** The outcome of the error; absent for success. */
  readonly outcome?: RequestOutcome;
}

const served: Reaction = { sent: 1 };
const sentAgain: Reaction = { sent: 2 };
const givenUp = (outcome: RequestOutcome): Reaction => ({ sent: 1, outcome });

interface BrokenResponseRule {
  readonly reactions: Readonly<Record<Idempotency, Reaction>>;
  /** Whether the client notices it only at the attempt's deadline, which takes real time. */
  readonly takesTime?: true;
  /** Whether it damages only the body, so that a response without a body stays intact. */
  readonly needsBody?: true;
}

/** No response, so the outcome is unknown. */
const lost: BrokenResponseRule["reactions"] = {
  idempotent: sentAgain,
  conflict_safe: sentAgain,
  non_idempotent: givenUp("unknown"),
};
/** Only the head of a success arrived: the request was applied, but the body is lost. */
const cutShort: BrokenResponseRule["reactions"] = {
  idempotent: sentAgain,
  conflict_safe: givenUp("applied"),
  non_idempotent: givenUp("applied"),
};

/** Broken connections and responses, and the SDK's reaction to each (§8). */
export const brokenResponses: Readonly<Record<BrokenResponse, BrokenResponseRule>> = {
  reset: { reactions: lost },
  empty: { reactions: lost },
  hang: { reactions: lost, takesTime: true },
  // The retry finds the name taken: by the first attempt, or by another client.
  process_then_reset: { reactions: { ...lost, conflict_safe: { sent: 2, outcome: "unknown" } } },
  truncate: { reactions: cutShort, needsBody: true },
  slow_body: { reactions: cutShort, needsBody: true, takesTime: true },
  wrong_content_type: { reactions: { idempotent: served, conflict_safe: served, non_idempotent: served } },
  unknown_enum_value: { reactions: { idempotent: served, conflict_safe: served, non_idempotent: served } },
};

async function outcomeOf(call: PendingResult): Promise<RequestOutcome | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof RequestError) return error.outcome;
    throw error;
  }
}

const words = ({ sent, outcome }: Reaction): string =>
  `${sent === 1 ? "sent once" : "retried"} and ${outcome === undefined ? "succeeds" : `fails with outcome ${outcome}`}`;

function casesOf(fault: BrokenResponse, { reactions, takesTime, needsBody }: BrokenResponseRule): ContractCase[] {
  const touched = operationIds.filter((id) => !needsBody || operations[id].successes[0].example !== null);
  // For cases that take real time, one operation of each class is enough.
  const chosen = takesTime
    ? touched.filter(
        (id, index) =>
          touched.findIndex((other) => operations[other].idempotency === operations[id].idempotency) === index,
      )
    : touched;
  return chosen.map((operation) => {
    const { idempotency } = operations[operation];
    return covering(
      [{ kind: "reaction", fault, idempotency }],
      test(`${operation} after ${fault} is ${words(reactions[idempotency])}`, async (target, check) => {
        await target.faults.add({ match: { operationId: operation }, do: fault });
        const { client, sent } = await connectImpatient(target, takesTime ?? false);
        const outcome = await outcomeOf(invoke(client, operation, validInput(operation)));
        check.equal({ sent: sent.count, outcome }, reactions[idempotency], "the SDK's reaction");
      }),
    );
  });
}

/** The SDK's reaction to broken connections and responses, through the whole stack. */
export const brokenResponseCases: readonly ContractCase[] = (Object.keys(brokenResponses) as BrokenResponse[]).flatMap(
  (fault) => casesOf(fault, brokenResponses[fault]),
);
