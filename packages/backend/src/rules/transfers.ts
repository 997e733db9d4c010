import type { ErrorCode } from "@call-transfer/spec";
import type { Policies } from "../model/policies.ts";
import type { DestinationRecord, GroupRecord, MemberRecord } from "../model/records.ts";
import type { State } from "../model/state.ts";
import type { RingRecord, TransferRecord } from "../model/transfer-record.ts";
import { isWithinHours } from "./hours.ts";
import { availabilityAt } from "./members.ts";

/** What a transfer rings, and for how long at most, in seconds. */
export interface RingTarget {
  readonly accountId: string;
  readonly members: GroupRecord["members"];
  readonly totalTimeoutSecs: number;
}

/** Who picks up, or hangs up: a destination, or a person. */
export interface Who {
  readonly destinationId?: string | undefined;
  readonly memberId?: string | undefined;
}

/**
 * Who rings from `now` on, in ring order, and who does not and why. All ring at once, each for its own time, cut to the
 * total's. A person rings once, at the first place that leads there.
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
      from: now,
      until: reason === undefined ? ends : now,
      outcome: reason === undefined ? "ringing" : "not_rung",
      ...(reason !== undefined && { reason }),
      late: [],
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
  if (!destination.enabled && !policies.disabledDestinationsRing) return "the destination is disabled";
  return undefined;
}

/** Why a person does not ring: busy, away, offline or outside their hours (§2.4, §3). */
function reasonNotToDisturb(member: MemberRecord, state: State, now: number): string | undefined {
  if (member.busy) return "the member is busy";
  const { status } = availabilityAt(member, now);
  if (status !== "available") return `the member is ${status}`;
  const timeZone = state.accounts.get(member.accountId)?.timeZone ?? "UTC";
  return isWithinHours(member.hours, now, timeZone) ? undefined : "the member is outside their hours";
}

/** The place in ring order of whoever picks up; undefined for somebody whom the transfer does not concern. */
export function placeOf(transfer: TransferRecord, who: Who): number | undefined {
  const place = transfer.rings.findIndex((ring) =>
    who.memberId === undefined ? ring.destinationId === who.destinationId : ring.memberId === who.memberId,
  );
  return place === -1 ? undefined : place;
}

/** The error that an answer at `now` gets; undefined while it is in time. At the very end it is too late. */
export function lateCode(transfer: TransferRecord, place: number, now: number): ErrorCode | undefined {
  if (transfer.answeredBy !== undefined) return transfer.answeredBy === place ? "offer_taken_self" : "offer_taken";
  const ring = transfer.rings[place];
  return ring?.outcome === "ringing" && now < ringsUntil(transfer, ring) ? undefined : "offer_expired";
}

/** When a ring ends at the latest: with the call, where that ends first. */
export function ringsUntil(
  { callEndsAt = Number.POSITIVE_INFINITY }: TransferRecord,
  ring: Pick<RingRecord, "outcome" | "until">,
): number {
  return ring.outcome === "ringing" ? Math.min(ring.until, callEndsAt) : ring.until;
}

/** Whether it rings or is connected. */
export function isUnderWay({ status }: TransferRecord): boolean {
  return status === "ringing" || status === "connected";
}

/** Of those who answered at the same instant, ring order decides. */
export function winnerOf(transfer: TransferRecord): number | undefined {
  const inTime = transfer.answers.filter((place) => transfer.rings[place]?.outcome === "ringing");
  return inTime.length === 0 ? undefined : Math.min(...inTime);
}

/** Whether somebody can still answer. */
export function isOpen(transfer: TransferRecord): boolean {
  return transfer.status === "ringing" && transfer.rings.some(({ outcome }) => outcome === "ringing");
}

/** The places that ring and have not answered. */
export function ringingPlaces({ rings, answers }: TransferRecord): number[] {
  return [...rings.keys()].filter((place) => rings[place]?.outcome === "ringing" && !answers.includes(place));
}

/** How a ring ends that nobody answered: with the caller gone, nobody missed anything. */
export function unansweredOutcome(transfer: TransferRecord, now: number): "missed" | "abandoned" {
  return transfer.callEndsAt !== undefined && transfer.callEndsAt <= now ? "abandoned" : "missed";
}

/** Counts an offer that a member missed; at the policy's limit the member turns away. */
export function countMissed(member: MemberRecord, policies: Policies, now: number): void {
  // Who turned away while it rang is away already, and for as long as they said.
  if (availabilityAt(member, now).status !== "available") return;
  member.missedCalls += 1;
  if (policies.missedCallLimit === 0 || member.missedCalls < policies.missedCallLimit) return;
  member.missedCalls = 0;
  member.availability = {
    status: "away",
    source: "auto",
    reason: "missed_calls",
    until: new Date(now + policies.missedCallsAwaySecs * 1000).toISOString(),
    updatedAt: new Date(now).toISOString(),
  };
}
