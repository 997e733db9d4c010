import * as z from "zod";
import type { DeepReadonly } from "../values/deep-readonly.ts";
import { isTimeZone } from "./time-zone.ts";

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
