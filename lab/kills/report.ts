// Prints what a run counted.
import { type History, type Kind, killsOf, type Outcome, type Write } from "./history.ts";
import type { World } from "./run.ts";

/** Sums over worlds. */
export interface Totals {
  worlds: number;
  kills: number;
  /** Ends in order, by SIGTERM. */
  stops: number;
  /** Starts that were killed before they answered. */
  killedStarts: number;
  /** From a start to the first answer. */
  slowestStartMs: number;
  readonly writes: Map<Kind, Record<Outcome | "found" | "not found", number>>;
  offers: { accepted: number; delivered: number; deliveries: number };
  requests: number;
  requestIds: number;
  seconds: number;
}

export const noTotals = (): Totals => ({
  worlds: 0,
  kills: 0,
  stops: 0,
  killedStarts: 0,
  slowestStartMs: 0,
  writes: new Map(),
  offers: { accepted: 0, delivered: 0, deliveries: 0 },
  requests: 0,
  requestIds: 0,
  seconds: 0,
});

/** Adds a world to the totals. */
export function add(totals: Totals, { history, seconds }: World): void {
  const { lives, writes, offers, requests, requestIds } = history;
  totals.worlds += 1;
  totals.kills += killsOf(history);
  totals.stops += lives.filter(({ endedBy }) => endedBy === "SIGTERM").length;
  totals.killedStarts += lives.filter(({ readyMs }) => readyMs === undefined).length;
  for (const { startedMs, readyMs = startedMs } of lives)
    totals.slowestStartMs = Math.max(totals.slowestStartMs, readyMs - startedMs);
  for (const write of writes) count(totals, write);
  const rings = ringsOf(history);
  const delivered = new Set(offers.map(({ body }) => (JSON.parse(body) as { id: string }).id));
  totals.offers.accepted += rings.length;
  totals.offers.delivered += rings.filter((id) => delivered.has(id)).length;
  totals.offers.deliveries += offers.length;
  totals.requests += requests;
  for (const ids of requestIds.values()) totals.requestIds += ids.length;
  totals.seconds += seconds;
}

function ringsOf({ writes }: History): string[] {
  return writes.flatMap(({ change }) =>
    change.kind === "transfer" ? (change.rings ?? []).flatMap(({ deliveryId }) => deliveryId ?? []) : [],
  );
}

function count({ writes }: Totals, { change, outcome, isThere }: Write): void {
  const counts = writes.get(change.kind) ?? {
    acknowledged: 0,
    applied: 0,
    unknown: 0,
    none: 0,
    found: 0,
    "not found": 0,
  };
  writes.set(change.kind, counts);
  if (outcome !== undefined) counts[outcome] += 1;
  if (outcome === "unknown" && isThere !== undefined) counts[isThere ? "found" : "not found"] += 1;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((one, other) => one + other, 0);
const number = (count: number): string => Math.round(count).toLocaleString("en");

/** The totals of a run, one line each. */
export function linesOf(totals: Totals): string[] {
  const all = [...totals.writes.values()];
  const columns = ["acknowledged", "applied", "unknown", "found", "not found", "none"] as const;
  const row = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(20)}${cells.map((cell) => cell.padStart(14)).join("")}`;
  const { accepted, delivered, deliveries } = totals.offers;
  return [
    `  ${number(totals.kills)} kills, ${number(totals.killedStarts)} of them before the server answered, and ${number(totals.stops)} stops, in ${totals.worlds} worlds; slowest start ${number(totals.slowestStartMs)} ms`,
    row("writes", columns),
    ...[...totals.writes].map(([kind, counts]) =>
      row(
        kind,
        columns.map((column) => number(counts[column])),
      ),
    ),
    row(
      "all",
      columns.map((column) => number(sum(all.map((counts) => counts[column])))),
    ),
    `  ${number(accepted)} offers accepted, ${number(delivered)} delivered, ${number(deliveries - delivered)} of them again`,
    `  ${number(totals.requests)} requests, ${number(totals.requestIds)} request ids, ${number(totals.seconds)} s`,
  ];
}
