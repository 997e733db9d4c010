import type { MemberAvailability } from "@call-transfer/spec";
import { type Hours, localTime, weekdays } from "../model/hours.ts";
import type { MemberRecord } from "../model/records.ts";

/** Whether a time in milliseconds is within the hours. Without hours, every time is (§3.3). */
export function isWithinHours(hours: Hours | undefined, at: number, accountTimeZone: string): boolean {
  if (hours === undefined) return true;
  const { weekday, time } = localTime(at, hours.timeZone ?? accountTimeZone);
  const day = weekdays.find((name) => name === weekday);
  const intervals = day === undefined ? [] : (hours[day] ?? []);
  // Times such as 09:00 compare correctly as text.
  return intervals.some(({ from, to }) => from <= time && time < to);
}

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
