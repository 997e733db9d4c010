// Puts together what happened to an event: which owners had it in the store, and which of them handled it.
import type { ProcessEntry } from "./entries.ts";
import type { Life } from "./fleet.ts";

/** One owner's part in an event. Times are in milliseconds since 1970. */
export interface Owner {
  readonly name: string;
  readonly life: Life;
  readonly claims: readonly ProcessEntry[];
  readonly completes: readonly ProcessEntry[];
  /** The last completion or release. */
  readonly settled: ProcessEntry | undefined;
  readonly handling: Handling | undefined;
  /** Whether a step in the store failed. */
  readonly storeFailed: boolean;
  /** When its request got a response. */
  readonly respondedMs: number | undefined;
}

export interface Handling {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly failed: boolean;
}

export const isGrant = ({ result }: ProcessEntry): boolean => result === "claimed";

/** When an owner took the event, or began to handle it without the store. */
function takenMs({ claims, handling }: Owner): number {
  return claims.find(isGrant)?.fromMs ?? handling?.startMs ?? Number.MAX_VALUE;
}

/** The owners of an event, in the order in which they took it, those who never had it last. */
export function ownersOf(entries: readonly ProcessEntry[], lives: ReadonlyMap<string, Life>): Owner[] {
  const byOwner = Map.groupBy(entries, ({ owner }) => owner ?? "");
  const owners = [...byOwner].map(([name, own]): Owner => {
    const life = lives.get(own[0]?.process ?? "") ?? { name: "", stops: [] };
    const of = (action: ProcessEntry["action"]) => own.filter((entry) => entry.action === action);
    const [start] = of("start");
    const end = of("end").at(0);
    return {
      name,
      life,
      claims: of("claim"),
      completes: of("complete"),
      settled: own.findLast(({ action }) => action === "complete" || action === "release"),
      handling: start && {
        id: start.handling ?? "",
        startMs: start.atMs,
        endMs: end?.atMs,
        failed: end?.result === "failed",
      },
      storeFailed: own.some(({ result }) => result === "error"),
      respondedMs: of("respond").at(0)?.atMs,
    };
  });
  return owners.sort((a, b) => takenMs(a) - takenMs(b));
}

/** A history for people to read, one line an entry. */
export function describe(entries: readonly ProcessEntry[], lives: readonly Life[]): string[] {
  const [first] = entries;
  if (first === undefined) return ["No process wrote anything about it."];
  const from = Math.min(...entries.map(({ fromMs }) => fromMs));
  const to = Math.max(...entries.map(({ atMs }) => atMs));
  const lines = entries.map(({ action, process, owner, handling, fromMs, atMs, result }) => {
    const what = [action, result && `-> ${result}`, handling, owner && `owner ${owner.slice(0, 8)}`];
    return { atMs, text: `process ${process}: ${what.filter(Boolean).join(" ")} (${atMs - fromMs} ms)` };
  });
  for (const { name, killedMs, stops } of lives) {
    lines.push(...stops.map((stop) => ({ atMs: stop.fromMs, text: `process ${name}: SIGSTOP` })));
    lines.push(...stops.map((stop) => ({ atMs: stop.toMs, text: `process ${name}: SIGCONT` })));
    if (killedMs !== undefined) lines.push({ atMs: killedMs, text: `process ${name}: SIGKILL` });
  }
  return lines
    .filter(({ atMs }) => atMs >= from - 2000 && atMs <= to)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `${String(atMs - from).padStart(7)} ms  ${text}`);
}
