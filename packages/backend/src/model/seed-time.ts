import * as z from "zod";
import { withPathPrefix } from "../utils/input-error.ts";
import { omitUndefined } from "../utils/values.ts";
import { latestTime, parseTime } from "./clock.ts";

const explanation = "must be a datetime such as 2026-03-02T12:00:00Z, or a distance from the clock such as +1h or -30m";
const relativeForm = /^([+-]\d+)([smhd])$/;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time in a seed: an ISO 8601 timestamp, or a distance from the clock's time when the seed is loaded, such as `+1h` or
 * `-30m` (units s, m, h and d).
 */
export const seedTime = z
  .union([
    z.iso
      .datetime({ offset: true, error: explanation })
      .refine((text) => Date.parse(text) <= latestTime, "is not a time before the year 9999"),
    z.string().regex(relativeForm, explanation),
  ])
  .describe("A datetime, or a distance from the clock's present time, such as +1h or -30m.");

/** The fields of records that a seed gives as a {@link seedTime}. */
const timeFields: ReadonlySet<string> = new Set([
  "createdAt",
  "expiresAt",
  "previousSecretExpiresAt",
  "startedAt",
  "until",
  "updatedAt",
]);

/** A copy of a record with its times as text, without undefined fields. */
export function withTimeTexts(record: object): Record<string, unknown> {
  const entries = Object.entries(omitUndefined(record)).map(([field, value]): [string, unknown] =>
    timeFields.has(field) && typeof value === "number" ? [field, new Date(value).toISOString()] : [field, value],
  );
  return Object.fromEntries(entries);
}

/**
 * Replaces the times of a checked seed by timestamps in UTC; relative times count from `now`, in milliseconds. Throws
 * InputError that names the field of a time that is too far away.
 */
export function resolveTimes(seed: Readonly<Record<string, readonly object[] | undefined>>, now: number): void {
  for (const [collection, records] of Object.entries(seed))
    for (const [index, record] of (records ?? []).entries())
      withPathPrefix(`${collection}[${index}]`, () => {
        resolve(record, now);
        if ("availability" in record) withPathPrefix("availability", () => resolve(Object(record.availability), now));
      });
}

function resolve(record: object, now: number): void {
  for (const [field, value] of Object.entries(record))
    if (timeFields.has(field) && typeof value === "string") Reflect.set(record, field, inUtc(field, value, now));
}

/** A timestamp in UTC. One that is in UTC already stays as it was written. */
function inUtc(field: string, time: string, now: number): string {
  const [, amount, unit = ""] = relativeForm.exec(time) ?? [];
  if (amount === undefined) return time.endsWith("Z") ? time : new Date(time).toISOString();
  const at = parseTime(field, now + Number(amount) * (unitMs[unit] ?? 0));
  // As a person would write it: without milliseconds where they are zero.
  return new Date(at).toISOString().replace(".000Z", "Z");
}
