import type { ClosestOperation } from "../checks/closest-operations.ts";
import type { Decision, RequestCaller } from "../checks/decision.ts";

/** A request and its response in short: no headers, query or body, so no secrets. */
export interface JournalEntry {
  /** Counts up from 1, also across `clear` and a reset. */
  readonly id: number;
  /** When the request arrived, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** Absent if no operation matched. */
  readonly operationId?: string;
  /** The response status; 0 if a fault withheld the response. */
  readonly status: number;
  /** The error code of the response; absent for successes and for faults with a status of their own. */
  readonly code?: string;
  /** The id of the fault that matched the request. */
  readonly fault?: string;
  /** The exception behind a 500; never part of the response. */
  readonly error?: string;
  /** The value of the response header `X-Request-Id`. */
  readonly requestId: string;
  /** The id of the entry whose request was sent again. */
  readonly replayOf?: number;
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number;
  /** What decided the response. */
  readonly decidedBy: Decision;
  /** The authenticated caller; absent if the credential was refused or not checked. */
  readonly caller?: RequestCaller;
  /** For a request that matches no operation: those that it resembles most, closest first. */
  readonly closest?: readonly ClosestOperation[];
  /** How many records the request changed; absent for none. */
  readonly changeCount?: number;
  /** How many timers the request set; absent for none. */
  readonly timerCount?: number;
  /** Where a forwarded request or its response deviates from the contract. */
  readonly deviations?: readonly Deviation[];
}

/** One place where a forwarded request or its response deviates from the contract. */
export interface Deviation {
  /** Whether the request or the response deviates. */
  readonly side: "request" | "response";
  /**
   * The place: `status`, `path`, `query limit`, `header X-Request-Id`, `body`, or a field as a JSON pointer after `body`,
   * such as `body/roles/0/role`.
   */
  readonly where: string;
  /** What is wrong there. */
  readonly message: string;
  /** The section of the specification that says how it should be, such as `§2.6`. */
  readonly section?: string;
}
