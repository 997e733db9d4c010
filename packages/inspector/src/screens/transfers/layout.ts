import type { Schema } from "@call-transfer/backend/control-client";
import type { Directory } from "../../data/records/directory.ts";
import { duration, timeOfDay } from "../../data/values/format.ts";
import type { Tone } from "../../parts/data.tsx";
import type { Bar, Mark, Span } from "../../parts/timeline.tsx";

/** A transfer as the control plane shows it. */
export type Transfer = Schema<"Transfer">;
/** The ringing of one destination, or of one member behind it. */
export type Ring = Schema<"Ring">;
/** A timer of the sandbox's clock. */
export type Timer = Schema<"UpcomingTimer">;
/** Names by their ids. */
export type NameOf = (id: string) => string;

/** A text with its tone. */
export interface Words {
  readonly tone: Tone;
  readonly text: string;
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

/** The name of what a transfer rings. */
export function targetName({ groupId, destinationId }: Transfer, nameOf: NameOf): string {
  return nameOf(groupId ?? destinationId ?? "");
}

/** The name of a ring: of the member, otherwise of the destination. */
export function ringName({ memberId, destinationId }: Ring, nameOf: NameOf): string {
  return nameOf(memberId ?? destinationId);
}

const kinds: Readonly<Record<string, string>> = { phone: "Phone", app: "App", available_humans: "Available members" };

/** What rings: a kind of destination, or the destination that leads to a member. */
export function ringKind({ memberId, destinationId, kind }: Ring, nameOf: NameOf): string {
  return memberId === undefined ? (kinds[kind] ?? kind) : nameOf(destinationId);
}

/** The name of who answered; undefined if no one did. */
export function answererOf({ answeredBy }: Transfer, nameOf: NameOf): string | undefined {
  return answeredBy === undefined ? undefined : nameOf(answeredBy.memberId ?? answeredBy.destinationId);
}

/** Whether a ring is the one that won. */
export function isWinner({ answeredBy }: Transfer, { destinationId, memberId }: Ring): boolean {
  return answeredBy?.destinationId === destinationId && answeredBy.memberId === memberId;
}

/** What became of a transfer, in a few words. */
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

/** The moments of a ring: late answers, and what its script will do. */
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
export function availabilityWords(member: Schema<"Availability">): Words & { readonly detail: string } {
  const { status, busy, insideHours, reason } = member;
  const detail = reason === null ? "" : (reasons[reason] ?? reason);
  if (busy) return { tone: "warn", text: "Busy", detail: "in a call" };
  if (status === "away") return { tone: "warn", text: "Away", detail };
  if (status === "offline") return { tone: "idle", text: "Offline", detail };
  if (!insideHours) return { tone: "idle", text: "Outside hours", detail: "" };
  return { tone: "ok", text: "Available", detail };
}

/** How a phone or a member behaves in a transfer that is started here. */
export interface Behaviour {
  readonly does: "nothing" | "answers" | "declines";
  readonly afterSecs: string;
}

/** What a phone or a member does until the user says something else. */
export const noBehaviour: Behaviour = { does: "nothing", afterSecs: "5" };

/** What rings with a script: a phone, or a member. */
export interface Callee {
  /** The body's field and its id. */
  readonly callee: { readonly destinationId: string } | { readonly memberId: string };
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** The script of a transfer: an entry for each that answers or declines. */
export function scriptOf(
  callees: readonly Callee[],
  behaviours: Readonly<Record<string, Behaviour>>,
): Schema<"ScriptEntry">[] {
  return callees.flatMap(({ callee, id }) => {
    const { does, afterSecs } = behaviours[id] ?? noBehaviour;
    const seconds = Number(afterSecs);
    if (does === "nothing") return [];
    return [{ ...callee, ...(does === "answers" ? { answerAfterSecs: seconds } : { declineAfterSecs: seconds }) }];
  });
}

/** What a group or a destination rings, in ring order: phones, apps and members. */
export function calleesOf(directory: Directory, targetId: string): readonly Callee[] {
  const group = directory.groups.find(({ id }) => id === targetId);
  const ids = group === undefined ? [targetId] : group.members.map(({ destinationId }) => destinationId);
  const rung = new Set<string>();
  return ids.flatMap((destinationId): Callee[] => {
    const destination = directory.destinations.find(({ id }) => id === destinationId);
    if (destination === undefined) return [];
    const { id, name, kind, accountId } = destination;
    if (kind !== "available_humans") return [{ callee: { destinationId: id }, id, name, kind }];
    const members = directory.members.filter((member) => member.accountId === accountId && !rung.has(member.id));
    for (const member of members) rung.add(member.id);
    return members.map((member) => ({ callee: { memberId: member.id }, id: member.id, name: member.name, kind: name }));
  });
}

/** The kind of a callee in words; of a member the destination behind it. */
export const calleeKind = ({ kind }: Callee): string => kinds[kind] ?? kind;
