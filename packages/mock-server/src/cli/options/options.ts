// The command line as tables: each option with its type, default, help, and the file that reads it, and exit statuses. From
// them follow parsing, help, variables, the config file and its schema. A change of them is a change for users,
// so the release gate compares them with the last release.
import type { ParseArgsOptionsConfig } from "node:util";
import { engines, flag, type OptionTable, option } from "./option-entry.ts";

const inStart = { readBy: "cli/start/start.ts" } as const;
const ofState = { isState: true } as const;
const file = { kind: "path", value: "FILE" } as const;

const info = { type: "boolean", default: false, readBy: "cli/main.ts" } as const;
const common = { help: { ...info, short: "h" }, all: info, version: info } as const;

/** The options of the command `help`. */
export const helpOptions = common;

export const startOptions = {
  ...common,
  config: option(
    { ...file, readBy: "cli/options/settings.ts" },
    "read settings from this JSON file (default: call-transfer-mock.json in the working folder, if it exists). See help settings",
  ),
  port: option(
    { kind: "number", value: "N", fallback: "4010", example: "4020", engines },
    "port to listen on (default {default}); 0 picks a free one",
  ),
  host: option(
    { value: "ADDRESS", fallback: "127.0.0.1", example: "0.0.0.0", engines },
    "address to bind (default {default}). If other machines can reach it, the control plane requires the control token that the server prints",
  ),
  "public-url": option(
    { value: "URL" },
    "address at which clients reach the server, if it is another one: behind a proxy or in a container. It is printed, and its host name is accepted",
  ),
  "allow-host": option(
    { value: "NAME", multiple: true },
    "also accept requests for this host name; *.mock.test accepts all names below mock.test. If other machines can reach the server, it accepts IP addresses and names of private networks, e.g. host.docker.internal",
  ),
  cors: option(
    { value: "ORIGIN", multiple: true, example: "http://localhost:5173", engines },
    "let pages of this origin use the API. An origin has no path, such as http://localhost:5173",
  ),
  "control-token": option(
    { kind: "secret", value: "TOKEN" },
    "token that the control plane requires, at least 16 characters (default: a random one if other machines can reach the server, else none). Better set CALL_TRANSFER_CONTROL_TOKEN, because other users of the machine can see a command line",
  ),
  "tls-cert": option(file, "certificate for https, in PEM form, with those that lead to its root"),
  "tls-key": option(file, "private key of the certificate, in PEM form and without a password"),
  seed: option(
    { ...ofState, kind: "json", value: "demo|FILE|JSON", fallback: "demo", example: "my.json" },
    "initial data (default {default}). The schema of the JSON file is @call-transfer/mock-server/seed.schema.json",
  ),
  import: option(
    { ...file, ...inStart },
    "restore a snapshot at the start, including its clock; the file may not exist yet",
  ),
  "export-on-exit": option({ ...file, ...inStart }, "write a snapshot of the default sandbox at shutdown"),
  data: option(
    { ...file, example: "mock.db" },
    "keep all sandboxes in this SQLite file, also after a restart or a kill. It is created if it does not exist, and used by one server at a time. Requires Node 22.13 or newer",
  ),
  "read-only": flag(
    "only read the file of --data, and leave it as it is. Requests that change anything are refused, the clock stands still, and no offer is sent",
    {},
  ),
  clock: option(
    { ...ofState, choices: ["flowing", "frozen"], fallback: "flowing", example: "frozen" },
    "whether time passes by itself",
  ),
  "clock-rate": option(
    { ...ofState, kind: "number", value: "N", fallback: "1" },
    "how many seconds pass in one second of real time: above 0, up to 10000",
  ),
  now: option(
    { ...ofState, value: "TIME" },
    "initial time, an RFC 3339 date-time (default: the real time, or 2026-03-02T12:00:00Z for a frozen clock)",
  ),
  prng: option(
    { ...ofState, kind: "number", value: "N" },
    "seed of the ids that are created after the start, an integer (default: a random one, which the server prints; 1 with --clock frozen)",
  ),
  policy: option(
    { ...ofState, kind: "policies", value: "NAME=VALUE", multiple: true },
    "change a policy, e.g. concurrentCallLimit=2, or recipientTimeZone=UTC to apply the callable hours to every call",
  ),
  // Longer than a test usually advances the clock.
  "token-lifetime": option(
    { ...inStart, value: "TIME", fallback: "365d" },
    "lifetime of the access tokens on the server's clock: 30m, 24h, …",
  ),
  fault: option(
    { ...ofState, kind: "faults", value: "FAULT", multiple: true, example: '"createCall 503"' },
    'make requests or webhooks fail. FAULT is a text such as "createCall 503, 503, pass" or "* 503 10%", a JSON file, or JSON itself',
  ),
  stubs: option(
    { ...ofState, ...file, ...inStart },
    "answer requests outside of the API by the stubs of this YAML or JSON file. Its schema is @call-transfer/mock-server/stubs.schema.json",
  ),
  "unknown-to": option(
    { value: "URL" },
    "forward requests that no operation and no stub matches to another mock or a staging platform at this base URL, without credentials",
  ),
  "unknown-credentials": flag("forward headers with credentials too, such as Authorization and Cookie", {}),
  scenario: option(
    { ...ofState, value: "NAME", multiple: true, example: "everyone-away" },
    "start in a situation to test. An unknown name lists them all",
  ),
  latency: option(
    { ...ofState, kind: "number", value: "MS" },
    "delay every API response by MS milliseconds of the server's clock. Under a frozen clock, responses wait until the clock is advanced",
  ),
  "forward-webhooks": option(
    { value: "URL", example: "http://localhost:3000/offers" },
    "deliver all webhooks to this URL instead of the destinations' own URLs",
  ),
  "auto-sandboxes": flag("create a sandbox when a request first names it", {}),
  "max-sandboxes": option(
    { kind: "number", value: "N", fallback: "1000" },
    "maximum number of sandboxes, including default",
  ),
  "sandbox-idle": option(
    { value: "DURATION" },
    "remove a sandbox after this much real time without a request, e.g. 30m (default: never). The default sandbox is never removed",
  ),
  log: option(
    { choices: ["pretty", "json", "silent"] },
    "a line for each request, webhook, fault, timer and refusal (default pretty, with --json silent). json prints one JSON object a line",
  ),
  json: flag("print address and credentials as one line of JSON", { engines }),
  "ready-file": option(
    { ...file, ...inStart, engines },
    "write that JSON, including the process id, to a file when the server is ready. An old file is removed at the start, the new one at shutdown",
  ),
  // Not --env-file: Node 20 and 22 read an option of that name themselves, even after the script's name.
  "write-env": option(
    { ...file, ...inStart, example: ".env" },
    "set address and credentials as variables in a .env file. They are CALL_TRANSFER_BASE_URL, …_API_KEY, …_ACCOUNT_ID, …_SIGNING_SECRET, …_TOKEN_OWNER and so on. Other lines stay unchanged, and the file is kept at shutdown",
  ),
  engine: option(
    { readBy: "cli/main.ts", choices: engines, value: "ENGINE", fallback: "stateful", engines },
    "stateful behaves like the platform (default). prism is stateless and returns examples from the OpenAPI document. It requires @stoplight/prism-cli and supports only --port, --host, --cors (which then allows every origin), --json and --ready-file.",
  ),
} as const satisfies ParseArgsOptionsConfig & OptionTable;

