// What is remembered of a run: the truth that the invariants are held against.
import type { CallTransfer } from "@call-transfer/sdk";
import type { OperationDescription } from "@call-transfer/spec";
import type { Condition, FaultName } from "./faults.ts";
import type { CallPlan, ClientPlan } from "./plan.ts";
import type { Evidence } from "./world.ts";

/** A request that really ran in the backend. */
export interface Execution {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly status: number;
  readonly text: string;
  /** Whether the backend's state is another one since. */
  readonly changed: boolean;
  /** Whether the network made this one: a duplicate below the SDK. */
  readonly copy: boolean;
}

/** One request that the SDK handed to its fetch. */
export interface AttemptRecord {
  readonly client: ClientRecord;
  /** The logical call it belongs to; undefined for a look at the call list. */
  readonly call: CallRecord | undefined;
  readonly operation: OperationDescription;
  readonly url: string;
  readonly fault: FaultName;
  readonly startedAt: number;
  readonly token: string;
  readonly executions: Execution[];
  /** When nothing more could come of it: answered whole, lost, or cancelled by the SDK. */
  endedAt: number | undefined;
  /** How it ended: `not_sent` is a failure before the request's first byte. */
  end: "open" | "not_sent" | "lost" | "answered" | "cancelled";
  headersAt: number | undefined;
  status: number | undefined;
  /** The code of an error body that came whole. */
  code: string | undefined;
  /** Seconds that the answer asked to wait; undefined where it asked nothing that counts. */
  hintSecs: number | undefined;
  /** Whether the body ended cleanly but too early, or is of another kind. */
  unreadable: boolean;
  /** Whether the answer or failure repeats the credential. */
  echoes: boolean;
}

/** The retry budget of one client or several. */
export interface BudgetRecord {
  /** Retries that the SDK told of, those of looks at the list included. */
  told: number;
}

/** A client with what was planted in it. */
export interface ClientRecord {
  readonly plan: ClientPlan;
  readonly sdk: CallTransfer;
  readonly budget: BudgetRecord;
  readonly accountId: string;
  /** By how much its clock is ahead now, in milliseconds. */
  skewMs: number;
  /** Whether its clock was set while it ran. */
  jumped: boolean;
  /** Timers that the SDK set and neither cleared nor saw fire. */
  timers: number;
  /** Whether a request for a fresh token is under way. */
  renewing: number;
}

/** One call of a method of the SDK. */
export interface CallRecord {
  readonly id: number;
  readonly plan: CallPlan;
  readonly client: ClientRecord;
  readonly startedAt: number;
  readonly controller: AbortController | undefined;
  readonly attempts: AttemptRecord[];
  abortedAt: number | undefined;
  settlements: number;
  settledAt: number | undefined;
  value: unknown;
  error: unknown;
  /** The error as people and logs get to see it. */
  shownError: string;
}

/** What a look at the server told after an unknown outcome. */
export interface LookRecord {
  readonly call: CallRecord;
  readonly from: number;
  readonly at: number;
  readonly complete: boolean;
  readonly candidates: readonly string[];
  readonly explanation: string;
}

/** An invariant that does not hold, with the facts. */
export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** How often each condition of the network met each operation. */
export type Cells = Map<string, number>;

/** The key of a cell. */
export const cellKey = (fault: FaultName | Condition, operationId: string): string => `${fault} ${operationId}`;

/** A call in words, with how its attempts went. */
export function aboutCall({ id, client, plan, attempts }: CallRecord): string {
  const went = attempts.map(({ fault, status, end }) => `${fault} ${status ?? end}`).join(", ");
  return `call ${id} (${client.plan.name} ${plan.operation.id}: ${went || "nothing sent"})`;
}

/** How many calls the backend holds that a logical call placed. */
export function placedBy({ backend }: Evidence, { id }: CallRecord): number {
  let count = 0;
  for (const { request } of backend.state.calls.values()) if (request.note === id) count += 1;
  return count;
}
