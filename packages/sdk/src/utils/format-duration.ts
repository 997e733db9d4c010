/** Units of time in seconds, the longest first. */
const units = [
  [31_536_000, "y"],
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/**
 * A duration in its largest unit and, if anything is left, the next one: `8 y 80 d`, `1 h 30 min`, `2.5 s`, `250 ms`. Of less
 * than an hour, also what is left of a second.
 *
 * @param duration Seconds; infinity is `forever`.
 */
export function formatDuration(duration: number): string {
  if (duration === Number.POSITIVE_INFINITY) return "forever";
  const ms = Math.round(duration * 1000);
  if (ms > 0 && ms < 1000) return `${ms} ms`;
  const tenths = Math.round(ms / 100);
  const index = units.findIndex(([size]) => tenths >= size * 10);
  const [size, unit] = units[index] ?? [1, "s"];
  const [nextSize, nextUnit] = units[index + 1] ?? [0, ""];
  if (nextSize === 0) return `${tenths / 10} s`;
  const left = tenths % (size * 10);
  const rest = nextUnit === "s" ? left / 10 : Math.floor(left / (nextSize * 10));
  return `${Math.floor(tenths / (size * 10))} ${unit}${rest === 0 ? "" : ` ${rest} ${nextUnit}`}`;
}
