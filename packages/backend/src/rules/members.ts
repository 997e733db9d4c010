import type { MemberAvailability } from "@call-transfer/spec";
import { type Hours, localTime, weekdays } from "../model/hours.ts";
import type { Policies } from "../model/policies.ts";
import type { MemberRecord } from "../model/records.ts";
import type { State } from "../model/state.ts";

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

/** Why a member does not ring: busy, away, offline or outside their hours (§2.4, §3). */
export function reasonNotToDisturb(
  member: MemberRecord,
  state: Pick<State, "accounts">,
  now: number,
): string | undefined {
  if (member.busy) return "the member is busy";
  const { status } = availabilityAt(member, now);
  if (status !== "available") return `the member is ${status}`;
  return isWithinHours(member.hours, now, accountTimeZone(member, state))
    ? undefined
    : "the member is outside their hours";
}

/** The time zone of a member's account; UTC without one. */
export function accountTimeZone({ accountId }: MemberRecord, { accounts }: Pick<State, "accounts">): string {
  return accounts.get(accountId)?.timeZone ?? "UTC";
}

/**
 * The member after a missed offer; undefined if it does not count. At the policy's limit the member becomes away, and
 * the count begins again.
 */
export function countMissed(member: MemberRecord, policies: Policies, now: number): MemberRecord | undefined {
  // A member who went away while it rang keeps the end that they set.
  if (availabilityAt(member, now).status !== "available") return undefined;
  const missedCalls = member.missedCalls + 1;
  if (policies.missedCallLimit === 0 || missedCalls < policies.missedCallLimit) return { ...member, missedCalls };
  const availability: MemberRecord["availability"] = {
    status: "away",
    source: "auto",
    reason: "missed_calls",
    until: new Date(now + policies.awayAfterMissedCallsSecs * 1000).toISOString(),
    updatedAt: new Date(now).toISOString(),
  };
  return { ...member, missedCalls: 0, availability };
}
