import type { MemberAvailability } from "@call-transfer/spec";
import type { HoursWindow } from "../generated/models.gen.ts";
import { type Hours, localTime } from "../model/hours.ts";
import type { MemberRecord } from "../model/records.ts";

/** Whether a time in milliseconds is within the hours. Without hours, every time is (§3.3). */
export function isWithinHours(hours: Hours | undefined, at: number, accountTimeZone: string): boolean {
  return hours === undefined || presentHours(hours, at, accountTimeZone) !== undefined;
}

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** The interval that a time is in, or else the next one. Neither without hours. */
export function hoursAround(
  hours: Hours | undefined,
  at: number,
  accountTimeZone: string,
): { window?: HoursWindow; nextWindow?: HoursWindow } {
  if (hours === undefined) return {};
  const window = presentHours(hours, at, accountTimeZone);
  if (window !== undefined) return { window };
  const { weekday, time } = localTime(at, hours.timeZone ?? accountTimeZone);
  const today = (weekdays as readonly string[]).indexOf(weekday);
  // Today comes twice: what was earlier today comes again in a week.
  const week = [...weekdays.slice(today), ...weekdays];
  const nextWindow = week
    .flatMap((day, index) => intervalsOf(hours, day).filter(({ from }) => index > 0 || from > time))
    .at(0);
  return nextWindow === undefined ? {} : { nextWindow };
}

function presentHours(hours: Hours, at: number, accountTimeZone: string): HoursWindow | undefined {
  const { weekday, time } = localTime(at, hours.timeZone ?? accountTimeZone);
  // Times such as 09:00 compare correctly as text.
  return intervalsOf(hours, weekday).find(({ from, to }) => from <= time && time < to);
}

/** The intervals of a weekday, earliest first. */
function intervalsOf(hours: Hours, weekday: string): HoursWindow[] {
  const day = weekdays.find((name) => name === weekday);
  const intervals = day === undefined ? [] : (hours[day] ?? []);
  return intervals.map(({ from, to }) => ({ weekday, from, to })).sort((a, b) => a.from.localeCompare(b.from));
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
