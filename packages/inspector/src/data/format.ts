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

/** The message of anything thrown. `fetch` throws a TypeError without an answer; other errors say what is wrong. */
export function messageIn(error: unknown): string {
  if (error instanceof TypeError) return `The server could not be reached. ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** A part of an address without its escapes, or as it is if one is invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The value of a JSON text, or the text itself, which no JSON text is equal to. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A random UUID. `crypto.randomUUID` needs HTTPS or this machine, and a page may be on neither. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab".charAt((bytes[8] ?? 0) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `90s`, `1h 30m` or `2d`; undefined for another text. Without a unit it is seconds. */
export function parseDuration(text: string): number | undefined {
  const words = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(words)) return Number(words) * 1000;
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)\s*)+$/.test(words)) return undefined;
  const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
}

/** Whether a text contains each word of a filter; a word after a minus must not be in it. */
export function matchesWords(text: string, filter: string): boolean {
  const all = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-")
    .every((word) => (word.startsWith("-") ? !all.includes(word.slice(1)) : all.includes(word)));
}

/** Saves a text as a file of the user's downloads. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Runs a task when asked, at most once at a time and then not before `pauseMs` later. Asking while it runs makes it run
 * once more.
 */
export function throttled(pauseMs: number, task: () => Promise<void>): () => void {
  let isBusy = false;
  let isAsked = false;
  const run = async () => {
    isBusy = true;
    while (isAsked) {
      isAsked = false;
      await task().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}

/** A field of a record that differs between two versions. */
export interface FieldChange {
  /** Its path, such as `availability.status`. */
  readonly field: string;
  /** The value as text; absent if the field was added. */
  readonly before?: string;
  /** The value as text; absent if the field was removed. */
  readonly after?: string;
}

/** The fields in which two versions of a record differ, by their paths. Without one version, all fields of the other. */
export function changedFields(before: unknown, after: unknown): readonly FieldChange[] {
  const [old, next] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), next.get(field)];
    return from === to
      ? []
      : [{ field, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) }];
  });
}

/** The values of a record by path. Lists count as one value. */
function flat(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (value === undefined) return into;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    into.set(path, typeof value === "string" ? value : JSON.stringify(value));
    return into;
  }
  for (const [name, inner] of Object.entries(value)) flat(inner, path === "" ? name : `${path}.${name}`, into);
  return into;
}
