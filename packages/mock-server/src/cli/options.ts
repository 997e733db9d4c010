// The command line as tables: options with their defaults, variables and exit statuses. A change of them is a change for
// users, so the release gate compares them with the last release.
import type { ParseArgsOptionsConfig } from "node:util";

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flag = { type: "boolean", default: false } as const;
const help = { type: "boolean", default: false, short: "h" } as const;
const common = { help, version: flag, json: flag } satisfies ParseArgsOptionsConfig;

/** An option with a default. Values of the parser lack it, so that they show which options were given. */
const textOr = <const Default extends string>(fallback: Default) => ({ type: "string", fallback }) as const;

/** Lifetime of access tokens: longer than a test usually advances the clock. */
export const tokenLifetime = textOr("365d");

/** The options of `start`. */
export const startOptions = {
  ...common,
  port: textOr("4010"),
  host: textOr("127.0.0.1"),
  "allow-host": list,
  cors: list,
  seed: textOr("demo"),
  import: text,
  "export-on-exit": text,
  clock: textOr("flowing"),
  now: text,
  prng: textOr("1"),
  policy: list,
  fault: list,
  latency: text,
  "forward-webhooks": text,
  "auto-sandboxes": flag,
  "max-sandboxes": textOr("1000"),
  "sandbox-idle": text,
  "ready-file": text,
  // Not --env-file: Node 20 and 22 read an option of that name themselves, even after the script's name.
  "write-env": text,
  "token-lifetime": tokenLifetime,
  engine: textOr("stateful"),
  // Without a default of its own: it depends on --json.
  log: text,
} satisfies ParseArgsOptionsConfig;

/** The options of every command for a running server; commands/ has those of one command. */
export const commandOptions = {
  ...common,
  url: textOr("http://127.0.0.1:4010"),
  sandbox: textOr("default"),
  token: text,
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
