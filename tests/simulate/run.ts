// Runs worlds seed by seed and sums up their results.
import { createHash } from "node:crypto";
import type { OperationDescription } from "@call-transfer/spec";
import { allCells, answerClasses, answerClassOf, conditions, faultNames, kindNames, operationList } from "./faults.ts";
import { duplicated, violationsOf } from "./invariants.ts";
import { type ClientPlan, usualCalls } from "./plan.ts";
import { storeKinds, troublesWith } from "./receiving-plan.ts";
import { cellKey, type Evidence, type Violation } from "./records.ts";
import { runWorld } from "./world.ts";

/** The result of one world. */
export interface Outcome {
  readonly seed: number;
  /** A hash of the trace. It is the same for the same seed on every machine. */
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly evidence: Evidence;
}

/** Sums over many worlds. */
export interface Totals {
  worlds: number;
  attempts: number;
  calls: number;
  offers: number;
  offerCopies: number;
  /** Requests with offers at receivers that share a store, by the behaviour of the store and the trouble of a process. */
  readonly received: Map<string, number>;
  /** Placements and rotations by policy, and how many of them were executed more than once. */
  readonly risky: Record<ClientPlan["unsafe"], { calls: number; duplicates: number }>;
  /** The number of exchanges per pair of fault and operation. */
  readonly cells: Map<string, number>;
  /** The number of responses per pair of middleware and class of response. */
  readonly passedOn: Map<string, number>;
}

export const noTotals = (): Totals => ({
  worlds: 0,
  attempts: 0,
  calls: 0,
  offers: 0,
  offerCopies: 0,
  received: new Map(),
  risky: {
    never: { calls: 0, duplicates: 0 },
    check: { calls: 0, duplicates: 0 },
    always: { calls: 0, duplicates: 0 },
  },
  cells: new Map(),
  passedOn: new Map(),
});

let stray: unknown[] = [];
process.on("unhandledRejection", (reason) => stray.push(reason));

/** Runs the world of one seed and checks the invariants. */
export async function simulate(seed: number, size = usualCalls): Promise<Outcome> {
  stray = [];
  const evidence = await runWorld(seed, size);
  // Node reports unhandled rejections after the microtasks of the current turn.
  await new Promise((resolve) => setImmediate(resolve));
  const violations = violationsOf(evidence);
  for (const reason of stray)
    violations.push({ invariant: "8 nothing is left open", message: `unhandled rejection: ${reason}` });
  const hash = createHash("sha256").update(evidence.trace.join("\n")).digest("hex").slice(0, 16);
  return { seed, hash, violations, evidence };
}

/** Adds the result of a world to the totals. */
export function add(totals: Totals, { evidence }: Outcome): void {
  const { attempts, calls, offers, plan } = evidence;
  totals.worlds += 1;
  totals.attempts += attempts.length;
  totals.calls += calls.length;
  totals.offers += offers.offers;
  totals.offerCopies += offers.copies;
  if (evidence.receiving) {
    const { plan: receivers, offers: shared } = evidence.receiving;
    const key = `${receivers.store.kind} × ${receivers.trouble}`;
    const requests = sum(shared.map((offer) => offer.requests.length));
    totals.received.set(key, (totals.received.get(key) ?? 0) + requests);
  }
  const duplicates = new Set(duplicated(calls));
  for (const call of calls.filter(({ plan }) => plan.operation.retry === "once")) {
    const sums = totals.risky[call.client.plan.unsafe];
    sums.calls += 1;
    if (duplicates.has(call)) sums.duplicates += 1;
  }
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  const hit = (fault: Parameters<typeof cellKey>[0], { id }: OperationDescription) =>
    count(totals.cells, cellKey(fault, id));
  const { callListLagSecs = 0, queuedCallsListed = true } = plan.policies;
  for (const attempt of attempts) {
    const { fault, operation, client } = attempt;
    hit(fault, operation);
    const [kind, answer] = [client.plan.middleware, answerClassOf(attempt)];
    if (kind && answer) count(totals.passedOn, `${kind} × ${answer}`);
    if (client.plan.skewMs !== 0) hit("clock_skew", operation);
    if (callListLagSecs > 0 && operation.resource === "calls") hit("lagging_call_list", operation);
    if (!queuedCallsListed && operation.resource === "calls") hit("unlisted_queued_calls", operation);
  }
  for (const { abortedAt, plan: call } of calls) if (abortedAt !== undefined) hit("abort", call.operation);
}

/** The pairs of fault and operation that a run did not cover. */
export const missedCells = ({ cells }: Totals): string[] =>
  allCells.map(({ fault, operation }) => cellKey(fault, operation.id)).filter((key) => !cells.has(key));

/** The pairs of middleware and class of response that a run did not cover. */
export const missedAnswers = ({ passedOn }: Totals): string[] =>
  kindNames.flatMap((kind) => answerClasses.map((answer) => `${kind} × ${answer}`)).filter((key) => !passedOn.has(key));

/** The pairs of behaviour of the store and trouble of a process that a run did not cover. */
export const missedReceivers = ({ received }: Totals): string[] =>
  storeKinds
    .flatMap((store) => troublesWith(store).map((trouble) => `${store} × ${trouble}`))
    .filter((key) => !received.has(key));

