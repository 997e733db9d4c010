import * as z from "zod";
import type { DeepReadonly } from "../utils/values.ts";

// Formatters are stateless and costly to create.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether the runtime knows an IANA time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name);
    return true;
  } catch {
    return false;
  }
}

/** The local hour in a time zone, 0 to 23, at a time in milliseconds. */
export function localHour(at: number, timeZone: string): number {
  return Number(localTime(at, timeZone).time.slice(0, 2));
}

/** The days of the week, in order. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** The local weekday, such as `monday`, and time of day, such as `09:30`, in a time zone, at a time in milliseconds. */
export function localTime(at: number, timeZone: string): { readonly weekday: string; readonly time: string } {
  const text = formatter(timeZone).format(at).toLowerCase();
  // Runtimes differ in the separator of the two.
  return { weekday: /^[a-z]+/.exec(text)?.[0] ?? "", time: /\d\d:\d\d/.exec(text)?.[0] ?? "" };
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const options = { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const created = new Intl.DateTimeFormat("en-US", { timeZone, ...options });
  formatters.set(timeZone, created);
  return created;
}

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, "must be a time of day, 00:00 to 24:00");
const interval = z
  .strictObject({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "must be later than from" });
const day = z.array(interval).exactOptional();

/**
 * A member's available hours: the intervals of each weekday in which the member rings, `from` inclusive, `to` exclusive.
 * An absent weekday has none. `timeZone` is an IANA name, by default the account's.
 */
export const hoursSchema = z.strictObject({
  timeZone: z.string().refine(isTimeZone, "must be an IANA time zone").exactOptional(),
  monday: day,
  tuesday: day,
  wednesday: day,
  thursday: day,
  friday: day,
  saturday: day,
  sunday: day,
});

/** A member's schedule of available hours. */
export type Hours = DeepReadonly<z.output<typeof hoursSchema>>;
