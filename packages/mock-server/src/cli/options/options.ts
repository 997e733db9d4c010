// The command line as tables: options with their defaults, variables and exit statuses. A change of them is a change for
// users, so the release gate compares them with the last release.
import type { ParseArgsOptionsConfig } from "node:util";
import type { Schema } from "@call-transfer/backend/control-client";

/** An option that a setting can give: what `util.parseArgs` reads, and what the sources of settings need. */
export interface SettingFacts {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** The default, which the command applies itself. */
  readonly fallback?: string;
  /** The accepted words. */
  readonly choices?: readonly string[];
  /**
   * What a text stands for: `json` is a file or its content, `policies` has the form NAME=VALUE, and one of `faults` is a
   * file, JSON or a text with commas.
   */
  readonly kind?: "path" | "number" | "secret" | "json" | "policies" | "faults";
  /** The setting that the option takes its value from, when its own name differs. */
  readonly setting?: string;
}

/** Options by name. */
export type SettingTable = Readonly<Record<string, SettingFacts>>;

const text = { type: "string" } as const;
/** A file. In the config file, a relative path starts at the folder of that file. */
const path = { type: "string", kind: "path" } as const;
/** Never part of an error message. */
const secret = { type: "string", kind: "secret" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean", default: false } as const;
const help = { type: "boolean", default: false, short: "h" } as const;
const common = { help, version: flag, json: flag } satisfies ParseArgsOptionsConfig;

/** An option with a default. Values of the parser lack it, so that they show which options were given. */
const textOr = <const Default extends string>(fallback: Default) => ({ type: "string", fallback }) as const;

const numberOr = <const Default extends string>(fallback: Default) =>
  ({ type: "string", kind: "number", fallback }) as const;

const number = { type: "string", kind: "number" } as const;

/** One of a few words; the first is the default. */
const choiceOf = <const Default extends string, const Others extends readonly string[]>(
  fallback: Default,
  ...others: Others
) => ({ type: "string", fallback, choices: [fallback, ...others] }) as const;

/** Lifetime of access tokens: longer than a test usually advances the clock. */
export const tokenLifetime = textOr("365d");

/** The options of `start`. */
export const startOptions = {
  ...common,
  config: path,
  port: numberOr("4010"),
  host: textOr("127.0.0.1"),
  "public-url": text,
  "allow-host": list,
  cors: list,
  "control-token": secret,
  "tls-cert": path,
  "tls-key": path,
  seed: { type: "string", kind: "json", fallback: "demo" },
  import: path,
  "export-on-exit": path,
  data: path,
  clock: choiceOf("flowing", "frozen"),
  "clock-rate": numberOr("1"),
  now: text,
  // Without a default of its own: it depends on --clock.
  prng: number,
  policy: { type: "string", multiple: true, kind: "policies" },
  fault: { type: "string", multiple: true, kind: "faults" },
  scenario: list,
  latency: number,
  "forward-webhooks": text,
  "auto-sandboxes": flag,
  "max-sandboxes": numberOr("1000"),
  "sandbox-idle": text,
  "ready-file": path,
  // Not --env-file: Node 20 and 22 read an option of that name themselves, even after the script's name.
  "write-env": path,
  "token-lifetime": tokenLifetime,
  engine: choiceOf("stateful", "prism", "proxy"),
  target: text,
  record: path,
  strict: flag,
  // Without a default of its own: it depends on --json.
  log: { type: "string", choices: ["pretty", "json", "silent"] },
} as const satisfies ParseArgsOptionsConfig & SettingTable;

/** The options with which the commands find a running server. */
export const connectionOptions = {
  config: path,
  url: textOr("http://127.0.0.1:4010"),
  sandbox: textOr("default"),
  token: { type: "string", kind: "secret", setting: "control-token" },
} as const satisfies ParseArgsOptionsConfig & SettingTable;

const { help: _help, version: _version, ...settableStartOptions } = startOptions;
const { token: _token, ...settableConnectionOptions } = connectionOptions;

/** The options that an environment variable or, except for `config`, the config file can set too. */
export const settings: SettingTable = { ...settableStartOptions, ...settableConnectionOptions };

/** The options of every command for a running server; commands/ has those of one command. */
export const commandOptions = {
  ...common,
  ...connectionOptions,
} satisfies ParseArgsOptionsConfig;

/** The options of `attack`. */
export const attackOptions = {
  ...common,
  secret: text,
  "previous-secret": text,
  "handled-url": text,
  payload: text,
  tolerance: textOr("300s"),
  timeout: textOr("10s"),
  prng: text,
  "allow-remote": flag,
} satisfies ParseArgsOptionsConfig;

/** The roles of a member. */
export const roles = ["agent", "member", "admin", "owner"] as const satisfies readonly Schema<"Role">[];

/**
 * The variables that `--write-env` sets, and the start of those with the access tokens, which end in a role. `attack` reads
 * the signing secrets.
 */
export const variables = {
  url: "CALL_TRANSFER_BASE_URL",
  apiKey: "CALL_TRANSFER_API_KEY",
  accountId: "CALL_TRANSFER_ACCOUNT_ID",
  token: "CALL_TRANSFER_TOKEN_",
  signingSecret: "CALL_TRANSFER_SIGNING_SECRET",
  previousSigningSecret: "CALL_TRANSFER_PREVIOUS_SIGNING_SECRET",
  controlToken: "CALL_TRANSFER_CONTROL_TOKEN",
} as const;

/** The exit statuses. A second signal interrupts. */
export const exitStatus = { success: 0, failure: 1, wrongCommandLine: 2, interrupted: 130 } as const;
