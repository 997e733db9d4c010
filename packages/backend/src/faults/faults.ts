import type { OperationDescription } from "@call-transfer/spec";
import type { WebhookFaultAction } from "../generated/models.gen.ts";
import type { Events } from "../model/events.ts";
import { InputError, withPathPrefix } from "../utils/input-error.ts";
import type { Random } from "../utils/random.ts";
import { redacted } from "../utils/redact.ts";
import type { Fault, FaultAction, RequestFault, WebhookFault } from "./fault.ts";
import { assertFault } from "./fault-check.ts";
import {
  type DeliveryCriteria,
  isBodyMatch,
  isDeliveryMatch,
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
  /** Deletes a fault; false if none has this id. */
  delete(id: string): boolean;
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
  /** Replaces the faults that a scenario added before, by those of the texts. */
  replaceOfScenario(scenario: string, texts: readonly string[]): void;
  /** Returns the fault that applies to a delivery, if there is one, and counts it down. */
  matchDelivery(delivery: DeliveryCriteria, deliveryId: string): MatchedWebhookFault | undefined;
  /** A new id for a delivery that a fault adds. Drawn here, so that faults do not change the ids of records. */
  newDeliveryId(): string;
  /** Exports the active faults for a snapshot. */
  keep(): FaultsSnapshot;
  /** Replaces all faults. Throws InputError naming the invalid field, and then changes nothing. */
  restore(snapshot: FaultsSnapshot): void;
}

/** What the list of faults adds to each. */
export interface ListedFault {
  /** What deletes it. */
  readonly id: string;
  /** How many requests or deliveries it has changed. */
  readonly hits: number;
  /** The scenario that added it, if one did. */
  readonly scenario?: string;
  /** The text that it was written as; absent for a fault written as an object. */
  readonly text?: string;
}

/** The faults that apply to one request: the sum of all latencies, and the first other action. */
export interface MatchedFaults {
  readonly latencyMs: number;
  readonly action: Exclude<FaultAction, { latencyMs: number }> | undefined;
  /** The id of the action's fault, or of the first latency. */
  readonly id: string | undefined;
}

/** The fault that applies to one delivery: the first that matches. */
interface MatchedWebhookFault {
  readonly id: string;
  readonly action: WebhookFaultAction;
}

/** A fault with the counts that remain. */
interface ActiveFault<Kind extends Fault = Fault> {
  readonly id: string;
  readonly fault: Kind;
  readonly scenario: string | undefined;
  /** The fault as it was typed. */
  readonly text: string | undefined;
  /** Counts down to the first match that fails. */
  nth: number;
  /** Counts down the matches that still fail; null for no limit. */
  times: number | null;
  /** The step of a list that the next match takes, from 1. */
  step: number;
  hits: number;
}

/** Where the faults of a backend are. */
export interface FaultsPlace {
  /** Hears of faults that are added or removed, and of each hit. */
  readonly events: Pick<Events, "emit">;
  /** Runs after any change, also of a count. */
  readonly changed?: (() => void) | undefined;
}

/** The number of active faults that a backend holds at most. Each request is compared with all of them. */
const mostFaults = 1000;

const noFaults: MatchedFaults = { latencyMs: 0, action: undefined, id: undefined };

