import type { OperationDescription, OperationId } from "@call-transfer/spec";
import type { Check } from "./check.ts";
import type { Capability, CaseName, Target, TargetWith } from "./target.ts";
import type { Transition } from "./transitions.ts";

/** When an operation may be sent again: always, unless a name is taken, or never blindly. */
export type RetryClass = OperationDescription["retry"];

/** A cell that a case covers by passing; statuses and codes are counted from the answers themselves. */
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
  /** A delivery that verifies, made with one secret or with two (§6). */
  | { readonly kind: "webhook"; readonly event: string; readonly signing: "signed" | "rotated" }
  /** What the SDK makes of a failure, for the operations of one retry class. */
  | { readonly kind: "reaction"; readonly fault: string; readonly retry: RetryClass };

/** One thing that the contract promises, told to a target. Knows no test runner. */
export interface ContractCase extends CaseName {
  readonly needs: readonly Capability[];
  readonly covers: readonly ClaimedCell[];
  run(target: Target, check: Check): Promise<void>;
}

interface Draft<Needs extends Capability> {
  readonly noun: string;
  /** What the case proves, as a sentence. */
  readonly name: string;
  readonly needs: readonly Needs[];
  readonly covers?: readonly ClaimedCell[];
  run(target: TargetWith<Needs>, check: Check): Promise<void>;
}

/** Declares a case. The target handed to `run` has the handles that `needs` names. */
export const contractCase = <const Needs extends Capability>(draft: Draft<Needs>): ContractCase => ({
  noun: draft.noun,
  name: draft.name,
  needs: draft.needs,
  covers: draft.covers ?? [],
  // The runner hands a target over only when it can do all that the case needs.
  run: (target, check) => draft.run(target as TargetWith<Needs>, check),
});
