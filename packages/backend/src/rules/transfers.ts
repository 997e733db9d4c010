import type { ErrorCode } from "@call-transfer/spec";
import type { Policies } from "../model/policies.ts";
import type { DestinationRecord, GroupRecord, RingRecord, TransferRecord } from "../model/records.ts";
import type { State } from "../model/state.ts";
import { reasonNotToDisturb } from "./members.ts";

/** The destinations that a transfer rings, in ring order, with the longest ring time in seconds. */
export interface RingTarget {
  readonly accountId: string;
  readonly members: GroupRecord["members"];
  readonly totalTimeoutSecs: number;
}

/** One that a transfer rings: a destination, or a person behind one. */
export interface Callee {
  readonly destinationId?: string | undefined;
  readonly memberId?: string | undefined;
}

/**
 * The rings of a transfer that starts `now`, in ring order. Destinations and people that must stay silent are listed with the
 * reason. All others ring at once, each for its own time, cut to the total. A person rings once, for the first
 * destination that leads to them.
 */
export function planRings(state: State, policies: Policies, target: RingTarget, now: number): RingRecord[] {
  const rung = new Set<string>();
  return target.members.flatMap(({ destinationId, ringTimeoutSecs = target.totalTimeoutSecs }) => {
    const destination = state.destinations.get(destinationId);
    if (destination === undefined) return [];
    const ends = now + Math.min(ringTimeoutSecs, target.totalTimeoutSecs) * 1000;
    const ring = (reason: string | undefined, memberId?: string): RingRecord => ({
      destinationId,
      ...(memberId !== undefined && { memberId }),
      kind: destination.kind,
      startedAt: now,
      endsAt: reason === undefined ? ends : now,
      outcome: reason === undefined ? "ringing" : "skipped",
      ...(reason !== undefined && { reason }),
      lateAnswers: [],
    });
    const silent = reasonNotToRing(destination, policies);
    if (silent !== undefined || destination.kind !== "available_humans") return [ring(silent)];
    const people = [...state.members.values()].filter(
      ({ id, accountId }) => accountId === target.accountId && !rung.has(id),
    );
    for (const { id } of people) rung.add(id);
    return people.map((member) => ring(reasonNotToDisturb(member, state, now), member.id));
  });
}

function reasonNotToRing(destination: DestinationRecord, policies: Policies): string | undefined {
  if (!destination.enabled && !policies.ringDisabledDestinations) return "the destination is disabled";
  return undefined;
}

/** The index in `rings` of a callee, -1 for one outside the transfer. */
export function indexOfCallee({ rings }: TransferRecord, { destinationId, memberId }: Callee): number {
  return rings.findIndex((ring) =>
    memberId === undefined ? ring.destinationId === destinationId : ring.memberId === memberId,
  );
}

/** The error code of an answer that comes too late; undefined while the ring still rings. */
export function lateCode({ answeredRingIndex, rings }: TransferRecord, ringIndex: number): ErrorCode | undefined {
  if (answeredRingIndex !== undefined) return answeredRingIndex === ringIndex ? "offer_taken_self" : "offer_taken";
  return rings[ringIndex]?.outcome === "ringing" ? undefined : "offer_expired";
}

/** The latest end of a ring, in milliseconds. If the call ends first, the ring ends with it. */
export function ringsUntil(
  { callEndsAt = Number.POSITIVE_INFINITY }: TransferRecord,
  { endsAt }: Pick<RingRecord, "endsAt">,
): number {
  return Math.min(endsAt, callEndsAt);
}

/** Whether a transfer rings or is connected. */
export function isActive({ status }: TransferRecord): boolean {
  return status === "ringing" || status === "connected";
}

/**
 * The index of the ring that wins, -1 for none. Among answers of the same instant, ring order decides. An answer at
 * the very end of its ring is late, since the ring has ended by then.
 */
export function winnerOf({ rings, answers }: TransferRecord): number {
  return rings.findIndex(({ outcome }, ringIndex) => outcome === "ringing" && answers.includes(ringIndex));
}

/** Whether anything still rings. */
export function isOpen({ rings }: TransferRecord): boolean {
  return rings.some(({ outcome }) => outcome === "ringing");
}

/** The indexes of the rings that have not been answered yet. */
export function indexesStillRinging({ rings, answers }: TransferRecord): number[] {
  return rings.flatMap(({ outcome }, ringIndex) =>
    outcome === "ringing" && !answers.includes(ringIndex) ? [ringIndex] : [],
  );
}

/** How an unanswered ring ends: `abandoned` if the caller has hung up by then, otherwise `missed`. */
export function unansweredOutcome(
  { callEndsAt = Number.POSITIVE_INFINITY }: TransferRecord,
  now: number,
): "missed" | "abandoned" {
  return callEndsAt <= now ? "abandoned" : "missed";
}
