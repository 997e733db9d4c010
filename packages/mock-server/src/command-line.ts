import { readFileSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** A mistake in how the command was called; ends it with status 2. */
export class UsageError extends Error {}

/** What `--help` prints. */
export const help = `Usage: call-transfer-mock [start] [options]
       call-transfer-mock COMMAND [options]

Serves a mock of the call-transfer API that behaves like the platform: it keeps state, checks
every request, and plays the platform's side of webhooks and transfers.

  npx call-transfer-mock                      start on http://127.0.0.1:4010 with demo data
  npx call-transfer-mock --seed my.json       start with your own data
  npx call-transfer-mock clock advance 24h    move a running server's time

Start:
  --port N                 port to listen on, 0 for a free one (default 4010)
  --host ADDRESS           address to bind (default 127.0.0.1); on any other, other machines can
                           reach the server, and the control plane wants the token it prints
  --allow-host NAME        accept requests under this host name too; may be repeated
  --cors ORIGIN            let pages of this origin use the API, e.g. http://localhost:5173;
                           may be repeated
  --seed demo|FILE         data to begin with (default demo); a JSON file as described by
                           @call-transfer/mock-server/seed.schema.json
  --import FILE            go on from a snapshot; a file that does not exist yet is no mistake
  --export-on-exit FILE    write a snapshot when the server ends
  --clock flowing|frozen   whether time passes by itself (default flowing)
  --now TIME               ISO 8601 time at which the clock starts (default: the real time)
  --prng N                 seed of the random generator, an integer (default 1)
  --policy NAME=VALUE      change a policy, e.g. concurrentCallLimit=2; may be repeated
  --fault FILE             make requests fail as a JSON file says: a fault or a list of faults
  --latency MS             delay every answer of the API, in milliseconds of the server's clock
  --forward-webhooks URL   deliver every webhook there, whatever address its destination has
  --auto-sandboxes         create a sandbox when a request first names it
  --json                   print one line of JSON with address and credentials when ready
  --ready-file FILE        write that JSON to a file when ready

Commands that talk to a running server:
  trigger transfer.offer   send a signed offer to an app destination (--destination ID; the
                           first one by default) and show the answer
  clock                    show the time
  clock advance STEP       move time: 500ms, 30s, 15m, 24h, 7d, an ISO 8601 time, or next
                           for the next timer; shows what happened on the way
  reset                    back to how the server was started
  snapshot [FILE]          write everything the server knows to a file, or print it
  restore FILE             make the server what a snapshot says
  routes                   list the operations of the API and of the control plane

  --url URL                the server's address (default http://127.0.0.1:4010)
  --sandbox NAME           the sandbox to act on (default: default)
  --token TOKEN            the control plane's token, where the server printed one

  --help                   show this text
  --version                show the version

Exit status: 0 when all went well, 1 when something failed, 2 when the command was misused.`;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean", default: false } as const;
const common = { help: flag, version: flag, json: flag } satisfies ParseArgsOptionsConfig;

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
  "ready-file": text,
} satisfies ParseArgsOptionsConfig;

/** The options of the commands that talk to a running server. */
export const commandOptions = {
  ...common,
  url: text,
  sandbox: text,
  token: text,
  destination: text,
} satisfies ParseArgsOptionsConfig;

/** Reads arguments; throws UsageError for one that does not exist. */
export function readArguments<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}. Run call-transfer-mock --help.`);
  }
}

/** Reads a JSON file named by an option; throws UsageError that names both when it cannot be read. */
export function readJson(option: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${option} ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A whole number of an option. Throws UsageError that names the option for anything else, or one over `most`. */
export function readNumber(option: string, value: string, most: number): number {
  if (!/^\d+$/.test(value) || Number(value) > most) throw new UsageError(`${option} must be a number, 0 to ${most}.`);
  return Number(value);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A step of the clock as it is typed: a duration, a time, or `next`. Throws UsageError for anything else. */
export function readStep(step: string): { by: number } | { to: string } | { nextTimer: true } {
  if (step === "next") return { nextTimer: true };
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(step) ?? [];
  const factor = units[unit];
  if (factor !== undefined) return { by: Number(amount) * factor };
  if (/^\d{4}-/.test(step) && !Number.isNaN(Date.parse(step))) return { to: step };
  throw new UsageError(`${step} is no step of the clock; give 30s, 24h, an ISO 8601 time or next.`);
}

/** Policies as they are typed, `name=value` each, where a value is JSON. Throws UsageError that names the bad one. */
export function readPolicies(settings: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^(\w+)=(.+)$/s.exec(setting) ?? [];
      if (name === undefined || value === undefined) throw new UsageError(`--policy ${setting} must be NAME=VALUE.`);
      try {
        return [name, JSON.parse(value)];
      } catch {
        return [name, value];
      }
    }),
  );
}
