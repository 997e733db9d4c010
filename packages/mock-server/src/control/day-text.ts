const dayMs = 86_400_000;

/**
 * The UTC day of a time of a sandbox's clock, such as `2026-03-02`, for the log and the inspector; empty for today. Both times
 * are milliseconds since the epoch; `today` is real time.
 */
export function dayText(at: number, today: number = Date.now()): string {
  if (Math.floor(at / dayMs) === Math.floor(today / dayMs) || Number.isNaN(at)) return "";
  return new Date(at).toISOString().replace(/T.*$/, "");
}
