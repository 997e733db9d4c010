/** Milliseconds between two lines of a cause. */
const pauseMs = 60_000;

/** Limit of causes that are printed within that time. */
const maxCauses = 100;

/** By cause, when its last line was printed, and how many were left out since. */
export type PrintedCauses = Map<string, { readonly at: number; left: number }>;

/**
 * Decides whether to print a line: once a cause and a minute. Returns what to add to the line, or undefined to leave it out.
 * `now` is in milliseconds since any fixed moment.
 */
export function onceAMinute(printed: PrintedCauses, cause: string, now: number): string | undefined {
  const last = printed.get(cause);
  for (const [one, { at }] of printed) if (Math.abs(now - at) >= pauseMs) printed.delete(one);
  if (printed.has(cause) || printed.size >= maxCauses) {
    if (last) last.left += 1;
    return undefined;
  }
  printed.set(cause, { at: now, left: 0 });
  return last?.left ? ` (and ${last.left} more)` : "";
}
