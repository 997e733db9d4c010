import { type ControlClient, dataOf } from "@call-transfer/backend/control-client";
import { durationOf, isTime, UsageError } from "./command-line.ts";

/** Parses `--since`: a duration before now on the sandbox's clock, a date-time, or the id of an event. Throws UsageError. */
export async function readSince(
  control: ControlClient,
  since: string,
): Promise<{ readonly time: number } | { readonly eventId: string }> {
  const duration = durationOf(since);
  if (duration !== undefined) return { time: (await readNow(control)) - duration };
  if (isTime(since)) return { time: Date.parse(since) };
  if (/^[0-9a-f]{8}-\d+$/.test(since)) return { eventId: since };
  throw new UsageError(
    `--since ${since}: must be a duration such as 10m, a time such as 2026-03-02T12:00:00Z, or the eventId of an event.`,
  );
}

/** Reads the time of the sandbox's clock, in milliseconds. */
export async function readNow(control: ControlClient): Promise<number> {
  return Date.parse(dataOf(await control.GET("/_control/v1/clock")).now);
}