/** Creates an empty list of faults for these operations. */
export function createFaults(
  random: Pick<Random, "next" | "uuid">,
  operations: readonly OperationDescription[],
  { events, changed = () => {} }: FaultsPlace,
): FaultQueue {
  let last = 0;
  let all: readonly ActiveFault[] = [];
  const put = (faults: readonly ActiveFault[]): void => {
    all = faults;
    changed();
  };
  const validated = (fault: unknown): Fault => validatedFault(fault, operations);
  /** Adds a fault. `given` is the fault as it was written. */
  const add = (fault: Fault, given: unknown, scenario?: string): string => {
    checkCount(all.length + 1, "");
    last += 1;
    const text = typeof given === "string" ? given.trim() : undefined;
    const entry = activeFault(`fault-${last}`, fault, { scenario, text });
    put([...all, entry]);
    const listed = shownFault(entry);
    events.emit("fault.added", () => {
      const { hits: _, ...added } = redactedFault(listed);
      return added;
    });
    return entry.id;
  };
  /** Removes faults; false if there are none to remove. */
  const removeWhere = (isGone: (entry: ActiveFault) => boolean): boolean => {
    const gone = all.filter(isGone);
    if (gone.length === 0) return false;
    put(all.filter((entry) => !isGone(entry)));
    for (const { id, hits, times } of gone) events.emit("fault.removed", { id, hits, isUsedUp: times === 0 });
    return true;
  };
  /** Counts a match that a fault changes. */
  const hit = (entry: ActiveFault, what: { readonly requestId: string } | { readonly deliveryId: string }): void => {
    entry.hits += 1;
    events.emit("fault.hit", { id: entry.id, ...what });
  };
  /** Ends a match of faults: those that are used up go. */
  const settle = (found: readonly ActiveFault[]): void => {
    if (found.length > 0) changed();
    removeWhere(({ times }) => times === 0);
  };
  const isMatch = ({ fault }: ActiveFault<RequestFault>, request: RequestCriteria): boolean =>
    isRequestMatch(fault.match, request);
  const list = (): readonly (Fault & ListedFault)[] => all.map(shownFault);
  return {
    add(fault) {
      return add(validated(fault), fault);
    },
    list,
    delete: (id) => removeWhere((entry) => entry.id === id),
    clear: () => void removeWhere(() => true),
    replaceOfScenario(scenario, texts) {
      removeWhere((entry) => entry.scenario === scenario);
      for (const text of texts) add({ ...validated(text), name: scenario }, text, scenario);
    },
    asksForBody: (request) =>
      all.some((entry) => isForRequests(entry) && entry.fault.match?.body !== undefined && isMatch(entry, request)),
    match(request, requestId) {
      if (all.length === 0) return noFaults;
      const found = all
        .filter(isForRequests)
        .filter((entry) => isMatch(entry, request) && isBodyMatch(entry.fault.match, request.body));
      const matched = takeSteps(found, random, (entry) => hit(entry, { requestId }));
      settle(found);
      return matched;
    },
    matchDelivery(delivery, deliveryId) {
      const found = all.filter(isForDeliveries).filter(({ fault }) => isDeliveryMatch(fault.webhooks, delivery));
      const matched = firstStep(found, random, (entry) => hit(entry, { deliveryId }));
      settle(found);
      return matched;
    },
    newDeliveryId: () => random.uuid(),
    keep: () => ({ last, waiting: list().map((fault) => ({ ...fault })) }),
    restore(snapshot) {
      const restored = restoredFaults(snapshot.waiting, validated);
      last = snapshot.last;
      put(restored);
    },
  };
}

/** Reads or checks a fault. Throws InputError naming the invalid field. */
function validatedFault(fault: unknown, operations: readonly OperationDescription[]): Fault {
  if (typeof fault === "string") return parseFault(fault, operations);
  assertFault(fault, operations);
  return structuredClone(fault);
}

function restoredFaults(
  waiting: FaultsSnapshot["waiting"],
  validated: (fault: unknown) => Fault,
): readonly ActiveFault[] {
  checkCount(waiting.length, "faults.waiting");
  return waiting.map(({ id, hits, scenario, text, ...fault }, index) => {
    const own = withPathPrefix(`faults.waiting[${index}]`, () => validated(fault));
    const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
    const counted = { ...(typeof hits === "number" && { hits }), scenario: textOf(scenario), text: textOf(text) };
    return activeFault(id, own, counted);
  });
}

