import type { Availability, Callee, Control, Ring, StateRecord, Timer, Transfer } from "./control.ts";
import type { NameOf } from "./events.ts";
import { duration, timeOfDay } from "./format.ts";
import { type Live, useLive } from "./live.ts";

/** The meaning of a status: its color, beside its text. */
export type Tone = "ok" | "warn" | "bad" | "info" | "idle";

/** A text with its tone. */
export interface Words {
  readonly tone: Tone;
  readonly text: string;
}

/** A span of time that a time line shows, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A bar on a time line. The part that has passed is solid, the rest is lighter. */
export interface Bar extends Span {
  readonly tone: Tone;
  /** Its meaning, for screen readers and as a hint. */
  readonly label: string;
  /** Whether text beside the bar says the same, so that screen readers skip the bar. */
  readonly isSaid?: boolean;
  /** A thin bar is drawn beside the main ones of a track. */
  readonly isThin?: boolean;
}

/** A moment on a time line. */
export interface Mark {
  readonly at: number;
  readonly tone: Tone;
  readonly label: string;
  /** A planned one is drawn as an outline. */
  readonly isPlanned?: boolean;
}

const statuses: Readonly<Record<Transfer["status"], Words>> = {
  ringing: { tone: "info", text: "Ringing" },
  connected: { tone: "ok", text: "Connected" },
  ended: { tone: "idle", text: "Ended" },
  unanswered: { tone: "bad", text: "Unanswered" },
  abandoned: { tone: "warn", text: "Caller hung up" },
};

/** The status of a transfer in words. */
export const statusOf = ({ status }: Transfer): Words => statuses[status];

/** Whether a transfer rings or is connected. */
export const isUnderWay = ({ status }: Transfer): boolean => status === "ringing" || status === "connected";

/** The name of the group or destination that a transfer rings. */
export function targetName({ groupId, destinationId }: Transfer, nameOf: NameOf): string {
  return nameOf(groupId ?? destinationId ?? "");
}

/** The name of a ring: of the member, otherwise of the destination. */
export function ringName({ memberId, destinationId }: Ring, nameOf: NameOf): string {
  return nameOf(memberId ?? destinationId);
}

const kinds: Readonly<Record<string, string>> = { phone: "Phone", app: "App", available_humans: "Available members" };

/** The kind of a destination, or the destination through which a member rings. */
export function ringKind({ memberId, destinationId, kind }: Ring, nameOf: NameOf): string {
  return memberId === undefined ? (kinds[kind] ?? kind) : `via ${nameOf(destinationId)}`;
}

/** The name of the destination or member that answered; undefined if no one did. */
export function answererOf({ answeredBy }: Transfer, nameOf: NameOf): string | undefined {
  return answeredBy === undefined ? undefined : nameOf(answeredBy.memberId ?? answeredBy.destinationId);
}

/** Whether a ring is the one that won. */
export function isWinner({ answeredBy }: Transfer, { destinationId, memberId }: Ring): boolean {
  return answeredBy?.destinationId === destinationId && answeredBy.memberId === memberId;
}

/** The result of a transfer, in a few words. */
export function resultOf(transfer: Transfer, nameOf: NameOf, now: number): string {
  const { status, rings, startedAt, answeredAt, endedAt } = transfer;
  const who = answererOf(transfer, nameOf);
  const ringing = rings.filter(({ outcome }) => outcome === "ringing");
  if (status === "ringing") {
    const last = Math.max(...ringing.map(({ endsAt }) => Date.parse(endsAt)));
    return `${ringing.length} of ${rings.length} ringing, ${left(last, now)}`;
  }
  if (who !== undefined && answeredAt !== undefined)
    return status === "connected"
      ? `${who}, for ${duration(now - Date.parse(answeredAt))}`
      : `${who}, ${between(answeredAt, endedAt ?? answeredAt)}`;
  if (rings.every(({ outcome }) => outcome === "skipped")) return "Nothing rang";
  return `After ${between(startedAt, endedAt ?? startedAt)}`;
}

const between = (from: string, to: string): string => duration(Date.parse(to) - Date.parse(from));

/** How long something still lasts. */
export function left(until: number, now: number): string {
  return until > now ? `${duration(Math.ceil((until - now) / 1000) * 1000)} left` : "ends now";
}

