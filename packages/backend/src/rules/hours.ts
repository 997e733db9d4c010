import type { Hours } from "../model/hours.ts";
import { localTime } from "../model/time-zone.ts";

/** Whether a time in milliseconds is within the hours; without hours it always is (§3.3). */
export function isWithinHours(hours: Hours | undefined, at: number, accountTimeZone: string): boolean {
  if (hours === undefined) return true;
  const { weekday, time } = localTime(at, hours.timeZone ?? accountTimeZone);
  const intervals = Object.entries(hours).flatMap(([name, of]) => (name === weekday && Array.isArray(of) ? of : []));
  // Times of day of two digits each compare as texts.
  return intervals.some(({ from, to }) => from <= time && time < to);
}
