import { type ErrorCode, type ErrorResponseMeta, errorCodes, type OperationDescription } from "@call-transfer/spec";
import { under } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { type Problem, problem } from "../model/problem.ts";
import type { Random } from "../model/random.ts";
import type { Fault, FaultAction, RequestFault, WebhookFault, WebhookFaultAction } from "./fault.ts";
import { assertFault } from "./fault-check.ts";

/** The active faults of a backend, in the order in which they were added. */
export interface Faults {
  /** Adds a fault and returns its id. Throws InputError naming the invalid field. */
  add(fault: Fault): string;
  /** Lists the active faults. `nth` and `times` are the counts that remain. */
  list(): readonly (Fault & { readonly id: string })[];
  /** Removes a fault; false if none has this id. */
  remove(id: string): boolean;
  clear(): void;
}

/** The faults that apply to one request: the sum of all latencies, and the first other action. */
export interface MatchedFaults {
  readonly latency: number;
  readonly action: Exclude<FaultAction, { latency: number }> | undefined;
  /** The id of the action's fault, or of the first latency. */
  readonly id: string | undefined;
}

/** The fault that applies to one delivery: the first that matches. */
export interface MatchedWebhookFault {
  readonly id: string;
  readonly action: WebhookFaultAction;
}

/** What the criteria of a fault are compared with. */
export type DeliveryCriteria = { readonly [Name in keyof Required<WebhookFault["webhooks"]>]: unknown };

interface ActiveFault<Kind extends Fault = Fault> {
  readonly id: string;
  readonly fault: Kind;
  /** Counts down to the first match that fails. */
  nth: number;
  /** Counts down the matches that still fail; null for no limit. */
  times: number | null;
}

/** The part of a snapshot that holds the faults. */
export interface FaultsSnapshot {
  /** The number in the last id. */
  readonly last: number;
  readonly waiting: readonly { readonly id: string; readonly [part: string]: unknown }[];
}

/** What the backend itself does with its faults. */
export interface FaultQueue extends Faults {
  /** Returns the faults that apply to a request, and counts them down. */
  match(operation: OperationDescription, path: string): MatchedFaults;
  /** Returns the fault that applies to a delivery, if there is one, and counts it down. */
  matchDelivery(delivery: DeliveryCriteria): MatchedWebhookFault | undefined;
  /** A new id for a delivery that a fault adds. Drawn here, so that faults do not change the ids of records. */
  newDeliveryId(): string;
  /** Exports the active faults for a snapshot. */
  keep(): FaultsSnapshot;
  /** Replaces all faults. Throws InputError naming the invalid field, and then changes nothing. */
  restore(snapshot: FaultsSnapshot): void;
}

const noFaults: MatchedFaults = { latency: 0, action: undefined, id: undefined };

/** Creates an empty list of faults for these operations. */
export function createFaults(
  random: Pick<Random, "next" | "uuid">,
  operations: readonly OperationDescription[],
): FaultQueue {
  let active: ActiveFault[] = [];
  let last = 0;
  const validated = (fault: unknown): Fault => {
    assertFault(fault, operations);
    return structuredClone(fault);
  };
  const list = () =>
    active.map(({ id, fault, nth, times }) => ({ ...structuredClone(fault), id, when: { ...fault.when, nth, times } }));
  return {
    add(fault) {
      const own = validated(fault);
      last += 1;
      active.push(activeFault(`fault-${last}`, own));
      return `fault-${last}`;
    },
    list,
    remove(id) {
      const before = active.length;
      active = active.filter((entry) => entry.id !== id);
      return active.length < before;
    },
    clear() {
      active = [];
    },
    match(operation, path) {
      if (active.length === 0) return noFaults;
      const matched = matchFaults(active.filter(isForRequests), operation, path, random);
      active = active.filter(({ times }) => times !== 0);
      return matched;
    },
    matchDelivery(delivery) {
      const matched = active
        .filter(isForDeliveries)
        .find((entry) => isMatch(entry.fault.webhooks, delivery) && countDown(entry, random));
      active = active.filter(({ times }) => times !== 0);
      return matched && { id: matched.id, action: matched.fault.do };
    },
    newDeliveryId: () => random.uuid(),
    keep: () => ({ last, waiting: list() }),
    restore(snapshot) {
      const restored = snapshot.waiting.map(({ id, ...fault }, index) =>
        activeFault(
          id,
          under(`faults.waiting[${index}]`, () => validated(fault)),
        ),
      );
      active = restored;
      last = snapshot.last;
    },
  };
}

function activeFault(id: string, fault: Fault): ActiveFault {
  const { nth = 1, times = 1 } = fault.when ?? {};
  return { id, fault, nth, times };
}

function isForRequests(entry: ActiveFault): entry is ActiveFault<RequestFault> {
  return entry.fault.webhooks === undefined;
}

function isForDeliveries(entry: ActiveFault): entry is ActiveFault<WebhookFault> {
  return entry.fault.webhooks !== undefined;
}

function matchFaults(
  active: readonly ActiveFault<RequestFault>[],
  operation: OperationDescription,
  path: string,
  random: Pick<Random, "next">,
): MatchedFaults {
  let matched = noFaults;
  for (const entry of active) {
    const { do: action } = entry.fault;
    const isLatency = typeof action === "object" && "latency" in action;
    if (!isLatency && matched.action !== undefined) continue;
    if (!isOperation(entry.fault.match, operation, path) || !countDown(entry, random)) continue;
    matched = isLatency
      ? { ...matched, latency: matched.latency + action.latency, id: matched.id ?? entry.id }
      : { ...matched, action, id: entry.id };
  }
  return matched;
}

/** Whether this match fails, by the fault's `nth`, `probability` and `times`. */
function countDown(entry: ActiveFault, random: Pick<Random, "next">): boolean {
  if (entry.nth > 1) {
    entry.nth -= 1;
    return false;
  }
  const { probability = 1 } = entry.fault.when ?? {};
  if (probability < 1 && random.next() / 2 ** 32 >= probability) return false;
  if (entry.times !== null) entry.times -= 1;
  return true;
}

function isMatch({ destinationId, url, transferId }: WebhookFault["webhooks"], delivery: DeliveryCriteria): boolean {
  return (
    (destinationId ?? delivery.destinationId) === delivery.destinationId &&
    (url ?? delivery.url) === delivery.url &&
    (transferId ?? delivery.transferId) === delivery.transferId
  );
}

function isOperation(match: RequestFault["match"], operation: OperationDescription, path: string): boolean {
  return (
    (match?.operationId ?? operation.id) === operation.id &&
    (match?.method ?? operation.method).toUpperCase() === operation.method &&
    [undefined, path, operation.path].includes(match?.path)
  );
}

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
