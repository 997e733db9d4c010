/** A member's hours as a week: windows of each day, and where they stand on a grid. */

/** The days of a week, as the contract writes them. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** A day of the week. */
export type Weekday = (typeof weekdays)[number];

/** A part of a day in which a member rings, such as 09:00 to 17:00. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** A member's hours; a day without windows has none. */
export type Hours = { readonly timeZone?: string } & { readonly [Day in Weekday]?: readonly Window[] };

const minutesOfDay = 24 * 60;
/** Drawn windows begin and end at multiples of this, in minutes. */
const stepMinutes = 15;

/** The minutes of a time of day such as `09:30`, up to `24:00`; undefined for another text. */
export function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(time) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  return total <= minutesOfDay ? total : undefined;
}

/** A time of day such as `09:30`, kept within 00:00 to 24:00. */
export function timeOf(minutes: number): string {
  const kept = Math.min(minutesOfDay, Math.max(0, minutes));
  return `${String(Math.floor(kept / 60)).padStart(2, "0")}:${String(kept % 60).padStart(2, "0")}`;
}

/** A window on the grid, in percent of the day. */
export interface WindowBar extends Window {
  /** Its place among the windows of its day. */
  readonly index: number;
  readonly start: number;
  readonly size: number;
}

/** The bars of a day. Windows whose times are not valid have none. */
export function barsOf(windows: readonly Window[] = []): readonly WindowBar[] {
  return windows.flatMap(({ from, to }, index) => {
    const start = minutesOf(from);
    const end = minutesOf(to);
    if (start === undefined || end === undefined || start >= end) return [];
    return [{ from, to, index, start: percent(start), size: percent(end - start) }];
  });
}

/** A part of a day in percent. */
export const percent = (minutes: number): number => (minutes / minutesOfDay) * 100;

/** The day and the minute in a time zone; undefined if the page does not have the zone. */
export function localTime(
  at: number,
  timeZone: string,
): { readonly day: Weekday; readonly minutes: number } | undefined {
  try {
    const parts = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "long",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }).formatToParts(at);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
    const day = weekdays.find((name) => name === part("weekday").toLowerCase());
    return day === undefined ? undefined : { day, minutes: Number(part("hour")) * 60 + Number(part("minute")) };
  } catch {
    return undefined;
  }
}

/** The window between two places of a day, given as fractions of it in any order, on full steps and at least one step long. */
export function windowBetween(a: number, b: number): Window {
  const steps = minutesOfDay / stepMinutes;
  const [first, last] = [a, b]
    .map((place) => Math.round(Math.min(1, Math.max(0, place)) * steps))
    .toSorted((x, y) => x - y);
  const from = Math.min(first ?? 0, steps - 1);
  return { from: timeOf(from * stepMinutes), to: timeOf(Math.max(last ?? 0, from + 1) * stepMinutes) };
}

/** Hours with one window replaced, or added if the day has none at that place. */
export function withWindow(hours: Hours, day: Weekday, index: number, window: Window): Hours {
  const windows = [...(hours[day] ?? [])];
  windows[index] = window;
  return { ...hours, [day]: windows };
}

/** Hours without a window. A day that loses its last one is left out. */
export function withoutWindow(hours: Hours, day: Weekday, index: number): Hours {
  const { [day]: windows = [], ...others } = hours;
  const left = windows.toSpliced(index, 1);
  return left.length === 0 ? others : { ...others, [day]: left };
}

/** Hours with the windows of one day on every working day. */
export function withWorkingDays(hours: Hours, day: Weekday): Hours {
  const windows = hours[day] ?? [];
  return { ...hours, ...Object.fromEntries(weekdays.slice(0, 5).map((name) => [name, windows])) };
}

/** What a week says in words, for screen readers and rows: `Mon 09:00–17:00`. */
export function describeDay(day: Weekday, windows: readonly Window[] = []): string {
  const name = shortDay(day);
  return windows.length === 0 ? `${name} none` : `${name} ${windows.map(({ from, to }) => `${from}–${to}`).join(", ")}`;
}

/** The first three letters of a day. */
export const shortDay = (day: Weekday): string => day.charAt(0).toUpperCase() + day.slice(1, 3);
