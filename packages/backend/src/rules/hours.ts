import type { Hours } from "../model/hours.ts";
import { localTime } from "../model/time-zone.ts";

/** Whether a time in milliseconds is within the hours. Without hours, every time is (§3.3). */
export function isWithinHours(hours: Hours | undefined, at: number, accountTimeZone: string): boolean {
  if (hours === undefined) return true;
  const { weekday, time } = localTime(at, hours.timeZone ?? accountTimeZone);
  const intervals = Object.entries(hours).flatMap(([name, of]) => (name === weekday && Array.isArray(of) ? of : []));
  // Times such as 09:00 compare correctly as text.
  return intervals.some(({ from, to }) => from <= time && time < to);
}
