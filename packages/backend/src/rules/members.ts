import type { MemberAvailability } from "@call-transfer/spec";
import type { MemberRecord } from "../model/records.ts";

/** A member's availability at `now`, in milliseconds (§3). From `until` on, the member is available. */
export function availabilityAt(member: MemberRecord, now: number): MemberAvailability {
  const { status, source = null, reason = null, until = null, updatedAt = null } = member.availability;
  const identity = { memberId: member.id, userId: member.userId };
  const isOver = until !== null && Date.parse(until) <= now;
  if (status === "available" || isOver) {
    const setBy = isOver ? null : source;
    return {
      ...identity,
      status: "available",
      busy: member.busy,
      source: setBy,
      reason: null,
      until: null,
      updatedAt: null,
    };
  }
  return { ...identity, status, busy: member.busy, source, reason, until, updatedAt };
}
