// Sums over many worlds, and what they cover.
import type { OperationDescription } from "@call-transfer/spec";
import { z } from "zod";
import { allCells, answerClasses, answerClassOf, kindNames } from "./faults.ts";
import { duplicated } from "./invariants.ts";
import { storeKinds, troublesWith } from "./receiving-plan.ts";
import { cellKey, type Evidence } from "./records.ts";

const count = z.int().min(0);
const counts = z.record(z.string(), count);
const risk = z.object({ calls: count, duplicates: count });

/** The totals in the file of a report. */
export const totalsSchema = z.object({
  worlds: count,
  attempts: count,
  calls: count,
  offers: count,
  offerCopies: count,
  /** Requests with offers at receivers that share a store, by the behaviour of the store and the trouble of a process. */
  received: counts,
  /** Placements and rotations by policy, and how many of them were executed more than once. */
  risky: z.object({ throw: risk, check: risk, retry: risk }),
  /** The number of exchanges per pair of fault and operation. */
  cells: counts,
  /** The number of responses per pair of middleware and class of response. */
  passedOn: counts,
});

/** Sums over many worlds. */
export type Totals = z.infer<typeof totalsSchema>;

type Counts = Totals["cells"];

const noRisk = () => ({ calls: 0, duplicates: 0 });

export const noTotals = (): Totals => ({
  ...{ worlds: 0, attempts: 0, calls: 0, offers: 0, offerCopies: 0 },
  received: {},
  risky: { throw: noRisk(), check: noRisk(), retry: noRisk() },
  cells: {},
  passedOn: {},
});

function increase(sums: Counts, key: string, by = 1): void {
  sums[key] = (sums[key] ?? 0) + by;
}

/** Adds what happened in a world to the totals. */
export function add(totals: Totals, { attempts, calls, offers, plan, receiving }: Evidence): void {
  totals.worlds += 1;
  totals.attempts += attempts.length;
  totals.calls += calls.length;
  totals.offers += offers.offers;
  totals.offerCopies += offers.copies;
  if (receiving) {
    const { plan: receivers, offers: shared } = receiving;
    const requests = sum(shared.map((offer) => offer.requests.length));
    increase(totals.received, `${receivers.store.kind} × ${receivers.trouble}`, requests);
  }
  const duplicates = new Set(duplicated(calls));
  for (const call of calls.filter(({ plan }) => plan.operation.idempotency === "non_idempotent")) {
    const sums = totals.risky[call.client.plan.onUnknownOutcome];
    sums.calls += 1;
    if (duplicates.has(call)) sums.duplicates += 1;
  }
  const hit = (fault: Parameters<typeof cellKey>[0], { id }: OperationDescription) =>
    increase(totals.cells, cellKey(fault, id));
  const { callListDelaySecs = 0, includeQueuedCalls = true } = plan.policies;
  for (const attempt of attempts) {
    const { fault, operation, client } = attempt;
    hit(fault, operation);
    const [kind, answer] = [client.plan.middleware, answerClassOf(attempt)];
    if (kind && answer) increase(totals.passedOn, `${kind} × ${answer}`);
    if (client.plan.skewMs !== 0) hit("clock_skew", operation);
    if (callListDelaySecs > 0 && operation.resource === "calls") hit("lagging_call_list", operation);
    if (!includeQueuedCalls && operation.resource === "calls") hit("unlisted_queued_calls", operation);
  }
  for (const { abortedAt, plan: call } of calls) if (abortedAt !== undefined) hit("abort", call.operation);
}

/** The sums of several totals. */
export function sumTotals(all: readonly Totals[]): Totals {
  const sums = noTotals();
  for (const totals of all) {
    for (const name of ["worlds", "attempts", "calls", "offers", "offerCopies"] as const) sums[name] += totals[name];
    for (const name of ["received", "cells", "passedOn"] as const)
      for (const [key, by] of Object.entries(totals[name])) increase(sums[name], key, by);
    for (const name of ["throw", "check", "retry"] as const) {
      sums.risky[name].calls += totals.risky[name].calls;
      sums.risky[name].duplicates += totals.risky[name].duplicates;
    }
  }
  return sums;
}

/** The sum of numbers. */
export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((one, other) => one + other, 0);

const missing = (sums: Counts, keys: readonly string[]): string[] => keys.filter((key) => !Object.hasOwn(sums, key));

/** The pairs of fault and operation that a run did not cover. */
export const missedCells = ({ cells }: Totals): string[] =>
  missing(
    cells,
    allCells.map(({ fault, operation }) => cellKey(fault, operation.id)),
  );

/** The pairs of middleware and class of response that a run did not cover. */
export const missedAnswers = ({ passedOn }: Totals): string[] =>
  missing(
    passedOn,
    kindNames.flatMap((kind) => answerClasses.map((answer) => `${kind} × ${answer}`)),
  );

/** The pairs of behaviour of the store and trouble of a process that a run did not cover. */
export const missedReceivers = ({ received }: Totals): string[] =>
  missing(
    received,
    storeKinds.flatMap((store) => troublesWith(store).map((trouble) => `${store} × ${trouble}`)),
  );