/** The number of exchanges per fault and operation. */
function cellTable({ cells }: Totals): string {
  const letters = operationList.map((_, index) => String.fromCharCode(65 + index));
  const legend = operationList.map(({ id }, index) => `${letters[index]} ${id}`).join(", ");
  const known = new Set(allCells.map(({ fault, operation }) => cellKey(fault, operation.id)));
  const rows = [...faultNames, ...conditions].map((fault) => {
    const counts = operationList.map(({ id }) => {
      const key = cellKey(fault, id);
      return (known.has(key) ? String(cells.get(key) ?? 0) : "-").padStart(8);
    });
    return `${fault.padEnd(26)}${counts.join("")}`;
  });
  return [legend, "".padEnd(26) + letters.map((letter) => letter.padStart(8)).join(""), ...rows].join("\n");
}

/** The totals of a run, one line each. */
function figures(totals: Totals, seconds: number): string[] {
  const { user, system } = process.cpuUsage();
  const perCore = Math.round(totals.attempts / ((user + system) / 1e6));
  const { attempts, calls, worlds, offers, offerCopies, received, risky, cells, passedOn } = totals;
  const hit = allCells.length - missedCells(totals).length;
  const pairs = kindNames.length * answerClasses.length;
  const lines = [
    `${attempts} attempts of ${calls} calls in ${worlds} worlds, ${Math.round(attempts / seconds)} attempts/s (${perCore} per second of one core's work)`,
    `${hit} of ${allCells.length} pairs of fault and operation covered, ${sum(cells.values())} times in all`,
    `${pairs - missedAnswers(totals).length} of ${pairs} pairs of middleware and response covered, ${sum(passedOn.values())} responses read through middleware`,
    `${offers} offers delivered and verified, ${offerCopies} of them twice`,
    `${sum(received.values())} requests with offers at receivers that share a store, under ${received.size} kinds of trouble`,
  ];
  for (const [policy, title] of [
    ["never", "under the default policy"],
    ["check", "under retry.unsafe: check"],
    ["always", "under retry.unsafe: always"],
  ] as const) {
    const { calls: all, duplicates } = risky[policy];
    lines.push(`${duplicates} of ${all} placements and rotations executed more than once ${title}`);
  }
  return lines;
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((one, other) => one + other, 0);

/** Prints the progress of a run: in place on a terminal, otherwise as a line every 15 seconds. */
function createProgress(goal: (totals: Totals) => number): (totals: Totals, seconds: number) => void {
  const { stderr } = process;
  let next = 0;
  return (totals, seconds) => {
    const done = Math.min(1, goal(totals));
    if (seconds < next && done < 1) return;
    next = seconds + (stderr.isTTY ? 0.2 : 15);
    const rate = Math.round(totals.attempts / seconds);
    const line = `${Math.floor(done * 100)} %  ${totals.worlds} worlds  ${totals.attempts} attempts  ${rate}/s`;
    stderr.write(stderr.isTTY ? `\r\x1b[2K${line}${done < 1 ? "" : "\n"}` : `${line}\n`);
  };
}

/** The worlds to run. */
export interface Range {
  readonly from: number;
  /** The number of seeds; undefined if `attempts` decides. */
  readonly seeds: number | undefined;
  /** The number of attempts after which the run ends; undefined if `seeds` decides. */
  readonly attempts: number | undefined;
  /** Calls per world. */
  readonly calls: number;
  /** Whether to print the trace of each world. */
  readonly trace: boolean;
}

/** Every 50th world runs twice, and the traces are compared. */
const twiceEvery = 50;
const mostFailures = 5;

function report({ seed, hash, violations, evidence }: Outcome, calls: number, trace: boolean): void {
  if (trace) console.log(evidence.trace.join("\n"));
  if (violations.length === 0 && !trace) return;
  console.log(`seed ${seed}, trace ${hash}: ${violations.length === 0 ? "all invariants hold" : "FAILED"}`);
  for (const { invariant, message } of violations.slice(0, 10)) console.log(`  ${invariant}: ${message}`);
  if (violations.length > 0)
    console.log(`  replay: npm run simulate -- --from ${seed} --seeds 1 --calls ${calls} --trace`);
}

/** Runs worlds and prints the results. Returns whether all invariants held and all pairs were covered. */
export async function runRange({ from, seeds, attempts, calls, trace }: Range): Promise<boolean> {
  // Stack traces of expected errors take time and are never printed.
  Error.stackTraceLimit = 0;
  const totals = noTotals();
  const progress = createProgress((sums) =>
    seeds === undefined ? sums.attempts / (attempts ?? 1) : sums.worlds / seeds,
  );
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let failures = 0;
  const isEnough = (index: number) =>
    (seeds !== undefined && index >= seeds) || (attempts !== undefined && totals.attempts >= attempts);
  for (let index = 0; !isEnough(index) && failures < mostFailures; index += 1) {
    const outcome = await simulate(from + index, calls);
    report(outcome, calls, trace);
    if (outcome.violations.length > 0) failures += 1;
    add(totals, outcome);
    if (index % twiceEvery === 0) {
      const again = await simulate(from + index, calls);
      if (again.hash !== outcome.hash) {
        failures += 1;
        console.log(`14 same seed, same trace: seed ${from + index} gave ${outcome.hash}, then ${again.hash}`);
      }
    }
    progress(totals, seconds());
  }
  console.log(cellTable(totals));
  for (const line of figures(totals, seconds())) console.log(line);
  const missed = [...missedCells(totals), ...missedAnswers(totals), ...missedReceivers(totals)];
  const isLarge = totals.worlds >= allCells.length;
  if (isLarge && missed.length > 0) console.log(`not covered: ${missed.join(", ")}`);
  console.log(failures === 0 ? "all invariants held" : `${failures} seeds failed`);
  return failures === 0 && !(isLarge && missed.length > 0);
}
