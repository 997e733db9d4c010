// The records of a run, against which the invariants are checked.
import type { Backend } from "@call-transfer/backend";
import type { CallTransfer, OutcomeWindow } from "@call-transfer/sdk";
import type { OperationDescription } from "@call-transfer/spec";
import type { FaultName } from "./faults.ts";
import type { CallPlan, ClientPlan, Plan } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";

/** The state that all parts of a simulated world share. */
export interface World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly backend: Backend;
  readonly calls: CallRecord[];
  readonly attempts: AttemptRecord[];
  readonly reconciliations: ReconcileRecord[];
  /** Violations found while the world runs. */
  readonly violations: Violation[];
  /** Texts that the SDK and the backend wrote for people to read. */
  readonly produced: string[];
  /** Texts that `produced` must not contain. */
  readonly secrets: Set<string>;
  /** Secrets of each destination, oldest first. */
  readonly rotations: Map<string, Issued[]>;
  readonly trace: string[];
  log(message: string): void;
  violate(invariant: string, message: string): void;
}

/** A world after its run. */
export interface Evidence extends World {
  readonly clients: readonly ClientRecord[];
}

/** A secret of a destination, and since when it is valid (milliseconds since 1970). */
export interface Issued {
  readonly secret: string;
  readonly from: number;
}

/** A request that the backend executed. */
export interface Execution {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly status: number;
  readonly text: string;
  /** Whether the request changed the backend's state. */
  readonly changed: boolean;
  /** Whether the network duplicated the request. The SDK did not send this one. */
  readonly copy: boolean;
}

/** A request that the SDK passed to its fetch. */
export interface AttemptRecord {
  readonly client: ClientRecord;
  /** The call that it belongs to; undefined for a request of reconcile(). */
  readonly call: CallRecord | undefined;
  readonly operation: OperationDescription;
  readonly url: string;
  readonly fault: FaultName;
  readonly startedAt: number;
  readonly token: string;
  readonly executions: Execution[];
  /** When it was answered completely, lost, or cancelled by the SDK. */
  endedAt?: number;
  /** How it ended. `not_sent` is a failure before the first byte of the request. */
  end: "open" | "not_sent" | "lost" | "answered" | "cancelled";
  headersAt?: number;
  status?: number;
  /** The code of a complete error body. */
  code?: string | undefined;
  /** Seconds to wait according to the response; undefined without a valid value. */
  hintSecs?: number | undefined;
  /** Whether the response or failure repeats the credential. */
  echoes: boolean;
}

/** The retry budget of one client, or of several that share it. */
export interface BudgetRecord {
  /** Retries that the SDK reported, including those of reconcile(). */
  reportedRetries: number;
}

/** A client and its simulated clock. */
export interface ClientRecord {
  readonly plan: ClientPlan;
  readonly sdk: CallTransfer;
  readonly budget: BudgetRecord;
  readonly accountId: string;
  /** Milliseconds that its clock is ahead. */
  skewMs: number;
  /** Whether its clock was changed during the run. */
  jumped: boolean;
  /** Timers of the SDK that neither fired nor were cleared. */
  timers: number;
  /** The calls whose token renewals are in flight; undefined for one of reconcile(). */
  readonly renewing: Set<CallRecord | undefined>;
}

/** One call of a method of the SDK. */
export interface CallRecord {
  readonly id: number;
  readonly plan: CallPlan;
  readonly client: ClientRecord;
  readonly startedAt: number;
  readonly controller: AbortController | undefined;
  readonly attempts: AttemptRecord[];
  abortedAt?: number;
  settlements: number;
  settledAt?: number;
  value?: unknown;
  error?: unknown;
  /** The error as people and logs see it. */
  shownError: string;
}

/** The result of reconcile() after an unknown outcome. */
export interface ReconcileRecord {
  readonly call: CallRecord;
  readonly window: OutcomeWindow;
  readonly complete: boolean;
  readonly candidates: readonly string[];
  readonly explanation: string;
}

/** A violated invariant and the facts. */
export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** Describes a call and its attempts. */
export function aboutCall({ id, client, plan, attempts }: CallRecord): string {
  const results = attempts.map(({ fault, status, end }) => `${fault} ${status ?? end}`).join(", ");
  return `call ${id} (${client.plan.name} ${plan.operation.id}: ${results || "nothing sent"})`;
}

/** The calls in the backend that a call of the SDK placed. */
export const placedBy = ({ backend }: World, { id }: CallRecord) =>
  [...backend.state.calls.values()].filter(({ request }) => request.note === id);
