import { readFileSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { suggestion as closest } from "@call-transfer/backend/control-client";
import { isOriginPattern, originAdvice } from "../../net/origins.ts";
import { hasCredentials, isHttp } from "../../net/urls.ts";
import { controlTokenForm, isControlToken } from "../../web/token-form.ts";
import { commandLine } from "../terminal/program.ts";

/** A wrong command line; the process ends with status 2. */
export class UsageError extends Error {}

/** Parses a command's arguments. Throws UsageError that names the wrong one and says how to fix it. */
export function readArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  help = "--help --all",
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(describeMistake(args, options, commandLine(help)) ?? String(error));
  }
}

/** Replaces the message of Node's parser, which speaks of `--` and positional arguments. */
function describeMistake(args: readonly string[], options: ParseArgsOptionsConfig, help: string): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined && /^(no-)?colou?r$/.test(name))
      return `Unknown option ${rawName}. Set the variable NO_COLOR=1 or FORCE_COLOR=1.`;
    if (type === undefined)
      return `Unknown option ${rawName}.${suggestion(
        rawName,
        Object.keys(options).map((option) => `--${option}`),
      )} For all options: ${help}`;
    if (type === "boolean" && value !== undefined) return `${rawName} does not take a value. Write ${rawName} alone.`;
    if (type === "string" && value === undefined) return `${rawName} requires a value. See ${help}`;
    if (type === "string" && value?.startsWith("-") && !token.inlineValue)
      return `${rawName} requires a value. To pass ${value} as the value, write ${rawName}=${value}`;
  }
  return undefined;
}

/** " Did you mean …?" with the closest candidate, at most two letters from a mistyped word; empty without one. */
export function suggestion(word: string, candidates: readonly string[]): string {
  return closest(word, candidates, () => 2);
}

/** Why a file could not be read, and what to do. */
export function unreadable(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "file not found. Check the path.",
    EISDIR: "is a folder. Name a file. Docker creates an empty folder where a mounted file does not exist on the host.",
    EACCES: `${thisUser()} has no permission to read it. Allow it with chmod or chown, or run the server as its owner.`,
  };
  return reasons[code] ?? message;
}

/** How messages name the user of this process. */
export function thisUser(): string {
  const id = process.getuid?.();
  return id === undefined ? "this user" : `the user ${id}`;
}

/** Reads a text file without its byte order mark. Throws an Error that says what to do if it is not in UTF-8. */
export function readUtf8(path: string, fatal = true): string {
  return decodeUtf8(readFileSync(path), fatal).replace(/^\uFEFF/, "");
}

/** Decodes the bytes of a text file. Throws an Error that names another encoding and says what to do. */
export function decodeUtf8(bytes: Uint8Array, fatal = true): string {
  const encoding = foreignEncoding(bytes);
  if (encoding !== undefined) throw new Error(`is in ${encoding}. Save it in UTF-8.`);
  try {
    return new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("is not text in UTF-8. Save it in UTF-8.");
  }
}

/** The encoding of a text, such as PowerShell writes it, by its byte order mark or by the zeros of its first character. */
function foreignEncoding(bytes: Uint8Array): string | undefined {
  const form = [...bytes.subarray(0, 4)].map((byte) => (byte === 0 ? "0" : byte >= 0xfe ? byte.toString(16) : "x"));
  const [start, pair] = [form.join(""), form.slice(0, 2).join("")];
  if (["fffe00", "00feff", "x000", "000x"].includes(start)) return "UTF-32";
  return ["fffe", "feff", "x0", "0x"].includes(pair) ? "UTF-16" : undefined;
}

/** Reads the text file of an option. Throws UsageError that names the option and the file. With `fatal`, it must be in UTF-8. */
export function readText(option: string, path: string, fatal = true): string {
  try {
    return readUtf8(path, fatal);
  } catch (error) {
    throw new UsageError(`${option} ${path}: ${unreadable(error)}`);
  }
}

/** Reads the JSON file of an option. Throws UsageError that names the option and the file. */
export function readJson(option: string, path: string): unknown {
  try {
    return JSON.parse(readUtf8(path));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `not valid JSON: ${mistakeInJson(error)}` : unreadable(error);
    throw new UsageError(`${option} ${path}: ${reason}`);
  }
}

function mistakeInJson({ message }: SyntaxError): string {
  return message === "Unexpected end of JSON input" ? "it ends too early, or is empty." : message;
}

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

/**
 * Reads an option that takes a JSON file or its content. `place` is the option with the file, for messages about the
 * content. Throws UsageError that names the option.
 */
