// Formatters are costly to make and have no state of their own.
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

/** The hour of the day, 0 to 23, that a clock in the time zone shows at a time in milliseconds. */
export function localHour(at: number, timeZone: string): number {
  return Number(formatter(timeZone).format(at));
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat("en-US", { timeZone, hour: "2-digit", hourCycle: "h23" });
  formatters.set(timeZone, created);
  return created;
}
