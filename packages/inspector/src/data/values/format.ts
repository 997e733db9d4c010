/** Formats for times, durations and texts. Times are shown in UTC, as in the log and as the API writes them. */

const pad = (number: number, length = 2) => String(number).padStart(length, "0");

/** A time of day, such as `09:14:05`, with milliseconds on request. */
export function timeOfDay(at: string | number, withMilliseconds = false): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const text = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
  return withMilliseconds ? `${text}.${pad(date.getUTCMilliseconds(), 3)}` : text;
}

/** A day, such as `2026-03-01`. */
export function day(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().slice(0, 10);
}

/** A duration in at most two units, such as `1 m 5 s` or `2 d 3 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** A time seen from another one, such as `in 5 s` or `2 m ago`. */
export function relative(at: string | number, now: number): string {
  const ms = new Date(at).getTime() - now;
  if (Number.isNaN(ms)) return "";
  if (Math.abs(ms) < 500) return "now";
  return ms > 0 ? `in ${duration(ms)}` : `${duration(ms)} ago`;
}

/** Milliseconds of real time, such as `0.4 ms` or `120 ms`. */
export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The message of anything thrown. */
export const messageIn = (error: unknown): string => (error instanceof Error ? error.message : String(error));