/** The outcome of a ring, and why. */
export function outcomeOf(transfer: Transfer, ring: Ring, nameOf: NameOf, now: number): Words {
  const after = between(ring.startedAt, ring.endsAt);
  const because = ring.reason === undefined ? "" : `: ${ring.reason}`;
  switch (ring.outcome) {
    case "ringing":
      return { tone: "info", text: `Rings, ${left(Date.parse(ring.endsAt), now)}` };
    case "answered":
      return { tone: "ok", text: `Answered after ${after}` };
    case "taken":
      return { tone: "idle", text: `Stopped after ${after}: ${answererOf(transfer, nameOf) ?? "another"} answered` };
    case "missed":
      return { tone: "bad", text: `Missed after ${after}` };
    case "declined":
      return { tone: "warn", text: `Declined after ${after}${because}` };
    case "busy":
      return { tone: "idle", text: `Stopped after ${after}: answered another transfer` };
    case "abandoned":
      return { tone: "warn", text: `Stopped after ${after}: the caller hung up` };
    case "skipped":
      return { tone: "idle", text: `Did not ring${because}` };
    default:
      return { tone: "idle", text: ring.outcome };
  }
}

/** The call of a transfer may be drawn as long as this many times its ringing. */
const longestCall = 3;

/**
 * The time that the time line of a transfer shows: from its start to the end of its ringing as planned, and of its call,
 * unless that is much longer.
 */
export function spanOf(transfer: Transfer, plannedSecs: number, timers: readonly Timer[]): Span {
  const from = Date.parse(transfer.startedAt);
  const ends = transfer.rings.map(({ endsAt }) => Date.parse(endsAt));
  const ringsTo = Math.max(from + plannedSecs * 1000, ...ends, from + 1000);
  const callTo = callEndOf(transfer, timers) ?? ringsTo;
  const longest = from + (ringsTo - from) * longestCall;
  return { from, to: callTo <= longest ? Math.max(ringsTo, callTo) : ringsTo };
}

/** When the call of an answered transfer ended or will end. */
function callEndOf({ id, answeredAt, endedAt }: Transfer, timers: readonly Timer[]): number | undefined {
  if (answeredAt === undefined) return undefined;
  const end = endedAt ?? timers.find((timer) => timer.id === id && timer.kind === "transfer.call_ends")?.at;
  return end === undefined ? undefined : Date.parse(end);
}

/** The bars of a ring: its ringing, and the call of the one that answered. */
export function barsOf(transfer: Transfer, ring: Ring, words: Words, span: Span, timers: readonly Timer[]): Bar[] {
  if (ring.outcome === "skipped") return [];
  const [from, to] = [Date.parse(ring.startedAt), Date.parse(ring.endsAt)];
  const ringing: Bar = { from, to, tone: words.tone, label: words.text, isSaid: true };
  const { answeredAt, endedAt } = transfer;
  if (answeredAt === undefined || !isWinner(transfer, ring)) return [ringing];
  // A call without a known end leaves the time line.
  const endsAt = callEndOf(transfer, timers) ?? span.to + 1;
  const label =
    endedAt === undefined
      ? "In the call"
      : `In the call for ${between(answeredAt, endedAt)}, until ${timeOfDay(endedAt)}`;
  return [ringing, { from: Date.parse(answeredAt), to: endsAt, tone: "ok", label, isThin: true }];
}

const plans: Readonly<Record<string, Words>> = {
  "transfer.answers": { tone: "ok", text: "Will answer" },
  "transfer.declines": { tone: "warn", text: "Will decline" },
};

/** The moments of a ring: late answers, and the planned ones of its script. */
export function marksOf({ id }: Transfer, ring: Ring, ringIndex: number, timers: readonly Timer[]): Mark[] {
  const late = (ring.lateAnswers ?? []).map(
    ({ at, code }): Mark => ({
      at: Date.parse(at),
      tone: "bad",
      label: `Late answer at ${timeOfDay(at)}: ${code}`,
    }),
  );
  const planned = timers
    .filter((timer) => timer.id === id && timer.ringIndex === ringIndex)
    .flatMap(({ kind, at }): Mark[] => {
      const plan = plans[kind];
      return plan === undefined
        ? []
        : [{ at: Date.parse(at), tone: plan.tone, label: `${plan.text} at ${timeOfDay(at)}`, isPlanned: true }];
    });
  return [...late, ...planned];
}

/** The seconds for which a transfer may ring, as far as its target says. */
export function plannedSecs(totalTimeoutSecs: number | undefined, { rings, startedAt }: Transfer): number {
  const from = Date.parse(startedAt);
  const ringing = rings.map(({ endsAt }) => (Date.parse(endsAt) - from) / 1000);
  return totalTimeoutSecs ?? Math.max(30, ...ringing);
}

const reasons: Readonly<Record<string, string>> = { missed_calls: "after missed calls" };

/** Whether a member would ring now, in words, and why not. */
export function availabilityWords(member: Availability): Words & { readonly detail: string } {
  const { status, busy, insideHours, reason } = member;
  const detail = reason === null ? "" : (reasons[reason] ?? reason);
  if (busy) return { tone: "warn", text: "Busy", detail: "in a call" };
  if (status === "away") return { tone: "warn", text: "Away", detail };
  if (status === "offline") return { tone: "idle", text: "Offline", detail };
  if (!insideHours) return { tone: "idle", text: "Outside hours", detail: "" };
  return { tone: "ok", text: "Available", detail };
}

