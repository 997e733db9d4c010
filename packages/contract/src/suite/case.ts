import type { OperationDescription, OperationId } from "@call-transfer/spec";
import type { Check } from "./check.ts";
import type { Capability, CaseName, Target, TargetWith } from "./target.ts";

/** Every state transition in the specification (§3, §4.1, §4.3, §5.4, §6.2, §8). */
export const transitions = [
  "availability: away → available, when `until` passes",
  "availability: offline → available, when `until` passes",
  "availability: away stays, without `until`",
  "availability: offline stays, without `until`",
  "hours: set → none, when removed",
  "hours: none → none, when removed",
  "signing secret: current → previous, by a rotation",
  "signing secret: previous → invalid, when the overlap ends",
  "signing secret: previous → invalid, by the next rotation",
  "call: placed → in progress, below the concurrent-call limit",
  "call: placed → queued, at the concurrent-call limit",
  "call: placed → rejected, beyond the queue limit",
  "call: queued → in progress, when another call ends",
  "daily limit: exhausted → free, at midnight UTC",
  "callable hours: closed → open, when they begin",
  "callable hours: open → closed, when they end",
  "rate limit: exhausted → free, after retryAfterSecs",
  "access token: valid → expired, over time",
] as const;

/** The name of a state transition. */
export type Transition = (typeof transitions)[number];

/** The coverage cells of a case that shows state transitions. */
export const shows = (...names: Transition[]) =>
  names.map((transition) => ({ kind: "transition" as const, transition }));

/** When an operation may be retried: always (`idempotent`), unless a name is taken (`conflict_safe`), or only if it had no effect (`non_idempotent`). */
export type Idempotency = OperationDescription["idempotency"];

/** A coverage cell that a case covers by passing. Statuses and codes are counted from the responses. */
export type ClaimedCell =
  | {
      readonly kind: "field";
      readonly operation: OperationId;
      readonly field: string;
      readonly keyword: string;
      readonly side: "valid" | "invalid";
    }
  | { readonly kind: "role"; readonly operation: OperationId; readonly role: string }
  | { readonly kind: "demand"; readonly code: string }
  | { readonly kind: "transition"; readonly transition: Transition }
  /** A verified delivery, signed with one or two secrets (§6). */
  | { readonly kind: "webhook"; readonly event: string; readonly signing: "signed" | "rotated" }
  /** The SDK's reaction to a fault, for the operations of one retry class. */
  | { readonly kind: "reaction"; readonly fault: string; readonly idempotency: Idempotency };

/** One check of the contract against a target. Independent of any test runner. */
export interface ContractCase extends CaseName {
  /** The capabilities that a target needs for the case. */
  readonly requires: readonly Capability[];
  /** The coverage cells that the case covers by passing. */
  readonly covers: readonly ClaimedCell[];
  /** Runs the case against a target in a fresh state. Throws if the target violates the contract. */
  run(target: Target, check: Check): Promise<void>;
}

/** Declares a case: what it proves, as a sentence, and how. The target passed to `run` has the handles for its needs. */
export type DeclareCase<Requires extends Capability> = (
  name: string,
  run: (target: TargetWith<Requires>, check: Check) => Promise<void>,
) => ContractCase;

/** Declares the cases of a resource that need the same capabilities. */
export const casesFor =
  <const Requires extends Capability = never>(
    resource: string,
    requires: readonly Requires[] = [],
  ): DeclareCase<Requires> =>
  (name, run) => ({
    resource,
    name,
    requires,
    covers: [],
    // runCase only passes targets that have all needed capabilities.
    run: (target, check) => run(target as TargetWith<Requires>, check),
  });

/** Adds the coverage cells that a case covers by passing. */
export const covering = (covers: readonly ClaimedCell[], contractCase: ContractCase): ContractCase => ({
  ...contractCase,
  covers,
});
