import { z } from "zod";
import { latestTime, parseTime } from "../model/clock.ts";
import { under } from "../model/input-error.ts";

const explanation = "must be a datetime such as 2026-03-02T12:00:00Z, or a distance from the clock such as +1h or -30m";
const relativeForm = /^([+-]\d+)([smhd])$/;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time of a seed: an ISO 8601 timestamp, or a distance from the clock's time at which the seed is loaded, such as `+1h` or
 * `-30m` (units s, m, h and d).
 */
export const seedTime = z
  .union([
    z.iso
      .datetime({ offset: true, error: explanation })
      .refine((text) => Date.parse(text) <= latestTime, "is not a time before the year 9999"),
    z.string().regex(relativeForm, explanation),
  ])
  .describe("A datetime, or a distance from the clock's time as the seed is loaded, such as +1h or -30m.");

/** The fields of records that hold a {@link seedTime}. */
const timeFields: ReadonlySet<string> = new Set([
  "createdAt",
  "expiresAt",
  "previousSecretExpiresAt",
  "startedAt",
  "until",
  "updatedAt",
]);

/**
 * Replaces the relative times of a checked seed by those that they mean at `now`, in milliseconds. Throws InputError that
 * names the field of one that is too far away.
 */
export function resolveTimes(seed: Readonly<Record<string, readonly object[] | undefined>>, now: number): void {
  for (const [collection, records] of Object.entries(seed))
    for (const [index, record] of (records ?? []).entries())
      under(`${collection}[${index}]`, () => {
        resolve(record, now);
        if ("availability" in record) under("availability", () => resolve(Object(record.availability), now));
      });
}

function resolve(record: object, now: number): void {
  for (const [field, value] of Object.entries(record)) {
    const [, amount, unit = ""] = (timeFields.has(field) && relativeForm.exec(String(value))) || [];
    if (amount === undefined) continue;
    const at = parseTime(field, now + Number(amount) * (unitMs[unit] ?? 0));
    // Written as a person would: without milliseconds where there are none.
    Reflect.set(record, field, new Date(at).toISOString().replace(".000Z", "Z"));
  }
}
