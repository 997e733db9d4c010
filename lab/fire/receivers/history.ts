// What processes and senders write down, and what is read from it: which owners had an event, and which of them handled it.
import { openSync, readFileSync, writeSync } from "node:fs";
import type { CopyPlan } from "./plan.ts";

export const secret = "whsec_fire";
/** Request header with the event's id. Only for the records. */
export const eventHeader = "x-event";

/** What a receiver process gets on its command line, as JSON. */
export interface ProcessOptions {
  /** Name of this process, such as "1.3": the third one of receiver 1. */
  readonly name: string;
  readonly port: number;
  readonly store: string;
  readonly storeUrl: string;
  readonly plant: string | undefined;
  readonly onStoreError: "handle" | "reject";
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly storeTimeoutMs: number;
  readonly seed: number;
  /** File for the entries. */
  readonly entries: string;
}

/** One step of a process. Times are in milliseconds since 1970. */
export interface Entry {
  readonly action:
    | "claim"
    | "complete"
    | "release"
    /** `onEvent` was called. */
    | "start"
    /** `onEvent` ended. */
    | "end"
    /** The process did not run between the two times, or hardly. */
    | "stall"
    /** `onError` was called, with this code. */
    | "error";
  /** Id of the event; "" if it is about none. */
  readonly event: string;
  /** The store's owner. */
  readonly owner?: string | undefined;
  readonly handling?: string | undefined;
  /** When the step began. The store acted between the two times. */
  readonly fromMs: number;
  readonly atMs: number;
  /** The result: a claim's state, "stored", "refused", "released", "answered", "failed" or "error". */
  readonly result?: string | undefined;
}

/** An entry, and the process that wrote it. */
export interface ProcessEntry extends Entry {
  readonly process: string;
}

/** Opens the file of a process. A line is in the file before the next step begins, so that it survives a kill. */
export function openEntries(path: string): (entry: Entry) => void {
  const file = openSync(path, "a");
  return (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`);
}

/** The entries of a process, without a last line that was cut. */
export function readEntries(path: string, process: string): ProcessEntry[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => ({ ...(JSON.parse(line) as Entry), process }));
}

/** One process, from its start to its end. Times are in milliseconds since 1970. */
export interface Life {
  readonly name: string;
  /** When SIGKILL was sent. */
  killedMs?: number;
  /** From SIGSTOP to SIGCONT. */
  readonly stops: { readonly fromMs: number; toMs: number }[];
}

/** One attempt of a delivery. */
export interface Attempt {
  readonly receiver: number;
  /** The response's status; undefined without a response. */
  readonly status: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** A copy of an event, and what became of it. */
export interface Delivery {
  readonly event: string;
  readonly when: CopyPlan["when"];
  readonly attempts: readonly Attempt[];
  /** The first answer below 500; undefined if there was none in time. */
  readonly answer: Answer | undefined;
}

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
    const of = (action: Entry["action"]) => own.filter((entry) => entry.action === action);
    const [start] = of("start");
    const [end] = of("end");
    return {
      ...{ name, life, claims: of("claim"), completes: of("complete") },
      settled: own.findLast(({ action }) => action === "complete" || action === "release"),
      handling: start && {
        id: start.handling ?? "",
        startMs: start.atMs,
        endMs: end?.atMs,
        failed: end?.result === "failed",
      },
      storeFailed: own.some(({ result }) => result === "error"),
    };
  });
  return owners.sort((a, b) => takenMs(a) - takenMs(b));
}

/** A history for people to read, one line an entry. */
export function describe(entries: readonly ProcessEntry[], lives: readonly Life[]): string[] {
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