/** Throws InputError for more faults than a backend holds. */
function checkCount(count: number, field: string): void {
  if (count <= mostFaults) return;
  throw new InputError(field, `more than ${mostFaults} active faults are not allowed. Delete those that are not used.`);
}

function activeFault(
  id: string,
  fault: Fault,
  { hits = 0, ...origin }: Pick<ActiveFault, "scenario" | "text"> & { readonly hits?: number },
): ActiveFault {
  const { nth = 1, times = 1, step = 1 } = fault.when ?? {};
  return { id, fault, ...origin, nth, times, step, hits };
}

/** A fault as the list shows it, with the counts that remain. */
function shownFault({ id, fault, scenario, text, nth, times, step, hits }: ActiveFault): Fault & ListedFault {
  const when = { ...fault.when, nth, times, ...(isList<unknown>(fault.do) && { step }) };
  const origin = { ...(scenario && { scenario }), ...(text && { text }) };
  return { ...structuredClone(fault), id, when: structuredClone(when), hits, ...origin };
}

/** Copies a listed fault without secrets. The text of a fault that has one is left out. */
export function redactedFault({ text, ...fault }: Fault & ListedFault): Record<string, unknown> {
  const shown = redacted(fault);
  const isHarmless = JSON.stringify(shown) === JSON.stringify(fault);
  return { ...shown, ...(isHarmless && text !== undefined && { text }) };
}

function isForRequests(entry: ActiveFault): entry is ActiveFault<RequestFault> {
  return entry.fault.webhooks === undefined;
}

function isForDeliveries(entry: ActiveFault): entry is ActiveFault<WebhookFault> {
  return entry.fault.webhooks !== undefined;
}

/** Adds up what the faults that match a request do: all latencies, and the first other action. */
function takeSteps(
  found: readonly ActiveFault<RequestFault>[],
  random: Pick<Random, "next">,
  hit: (entry: ActiveFault) => void,
): MatchedFaults {
  let matched = noFaults;
  for (const entry of found) {
    const action = nextStep<FaultAction | "pass">(entry.fault.do, entry.step);
    const isLatency = typeof action === "object" && "latencyMs" in action;
    if (!isLatency && matched.action !== undefined) continue;
    if (!countDown(entry, random) || action === "pass") continue;
    hit(entry);
    matched = isLatency
      ? { ...matched, latencyMs: matched.latencyMs + action.latencyMs, id: matched.id ?? entry.id }
      : { ...matched, action, id: entry.id };
  }
  return matched;
}

/** What the first fault does that matches a delivery and does not let it pass. */
function firstStep(
  found: readonly ActiveFault<WebhookFault>[],
  random: Pick<Random, "next">,
  hit: (entry: ActiveFault) => void,
): MatchedWebhookFault | undefined {
  for (const entry of found) {
    const action = nextStep<WebhookFaultAction | "pass">(entry.fault.do, entry.step);
    if (!countDown(entry, random) || action === "pass") continue;
    hit(entry);
    return { id: entry.id, action };
  }
  return undefined;
}

/** What the next match gets. */
function nextStep<Action>(actions: Action | readonly Action[], step: number): Action | "pass" {
  return isList(actions) ? (actions[step - 1] ?? "pass") : actions;
}

/** Whether this match fails, by the fault's `nth`, `probability` and `times`. If so, it takes a step. */
function countDown(entry: ActiveFault, random: Pick<Random, "next">): boolean {
  if (entry.nth > 1) {
    entry.nth -= 1;
    return false;
  }
  const { probability = 1 } = entry.fault.when ?? {};
  if (probability < 1 && random.next() / 2 ** 32 >= probability) return false;
  const steps = isList<unknown>(entry.fault.do) ? entry.fault.do.length : 1;
  entry.step = (entry.step % steps) + 1;
  if (entry.step === 1 && entry.times !== null) entry.times -= 1;
  return true;
}

function isList<Action>(actions: Action | readonly Action[]): actions is readonly Action[] {
  return Array.isArray(actions);
}
