// Runs worlds seed by seed and sums up what they show.
import { createHash } from "node:crypto";
import { duplicated, violationsOf } from "./invariants.ts";
import { answerClassOf } from "./middleware.ts";
import { usualCalls } from "./plan.ts";
import { type Cells, cellKey, type Violation } from "./records.ts";
import { type Evidence, runWorld } from "./world.ts";

/** What one world came to. */
export interface Outcome {
  readonly seed: number;
  /** The same for the same seed, whatever the machine. */
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
  /** Placements and rotations, and how many of them were carried out more than once, by policy. */
  readonly risky: Record<string, { calls: number; duplicates: number }>;
  readonly cells: Cells;
  /** How often each kind of middleware handed on an answer of each class. */
  readonly handedOn: Map<string, number>;
}

/** Sums of nothing. */
export const noTotals = (): Totals => ({
  worlds: 0,
  attempts: 0,
  calls: 0,
  offers: 0,
  offerCopies: 0,
  risky: {},
  cells: new Map(),
  handedOn: new Map(),
});

let stray: unknown[] = [];
process.on("unhandledRejection", (reason) => stray.push(reason));

/** Runs the world of one seed and holds it against the invariants. */
export async function simulate(seed: number, size = usualCalls): Promise<Outcome> {
  stray = [];
  const evidence = await runWorld(seed, size);
  // Unhandled rejections are told after the microtasks of the turn in which they happen.
  await new Promise((resolve) => setImmediate(resolve));
  const violations = violationsOf(evidence);
  for (const reason of stray) violations.push({ invariant: "8 at rest", message: `unhandled rejection: ${reason}` });
  const hash = createHash("sha256").update(evidence.trace.join("\n")).digest("hex").slice(0, 16);
  return { seed, hash, violations, evidence };
}

/** Adds a world to the sums. */
export function add(totals: Totals, { evidence }: Outcome): void {
  const { attempts, calls, offers, plan } = evidence;
  totals.worlds += 1;
  totals.attempts += attempts.length;
  totals.calls += calls.length;
  totals.offers += offers.offers;
  totals.offerCopies += offers.copies;
  for (const { client, plan: call } of calls) {
    if (call.operation.retry !== "once") continue;
    const { unsafe } = client.plan;
    const { calls: known, duplicates } = totals.risky[unsafe] ?? { calls: 0, duplicates: 0 };
    totals.risky[unsafe] = { calls: known + 1, duplicates };
  }
  for (const { client } of duplicated(calls)) {
    const sums = totals.risky[client.plan.unsafe];
    if (sums) sums.duplicates += 1;
  }
  const hit = (fault: Parameters<typeof cellKey>[0], operationId: string) => {
    const key = cellKey(fault, operationId);
    totals.cells.set(key, (totals.cells.get(key) ?? 0) + 1);
  };
  const { callListLagSecs = 0, queuedCallsListed = true } = plan.policies;
  for (const attempt of attempts) {
    const { fault, operation, client } = attempt;
    hit(fault, operation.id);
    const [kind, answer] = [client.plan.middleware, answerClassOf(attempt)];
    const key = `${kind} × ${answer}`;
    if (kind && answer) totals.handedOn.set(key, (totals.handedOn.get(key) ?? 0) + 1);
    if (client.plan.skewMs !== 0) hit("clock_skew", operation.id);
    if (callListLagSecs > 0 && operation.resource === "calls") hit("lagging_call_list", operation.id);
    if (!queuedCallsListed && operation.resource === "calls") hit("unlisted_queued_calls", operation.id);
  }
  for (const { abortedAt, plan: call } of calls) if (abortedAt !== undefined) hit("abort", call.operation.id);
}