/** The options with which the commands find a running server. */
export const connectionOptions = {
  config: option(
    { ...file, readBy: "cli/options/settings.ts" },
    "config file to read the following options from; see help settings",
  ),
  url: option({ value: "URL", fallback: "http://127.0.0.1:4010" }, "address of the server"),
  sandbox: option({ value: "NAME", fallback: "default" }, "sandbox to use (default: {default})"),
  token: option(
    { kind: "secret", setting: "control-token", value: "TOKEN" },
    "control token, if the server printed one. Better set CALL_TRANSFER_CONTROL_TOKEN",
  ),
} as const satisfies ParseArgsOptionsConfig & OptionTable;

const {
  help: _help,
  all: _all,
  version: _version,
  token: _token,
  ...settable
} = { ...startOptions, ...connectionOptions };

/** The options that an environment variable or, except for `config`, the config file can set too. */
export const settings: OptionTable = settable;

/** The options of every command for a running server; commands/ has those of one command. */
export const commandOptions = {
  ...common,
  ...connectionOptions,
  json: flag("print the result as one line of JSON", {}),
} as const satisfies ParseArgsOptionsConfig & OptionTable;

export const attackOptions = {
  ...common,
  secret: option(
    { value: "SECRET" },
    "signing secret. Better set CALL_TRANSFER_SIGNING_SECRET, because other users of the machine can see a command line",
  ),
  "previous-secret": option(
    { value: "SECRET" },
    "secret before the rotation, if the receiver accepts it too; or set CALL_TRANSFER_PREVIOUS_SIGNING_SECRET",
  ),
  "handled-url": option(
    { value: "URL" },
    'URL that returns how often the app handled each event, as JSON: { "<event id>": 1 }. Without it, the attack sees only answers',
  ),
  payload: option(
    { value: "FILE" },
    "JSON file with fields to send in each event, such as a destinationId that the receiver recognizes",
  ),
  tolerance: option({ value: "DURATION", fallback: "300s" }, "how far a signature's time may differ from now"),
  timeout: option({ value: "DURATION", fallback: "10s" }, "how long an answer may take"),
  "allow-remote": flag("attack a receiver on another machine", {}),
  json: flag("print the report as one line of JSON", {}),
} as const satisfies ParseArgsOptionsConfig & OptionTable;

/** The variables that `--write-env` sets. Those of access tokens end in a role. `attack` reads the signing secrets. */
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
