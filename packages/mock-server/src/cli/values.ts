// Readers of texts from the command line and the environment.
import { readFileSync } from "node:fs";
import { suggestion as closest } from "@call-transfer/backend/control-client";
import { hasCredentials, isHttp } from "../net/urls.ts";

/** A wrong command line; the process ends with status 2. */
export class UsageError extends Error {}

/** Turns a text into a value. `place` is how messages name the option. Throws UsageError that says what it must be. */
export type Read<Value> = (place: string, text: string) => Value;

/** " Did you mean …?" with the closest candidate, at most two letters from a mistyped word; empty without one. */
export function suggestion(word: string, candidates: readonly string[]): string {
  // Two other letters make a short word another word.
  const most = Math.min(2, Math.floor(word.replace(/^-+/, "").length / 2));
  return closest(word, candidates, () => most);
}

/** An error for a word that is none of the possible ones, with the closest. */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown ${what} "${word}".${suggestion(word, known)} Possible: ${known.join(", ")}.`);
}

/** Reads one of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Read<Word> {
  return (place, text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new UsageError(`${place} ${text}: must be one of ${words.join(", ")}.${suggestion(text, words)}`);
  };
}

/** Reads a whole number. */
export function integer(least: number, most: number): Read<number> {
  return (place, text) => {
    if (/^\d+$/.test(text) && Number(text) <= most && Number(text) >= least) return Number(text);
    throw new UsageError(`${place} ${text}: must be a whole number from ${least} to ${most}.`);
  };
}

const highestRate = 10_000;

/** Reads how many seconds pass in one second of real time. */
export const readRate: Read<number> = (place, text) => {
  const rate = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && rate > 0 && rate <= highestRate) return rate;
  throw new UsageError(`${place} ${text}: must be a number above 0 and up to ${highestRate}, such as 60.`);
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** Reads a duration in milliseconds. `most` is its longest one, as a text. */
export function duration(example: string, most?: string, least = 1): Read<number> {
  const limit = most === undefined ? "" : `, at most ${most}`;
  return (place, text) => {
    const ms = durationOf(text);
    if (ms !== undefined && ms >= least && (most === undefined || ms <= (durationOf(most) ?? 0))) return ms;
    throw new UsageError(
      `${place} ${text}: must be a duration${least > 0 ? " above 0" : ""}, such as ${example}${limit}.`,
    );
  };
}

/** Reads how long a token is valid, in seconds. */
export const readLifetime: Read<number> = (place, text) => duration("30m, 24h or 365d", "36500d")(place, text) / 1000;

const timeForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Whether a text is an RFC 3339 date-time on a day that exists. */
export function isTime(text: string): boolean {
  const [, day] = timeForm.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  // Some engines read 30 February as 2 March.
  return new Date(day).toISOString().startsWith(day);
}

/** Reads an RFC 3339 date-time. */
export const readTime: Read<string> = (place, text) => {
  if (isTime(text)) return text;
  throw new UsageError(`${place} ${text}: must be an RFC 3339 date-time, such as 2026-03-02T12:00:00Z.`);
};

/** Reads an http or https URL. No message repeats a password. */
export const readUrl: Read<string> = (place, text) => {
  if (URL.canParse(text) && hasCredentials(new URL(text)))
    throw new UsageError(`${place}: the URL must not contain a user name or password. Remove them.`);
  if (isHttp(text)) return text;
  throw new UsageError(`${place} ${text}: must be an http or https URL, such as http://127.0.0.1:4011.`);
};

/** Reads NAME=VALUE. A value is JSON, or else a text. */
export const readAssignment: Read<readonly [name: string, value: unknown]> = (place, text) => {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && value !== "") return [name, jsonOrText(value)];
  throw new UsageError(`${place} ${text}: must be NAME=VALUE, such as concurrentCallLimit=2.`);
};

/** Reads a header. No message repeats it, because it may be a secret. */
export const readHeader: Read<readonly [name: string, value: string]> = (place, text) => {
  const [, name, value] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name.trim(), value.trim()];
  throw new UsageError(`${place}: must be NAME: VALUE, such as "Authorization: Bearer abc".`);
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads JSON; any other text stands for itself. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a text is an object or a list as JSON, and not the name of a file. */
export function isJson(text: string): boolean {
  return /^\s*(?:\{|\[\s*[[{"\]])/.test(text);
}

/** Why a file could not be read, and what to do. */
function unreadable(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "file not found. Check the path.",
    ERR_ENCODING_INVALID_ENCODED_DATA: "is not text in UTF-8. Save it in UTF-8.",
    EISDIR: "is a folder. Name a file. Docker creates an empty folder where a mounted file does not exist on the host.",
    EACCES: `user ${process.getuid?.() ?? "of this process"} has no permission to read it. Allow it with chmod or chown.`,
  };
  return reasons[code] ?? message;
}

/** Reads a text file. Throws UsageError. */
export function readText(place: string, path: string): string {
  try {
    // Without the byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new UsageError(`${place} ${path}: ${unreadable(error)}`);
  }
}

/** Reads a JSON file, whose path `place` gets in messages. */
export const readJson: Read<unknown> = (place, path) => parsedJson(`${place} ${path}`, readText(place, path));

/** Reads JSON, or the file of this name. Returns how messages about the content begin, too. */
export function readJsonOrFile(place: string, text: string): { readonly content: unknown; readonly place: string } {
  if (isJson(text)) return { content: parsedJson(place, text), place };
  return { content: readJson(place, text), place: `${place} ${text}` };
}

function parsedJson(place: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const reason = message === "Unexpected end of JSON input" ? "it ends too early, or is empty." : message;
    throw new UsageError(`${place}: not valid JSON: ${reason}`);
  }
}