/** The body that answers or declines a ring. */
export function calleeOf({ memberId, destinationId }: Ring): Callee {
  return memberId === undefined ? { destinationId } : { memberId };
}

/** A call of the API, or a transfer without a call, as a row shows it. */
export interface CallRow {
  /** The id of the call, or of the transfer. */
  readonly id: string;
  readonly at: string;
  readonly to: string;
  readonly from: string;
  readonly words: Words;
  /** When it ends by itself, on the sandbox's clock; undefined if nothing will end it. */
  readonly endsAt: number | undefined;
  readonly call: StateRecord | undefined;
  readonly transfer: Transfer | undefined;
}

const callTones: Readonly<Record<string, Tone>> = {
  in_progress: "ok",
  queued: "info",
  failed: "bad",
  completed: "idle",
};

/** A value of the API as the beginning of a line, such as `In progress`. */
function inWords(value: unknown): string {
  const text = String(value).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Calls with their transfers, and transfers without a call, newest first. */
export function callRows(
  calls: readonly StateRecord[],
  transfers: readonly Transfer[],
  timers: readonly Timer[],
  nameOf: NameOf,
): readonly CallRow[] {
  const ofCalls = new Map(transfers.flatMap((one) => (one.callId === undefined ? [] : [[one.callId, one] as const])));
  const ends = new Map(timers.map((timer) => [`${timer.kind} ${timer.id}`, Date.parse(timer.at)]));
  const rowOfCall = (call: StateRecord): CallRow => {
    const { id, createdAt, status, direction, request } = call as Readonly<Record<string, unknown>>;
    const { toNumber, fromNumber } = Object(request) as Readonly<Record<string, unknown>>;
    return {
      id: String(id),
      at: String(createdAt),
      to: String(toNumber ?? inWords(direction)),
      from: String(fromNumber ?? ""),
      words: { tone: callTones[String(status)] ?? "idle", text: inWords(status) },
      endsAt: ends.get(`call.ends ${id}`),
      call,
      transfer: ofCalls.get(String(id)),
    };
  };
  const rowOfTransfer = (transfer: Transfer): CallRow => ({
    id: transfer.id,
    at: transfer.startedAt,
    to: targetName(transfer, nameOf),
    from: "",
    words: statusOf(transfer),
    endsAt: endOf(transfer) ?? ends.get(`transfer.call_ends ${transfer.id}`),
    call: undefined,
    transfer,
  });
  const ids = new Set(calls.map(({ id }) => id));
  const alone = transfers.filter(({ callId }) => callId === undefined || !ids.has(callId));
  return [...calls.map(rowOfCall), ...alone.map(rowOfTransfer)].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** When the ringing of a transfer ends at the latest. */
function endOf({ status, rings }: Transfer): number | undefined {
  if (status !== "ringing") return undefined;
  return Math.max(...rings.filter(({ outcome }) => outcome === "ringing").map(({ endsAt }) => Date.parse(endsAt)));
}

/** A record with a name, as the page needs it. */
export interface Named {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
}

/** The names behind the ids of a sandbox. */
export interface Directory {
  readonly destinations: readonly (Named & { readonly kind: string; readonly enabled?: boolean })[];
  readonly groups: readonly (Named & { readonly totalTimeoutSecs?: number })[];
  /** The name of a record, or the beginning of an id that has none. */
  readonly nameOf: NameOf;
}

const directoryCollections = ["accounts", "users", "members", "destinations", "groups"] as const;

/** A directory without records, for the time before it is read. */
export const emptyDirectory: Directory = { destinations: [], groups: [], nameOf: (id) => id.slice(0, 8) };

/** Reads the names of the sandbox's records, and again when one changes. */
export function useDirectory(): Live<Directory> {
  return useLive(
    readDirectory,
    ({ type, method }) => /^record\.changed$/.test(type) || (type === "request.completed" && method !== "GET"),
  );
}

async function readDirectory(control: Control): Promise<Directory> {
  const lists = await Promise.all(directoryCollections.map((collection) => control.records(collection)));
  const [accounts = [], users = [], members = [], destinations = [], groups = []] = lists;
  const names = new Map(
    [...accounts, ...users, ...destinations, ...groups].map(({ id, name }) => [String(id), String(name)]),
  );
  const nameOf = (id: string) => names.get(id) ?? id.slice(0, 8);
  for (const { id, userId } of members) names.set(String(id), nameOf(String(userId)));
  // The control plane checks the fields of records.
  return { destinations, groups, nameOf } as unknown as Directory;
}
