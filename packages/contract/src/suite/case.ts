import type { OperationDescription, OperationId } from "@call-transfer/spec";
import type { Check } from "./check.ts";
import type { Capability, CaseName, Target, TargetWith } from "./target.ts";
import type { Transition } from "./transitions.ts";

/** When an operation may be retried: always (`safe`), unless a name is taken (`unique`), or only if it had no effect (`once`). */
export type RetryClass = OperationDescription["retry"];

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
  | { readonly kind: "reaction"; readonly fault: string; readonly retry: RetryClass };

/** One check of the contract against a target. Independent of any test runner. */
export interface ContractCase extends CaseName {
  /** The capabilities that a target needs for the case. */
  readonly needs: readonly Capability[];
  /** The coverage cells that the case covers by passing. */
  readonly covers: readonly ClaimedCell[];
  /** Runs the case against a target in a fresh state. Throws if the target violates the contract. */
  run(target: Target, check: Check): Promise<void>;
}

/** Declares a case: what it proves, as a sentence, and how. The target passed to `run` has the handles for its needs. */
export type DeclareCase<Needs extends Capability> = (
  name: string,
  run: (target: TargetWith<Needs>, check: Check) => Promise<void>,
) => ContractCase;

/** Declares the cases of a noun that need the same capabilities. */
export const casesFor =
  <const Needs extends Capability = never>(noun: string, needs: readonly Needs[] = []): DeclareCase<Needs> =>
  (name, run) => ({
    noun,
    name,
    needs,
    covers: [],
    // runCase only passes targets that have all needed capabilities.
    run: (target, check) => run(target as TargetWith<Needs>, check),
  });

/** Adds the coverage cells that a case covers by passing. */
export const covering = (covers: readonly ClaimedCell[], contractCase: ContractCase): ContractCase => ({
  ...contractCase,
  covers,
});
