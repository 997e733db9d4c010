import { readFileSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { hasCredentials, isHttp, isOrigin } from "../server/server-options.ts";
import { program } from "./program.ts";

/** A mistake in how the command was called; ends it with status 2. */
export class UsageError extends Error {}

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean", default: false } as const;
const help = { type: "boolean", default: false, short: "h" } as const;
const common = { help, version: flag, json: flag } satisfies ParseArgsOptionsConfig;

/** The options of `start`. */
export const startOptions = {
  ...common,
  port: text,
  host: text,
  "allow-host": list,
  cors: list,
  seed: text,
  import: text,
  "export-on-exit": text,
  clock: text,
  now: text,
  prng: text,
  policy: list,
  fault: text,
  latency: text,
  "forward-webhooks": text,
  "auto-sandboxes": flag,
  "max-sandboxes": text,
  "sandbox-idle": text,
  "ready-file": text,
  // Not --env-file: Node 20 and 22 take an option of this name for their own, even behind the program.
  "write-env": text,
  "token-lifetime": text,
  engine: text,
} satisfies ParseArgsOptionsConfig;

/** The options of the commands that talk to a running server. */
export const commandOptions = {
  ...common,
  url: text,
  sandbox: text,
  token: text,
  destination: text,
  user: text,
  account: text,
  lifetime: text,
} satisfies ParseArgsOptionsConfig;

/** Reads a command's arguments; throws UsageError that names the one at fault and says what to give instead. */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(mistakeIn(args, options) ?? String(error));
  }
}

/** What Node's parser found wrong, in words of our own: its own speak of `--` and positional arguments. */
function mistakeIn(args: readonly string[], options: ParseArgsOptionsConfig): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined)
      return `Unknown option: ${rawName}.${suggestion(rawName, Object.keys(options), "--")} Run ${program} --help.`;
    if (type === "boolean" && value !== undefined) return `${rawName} takes no value.`;
    if (type === "string" && value === undefined) return `${rawName} wants a value.`;
    if (type === "string" && value?.startsWith("-") && !token.inlineValue)
      return `${rawName} wants a value; write ${rawName}=${value} if ${value} is meant.`;
  }
  return undefined;
}

/** " Did you mean …?" with the candidate that a mistyped word is nearest to; empty when none is near. */
export function suggestion(word: string, candidates: readonly string[], prefix = ""): string {
  const near = candidates
    .map((candidate) => ({ name: prefix + candidate, edits: editsBetween(word, prefix + candidate) }))
    .filter(({ edits }) => edits <= 2)
    .toSorted((one, other) => one.edits - other.edits);
  return near[0] === undefined ? "" : ` Did you mean ${near[0].name}?`;
}

/** How many letters must be added, left out or replaced to get from one word to the other. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...to].entries()) {
      const [replaced = 0, added = 0, left = 0] = [row[at], row[at + 1], next[at]];
      next.push(letter === wanted ? replaced : 1 + Math.min(replaced, added, left));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Reads a JSON file named by an option; throws UsageError that names both when it cannot be read. */
export function readJson(option: string, path: string): unknown {
  try {
    // Some editors begin a file with a byte order mark, which JSON does not allow.
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} ${path}: ${code === "ENOENT" ? "there is no such file." : message}`);
  }
}

/** A whole number of an option. Throws UsageError that names the option for anything else, or one outside of the range. */
export function readNumber(option: string, value: string, most: number, least = 0): number {
  if (!/^\d+$/.test(value) || Number(value) > most || Number(value) < least)
    throw new UsageError(`${option} ${value}: must be a whole number, ${least} to ${most}.`);
  return Number(value);
}

/** An absolute address of http or https. Throws UsageError that names the option for anything else, and no password. */
export function readUrl(option: string, value: string): string {
  if (URL.canParse(value) && hasCredentials(new URL(value)))
    throw new UsageError(`${option}: leave user and password out of the URL; nothing here reads them.`);
  if (!isHttp(value))
    throw new UsageError(`${option} ${value}: must be an http or https URL, such as http://127.0.0.1:4011.`);
  return value;
}

/** The origin of a site. Throws UsageError that shows the form for anything else. */
export function readOrigin(option: string, value: string): string {
  const origin = URL.canParse(value) ? new URL(value).origin : "null";
  const example = origin === "null" ? "http://localhost:5173" : origin;
  if (!isOrigin(value))
    throw new UsageError(`${option} ${value}: must be an origin, without a path or a final slash, such as ${example}.`);
  return value;
}

const timeForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Whether a text is a date-time of RFC 3339 on a day that exists. */
function isTime(value: string): boolean {
  const [, day] = timeForm.exec(value) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // Some engines let 30 February pass as 2 March.
  return new Date(day).toISOString().startsWith(day);
}

/** A date-time of RFC 3339. Throws UsageError that shows the form for anything else. */
export function readTime(option: string, value: string): string {
  if (!isTime(value))
    throw new UsageError(`${option} ${value}: must be an RFC 3339 date-time, such as 2026-03-02T12:00:00Z.`);
  return value;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; undefined for a text that is none. */
function durationOf(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** How long the tokens of a start and of `token` live: longer than anybody moves the clock by. */
export const defaultTokenLifetime = "365d";
const longestLifetimeDays = 36_500;

/** The lifetime of a token, in seconds. Throws UsageError that names the option for anything else. */
export function readLifetime(option: string, value: string): number {
  const ms = durationOf(value);
  if (ms === undefined || ms > longestLifetimeDays * (units.d ?? 0))
    throw new UsageError(
      `${option} ${value}: must be a duration such as 30m, 24h or 365d, at most ${longestLifetimeDays}d.`,
    );
  return ms / 1000;
}

/** A duration above 0, in milliseconds. Throws UsageError that names the option for anything else. */
export function readDuration(option: string, value: string): number {
  const duration = durationOf(value);
  if (duration === undefined || duration === 0)
    throw new UsageError(`${option} ${value}: must be a duration above 0, such as 90s, 30m or 2h.`);
  return duration;
}

/** A step of the clock as it is typed: a duration, a time, or `next`. Throws UsageError for anything else. */
export function readStep(step: string): { by: number } | { to: string } | { nextTimer: true } {
  if (step === "next") return { nextTimer: true };
  const by = durationOf(step);
  if (by !== undefined) return { by };
  if (isTime(step)) return { to: step };
  throw new UsageError(
    `${step} is no step of the clock; give a duration such as 30s or 24h, a time such as 2026-03-02T12:00:00Z, or next.`,
  );
}

/** Policies as they are typed, `name=value` each, where a value is JSON. Throws UsageError that names the bad one. */
export function readPolicies(settings: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^(\w+)=(.+)$/s.exec(setting) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--policy ${setting}: must be NAME=VALUE, such as concurrentCallLimit=2.`);
      try {
        return [name, JSON.parse(value)];
      } catch {
        return [name, value];
      }
    }),
  );
}
