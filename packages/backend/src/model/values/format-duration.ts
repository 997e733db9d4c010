/** Units of time in milliseconds, the longest first, without seconds. */
export const longUnits = [
  [31_536_000_000, "y"],
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;

const roundedTo = (step: number, ms: number): number => Math.round(ms / step) * step;

/**
 * A duration in its largest unit and, if anything is left, the next one: `8 y 80 d`, `1 h 30 min`, `2.5 s`, `250 ms`. Of less
 * than an hour, also what is left of a second: `1 min 1.5 s`.
 *
 * @param duration Milliseconds; infinity is `forever`.
 */
export function formatDuration(duration: number): string {
  if (duration === Number.POSITIVE_INFINITY) return "forever";
  const ms = roundedTo(duration < 1000 ? 1 : 100, duration);
  const index = longUnits.findIndex(([size]) => ms >= size);
  const [size, unit] = longUnits[index] ?? [0, ""];
  if (size === 0) return ms > 0 && ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
  const [nextSize, nextUnit] = longUnits[index + 1] ?? [1000, "s"];
  const rest = nextUnit === "s" ? (ms % size) / 1000 : Math.floor((ms % size) / nextSize);
  const whole = `${Math.floor(ms / size)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${nextUnit}`;
}
