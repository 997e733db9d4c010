import type { OperationDescription } from "@call-transfer/spec";
import { InputError, under } from "../utils/input-error.ts";
import type { Random } from "../utils/random.ts";
import {
  type ActiveFault,
  ActiveFaults,
  activeFault,
  checkCount,
  type FaultsPlace,
  firstStep,
  isForDeliveries,
  isForRequests,
  type ListedFault,
  type MatchedFaults,
  type MatchedWebhookFault,
  noFaults,
  takeSteps,
} from "./active-faults.ts";
import type { Fault, RequestFault } from "./fault.ts";
import { assertFault } from "./fault-check.ts";
import { formatFault } from "./format-fault.ts";
import {
  type DeliveryCriteria,
  isBodyMatch,
  isDeliveryMatch,
  isInForce,
  isLike,
  isRequestMatch,
  type RequestCriteria,
} from "./match-fault.ts";
import { parseFault } from "./parse-fault.ts";

/** The active faults of a backend, in the order in which they were added. */
export interface Faults {
  /**
   * Adds a fault, or one written as a text (`parseFault`), and returns its id. Throws InputError naming the invalid field, and
   * one that names the limit if 1000 faults are active.
   */
  add(fault: Fault | string): string;
  /** Lists the active faults. `nth` and `times` are the counts that remain, and `step` is the next step of a list. */
  list(): readonly (Fault & ListedFault)[];
  /** Removes a fault; false if none has this id. */
  remove(id: string): boolean;
  /** Removes every fault. */
  clear(): void;
}

/** The part of a snapshot that holds the faults, or the stubs. */
export interface FaultsSnapshot {
  /** The number in the last id. */
  readonly last: number;
  readonly waiting: readonly { readonly id: string; readonly [part: string]: unknown }[];
}

/** What the backend itself does with its faults. */
export interface FaultQueue extends Faults {
  /** Whether a fault may match the request and asks for its body. */
  asksForBody(request: RequestCriteria): boolean;
  /** Returns the faults that apply to a request, and counts them down. */
  match(request: RequestCriteria, requestId: string): MatchedFaults;
  /** Adds a fault that every sandbox starts with, if it is for this one. Throws InputError naming the invalid field. */
  addInitial(fault: Fault | string): void;
  /** Replaces the faults that a scenario added before. */
  replaceOfScenario(scenario: string, faults: readonly Fault[]): void;
  /** Returns the fault that applies to a delivery, if there is one, and counts it down. */
  matchDelivery(delivery: DeliveryCriteria, deliveryId: string): MatchedWebhookFault | undefined;
  /** A new id for a delivery that a fault adds. Drawn here, so that faults do not change the ids of records. */
  newDeliveryId(): string;
  /** Exports the active faults for a snapshot. */
  keep(): FaultsSnapshot;
  /** Replaces all faults. Throws InputError naming the invalid field, and then changes nothing. */
  restore(snapshot: FaultsSnapshot): void;
}

/** Creates an empty list of faults for these operations. */
export function createFaults(
  random: Pick<Random, "next" | "uuid">,
  operations: readonly OperationDescription[],
  place: FaultsPlace,
): FaultQueue {
  const { clock, sandbox } = place;
  const active = new ActiveFaults(place, (fault) => formatFault(fault, operations));
  const validated = (fault: unknown): Fault => validatedFault(fault, operations);
  const isForSandbox = ({ match, webhooks }: Fault): boolean => isLike((match ?? webhooks)?.sandbox ?? "*", sandbox);
  const isMatch = ({ fault }: ActiveFault<RequestFault>, request: RequestCriteria): boolean =>
    isInForce(fault.when, clock.now()) && isRequestMatch(fault.match, request, sandbox);
  return {
    add(fault) {
      const own = validated(fault);
      if (!isForSandbox(own)) throw otherSandbox(own, sandbox);
      return active.add(own);
    },
    list: () => active.list(),
    remove: (id) => active.removeWhere((entry) => entry.id === id),
    clear: () => void active.removeWhere(() => true),
    addInitial(fault) {
      const own = validated(fault);
      if (isForSandbox(own)) active.add(own);
    },
    replaceOfScenario(scenario, faults) {
      active.removeWhere((entry) => entry.scenario === scenario);
      for (const fault of faults) active.add(validated(fault), scenario);
    },
    asksForBody: (request) =>
      active.all.some(
        (entry) => isForRequests(entry) && entry.fault.match?.body !== undefined && isMatch(entry, request),
      ),
    match(request, requestId) {
      if (active.all.length === 0) return noFaults;
      const found = active.all
        .filter(isForRequests)
        .filter((entry) => isMatch(entry, request) && isBodyMatch(entry.fault.match, request.body));
      const matched = takeSteps(found, random, (entry) => active.hit(entry, { requestId }));
      active.settle(found);
      return matched;
    },
    matchDelivery(delivery, deliveryId) {
      const found = active.all
        .filter(isForDeliveries)
        .filter(
          ({ fault }) => isInForce(fault.when, clock.now()) && isDeliveryMatch(fault.webhooks, delivery, sandbox),
        );
      const matched = firstStep(found, random, (entry) => active.hit(entry, { deliveryId }));
      active.settle(found);
      return matched;
    },
    newDeliveryId: () => random.uuid(),
    keep: () => ({ last: active.last, waiting: active.list().map((fault) => ({ ...fault })) }),
    restore: ({ last, waiting }) => active.restore(last, restoredFaults(waiting, validated)),
  };
}

/** Reads or checks a fault. Throws InputError naming the invalid field. */
function validatedFault(fault: unknown, operations: readonly OperationDescription[]): Fault {
  if (typeof fault === "string") return parseFault(fault, operations);
  assertFault(fault, operations);
  return structuredClone(fault);
}

function otherSandbox({ webhooks }: Fault, sandbox: string): InputError {
  return new InputError(
    `${webhooks === undefined ? "match" : "webhooks"}.sandbox`,
    `this is the sandbox "${sandbox}". Add the fault in the sandbox that it is for, or remove this field.`,
  );
}

function restoredFaults(
  waiting: FaultsSnapshot["waiting"],
  validated: (fault: unknown) => Fault,
): readonly ActiveFault[] {
  checkCount(waiting.length, "faults.waiting");
  return waiting.map(({ id, hits, scenario, ...fault }, index) => {
    const own = under(`faults.waiting[${index}]`, () => validated(fault));
    const counted = { ...(typeof hits === "number" && { hits }), ...(typeof scenario === "string" && { scenario }) };
    return activeFault(id, own, counted);
  });
}