export function readJsonOrFile(option: string, value: string): { readonly content: unknown; readonly place: string } {
  if (!isJson(value)) return { content: readJson(option, value), place: `${option} ${value}` };
  try {
    return { content: JSON.parse(value), place: option };
  } catch (error) {
    throw new UsageError(`${option}: not valid JSON: ${mistakeInJson(error as SyntaxError)}`);
  }
}

const highestRate = 10_000;

/** Parses a whole number from `least` to `most`, of a unit such as " of milliseconds". Throws UsageError that names the option. */
export function readNumber(option: string, value: string, most: number, least = 0, unit = ""): number {
  if (!/^\d+$/.test(value) || Number(value) > most || Number(value) < least)
    throw new UsageError(`${option} ${value}: must be a whole number${unit} from ${least} to ${most}.`);
  return Number(value);
}

/** Parses how many seconds pass in one. Throws UsageError that names the option. */
export function readRate(option: string, value: string): number {
  const rate = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || rate <= 0 || rate > highestRate)
    throw new UsageError(`${option} ${value}: must be a number above 0 and up to ${highestRate}.`);
  return rate;
}

/** Parses an http or https URL. Throws UsageError that names the option, and that never repeats a password. */
export function readUrl(option: string, value: string): string {
  if (URL.canParse(value) && hasCredentials(new URL(value)))
    throw new UsageError(`${option}: the URL must not contain a user name or password. Remove them.`);
  if (!isHttp(value))
    throw new UsageError(`${option} ${value}: must be an http or https URL, such as http://127.0.0.1:4011.`);
  return value;
}

/** Checks a control token. Throws UsageError that does not repeat it. */
export function readControlToken(option: string, token: string): string {
  if (!isControlToken(token)) throw new UsageError(`${option}: ${controlTokenForm}.`);
  return token;
}

/** Parses the origin of a site, or a pattern of origins. Throws UsageError that shows the form, and that never repeats a password. */
export function readOrigin(option: string, value: string): string {
  if (URL.canParse(value) && hasCredentials(new URL(value)))
    throw new UsageError(`${option}: the origin must not contain a user name or password. Remove them.`);
  if (!isOriginPattern(value)) throw new UsageError(`${option} ${value}: ${originAdvice(value)}`);
  return value;
}

const timeForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Whether a text is an RFC 3339 date-time on a day that exists. */
export function isTime(value: string): boolean {
  const [, day] = timeForm.exec(value) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // Some engines read 30 February as 2 March.
  return new Date(day).toISOString().startsWith(day);
}

/** Parses an RFC 3339 date-time. Throws UsageError that shows the form. */
export function readTime(option: string, value: string): string {
  if (!isTime(value))
    throw new UsageError(`${option} ${value}: must be an RFC 3339 date-time, such as 2026-03-02T12:00:00Z.`);
  return value;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

const longestLifetimeDays = 36_500;

/** Parses the lifetime of a token, in seconds. Throws UsageError that names the option. */
export function readLifetime(option: string, value: string): number {
  const ms = durationOf(value);
  if (ms === undefined || ms > longestLifetimeDays * (units.d ?? 0))
    throw new UsageError(
      `${option} ${value}: must be a duration such as 30m, 24h or 365d, at most ${longestLifetimeDays}d.`,
    );
  return ms / 1000;
}

/** Parses a duration above 0, in milliseconds. Throws UsageError that names the option. */
export function readDuration(option: string, value: string): number {
  const duration = durationOf(value);
  if (duration === undefined || duration === 0)
    throw new UsageError(`${option} ${value}: must be a duration above 0, such as 90s, 30m or 2h.`);
  return duration;
}

/** Parses the argument of `clock advance`: a duration, a time, or `next`. Throws UsageError. */
export function readStep(step: string): { by: number } | { to: string } | { nextTimer: true } {
  if (step === "next") return { nextTimer: true };
  const by = durationOf(step);
  if (by !== undefined) return { by };
  if (isTime(step)) return { to: step };
  throw new UsageError(
    `clock advance ${step}: must be a duration such as 30s or 24h, a time such as 2026-03-02T12:00:00Z, or next.`,
  );
}

/** Parses policies of the form `name=value`. A value is JSON, or else a string. Throws UsageError that names the wrong one. */
export function readPolicies(settings: readonly string[], option = "--policy"): Record<string, unknown> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^(\w+)=(.+)$/s.exec(setting) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`${option} ${setting}: must be NAME=VALUE, such as concurrentCallLimit=2.`);
      return [name, jsonOrText(value)];
    }),
  );
}
