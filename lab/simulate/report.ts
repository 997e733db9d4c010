// Sums over many worlds, what they cover, and the text about them.
import type { OperationDescription } from "@call-transfer/spec";
import { allCells, answerClasses, answerClassOf, conditions, faultNames, kindNames, operationList } from "./faults.ts";
import { duplicated } from "./invariants.ts";
import { storeKinds, troublesWith } from "./receiving-plan.ts";
import { cellKey, type Evidence, type Violation } from "./records.ts";

type Counts = Record<string, number>;
interface Risk {
  calls: number;
  duplicates: number;
}

/** Sums over many worlds. */
export interface Totals {
  worlds: number;
  attempts: number;
  calls: number;
  offers: number;
  offerCopies: number;
  /** Requests with offers at receivers that share a store, by the behaviour of the store and the trouble of a process. */
  readonly received: Counts;
  /** Placements and rotations by policy, and how many of them were executed more than once. */
  readonly risky: { readonly throw: Risk; readonly check: Risk; readonly retry: Risk };
  /** The number of exchanges per pair of fault and operation. */
  readonly cells: Counts;
  /** The number of responses per pair of middleware and class of response. */
  readonly passedOn: Counts;
}

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

/** The sum of numbers. */
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((one, other) => one + other, 0);

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

/** A world that violated an invariant. */
interface Failure {
  readonly seed: number;
  readonly hash: string;
  readonly violations: readonly Violation[];
}

/** What a run did. */
export interface Result {
  readonly from: number;
  readonly seeds: number;
  /** The seeds of the worlds that violated an invariant. */
  readonly failed: readonly number[];
  readonly totals: Totals;
  readonly digest: string;
  readonly seconds: number;
  /** The processor time that the run took. */
  readonly coreSeconds: number;
}

/** How many failures are printed in detail. */
export const mostDetailed = 5;

/** A failure in detail. */
export function failureLines({ seed, hash, violations }: Failure, calls: number): string[] {
  return [
    `seed ${seed}, trace ${hash}: FAILED`,
    ...violations.slice(0, 10).map(({ invariant, message }) => `  ${invariant}: ${message}`),
    `  replay: npm run lab -- simulate --from ${seed} --seeds 1 --calls ${calls} --trace`,
  ];
}

/** The number of exchanges per fault and operation. */
function cellTable({ cells }: Totals): string[] {
  const letters = operationList.map((_, index) => String.fromCharCode(65 + index));
  const legend = operationList.map(({ id }, index) => `${letters[index]} ${id}`).join(", ");
  const known = new Set(allCells.map(({ fault, operation }) => cellKey(fault, operation.id)));
  const rows = [...faultNames, ...conditions].map((fault) => {
    const counts = operationList.map(({ id }) => {
      const key = cellKey(fault, id);
      return (known.has(key) ? String(cells[key] ?? 0) : "-").padStart(8);
    });
    return `${fault.padEnd(26)}${counts.join("")}`;
  });
  return [legend, "".padEnd(26) + letters.map((letter) => letter.padStart(8)).join(""), ...rows];
}

/** The totals of a run, one line each. */
function figures({ totals, seconds, coreSeconds }: Result): string[] {
  const { attempts, calls, worlds, offers, offerCopies, received, risky, cells, passedOn } = totals;
  const [perSecond, perCore] = [Math.round(attempts / seconds), Math.round(attempts / coreSeconds)];
  const hit = allCells.length - missedCells(totals).length;
  const pairs = kindNames.length * answerClasses.length;
  const lines = [
    `${attempts} attempts of ${calls} calls in ${worlds} worlds, ${perSecond} attempts/s (${perCore} per second of one core's work)`,
    `${hit} of ${allCells.length} pairs of fault and operation covered, ${sum(Object.values(cells))} times in all`,
    `${pairs - missedAnswers(totals).length} of ${pairs} pairs of middleware and response covered, ${sum(Object.values(passedOn))} responses read through middleware`,
    `${offers} offers delivered and verified, ${offerCopies} of them twice`,
    `${sum(Object.values(received))} requests with offers at receivers that share a store, under ${Object.keys(received).length} kinds of trouble`,
  ];
  for (const [policy, title] of [
    ["throw", "under the default policy"],
    ["check", "under retry.onUnknownOutcome: check"],
    ["retry", "under retry.onUnknownOutcome: retry"],
  ] as const) {
    const { calls: all, duplicates } = risky[policy];
    lines.push(`${duplicates} of ${all} placements and rotations executed more than once ${title}`);
  }
  return lines;
}

/** What a run with a world for every pair did not cover. Smaller runs need not cover all. */
function missed({ totals }: Result): string[] {
  if (totals.worlds < allCells.length) return [];
  return [...missedCells(totals), ...missedAnswers(totals), ...missedReceivers(totals)];
}

/** Whether all invariants held and everything was covered. */
export const hasPassed = (result: Result): boolean => result.failed.length === 0 && missed(result).length === 0;

/** The text after the failures in detail. */
export function summaryLines(result: Result): string[] {
  const { failed, from, seeds, digest } = result;
  const notCovered = missed(result);
  return [
    ...cellTable(result.totals),
    ...figures(result),
    ...(notCovered.length > 0 ? [`not covered: ${notCovered.join(", ")}`] : []),
    `seeds ${from} to ${from + seeds - 1}, digest of all traces ${digest}`,
    failed.length === 0 ? "all invariants held" : `${failed.length} seeds failed: ${failed.join(", ")}`,
  ];
}
