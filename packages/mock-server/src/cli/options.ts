// The command line as tables: an option is a row, from which its flag, variable, help and type follow.
// A change of them is a change for users, so the release gate compares them with the last release.
import type { LogMode } from "../log/server-log.ts";
import {
  duration,
  integer,
  oneOf,
  type Read,
  readAssignment,
  readHeader,
  readLifetime,
  readRate,
  readTime,
  readUrl,
} from "./values.ts";

/** An option, as a row of a table by its name: `dataFile` is `--data-file`. */
export interface OptionRow<Value = unknown> {
  /** `{default}` stands for the default, which otherwise follows at the end. */
  readonly help: string;
  /** The placeholder of the value in the help, e.g. `ID`; an option without one takes no value. */
  readonly value?: string;
  /** Reads a value; without it, the value is the text. */
  readonly read?: Read<Value>;
  readonly repeats?: boolean;
  /** The default, as a text. */
  readonly fallback?: string;
  /** What parts the items of a list in a variable; a comma by default. */
  readonly separator?: string;
  /** Whether Prism takes it too. */
  readonly ofPrism?: boolean;
  /** Whether a restored state replaces what it says. */
  readonly isState?: boolean;
  /** Whether a variable sets it too, as containers do: CALL_TRANSFER_MOCK_DATA_FILE for `dataFile`. */
  readonly inEnvironment?: boolean;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

type ValueOf<Row extends OptionRow> = Row extends { readonly read: Read<infer Value> } ? Value : string;

/** The values of a table's options. One without a value is a boolean; others are undefined if they are absent without a default. */
export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly value: string }
    ? Table[Name] extends { readonly repeats: true }
      ? readonly ValueOf<Table[Name]>[] | undefined
      : Table[Name] extends { readonly fallback: string }
        ? ValueOf<Table[Name]>
        : ValueOf<Table[Name]> | undefined
    : boolean;
};

/** The flag of an option: `--data-file` for `dataFile`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const number = <const Row extends object>(least: number, most: number, row: Row) =>
  ({ value: "N", read: integer(least, most), ...row }) as const;
const word = <const Word extends string, const Row extends object>(choices: readonly Word[], row: Row) =>
  ({ value: choices.join("|"), read: oneOf(choices), ...row }) as const;
const file = { value: "FILE" } as const;
const ofState = { isState: true } as const;
const ofPrism = { ofPrism: true } as const;
const inEnvironment = { inEnvironment: true } as const;
const inCommandLine = "because other users of the machine can see a command line";

export const startOptions = {
  port: number(0, 65_535, {
    ...{ ...ofPrism, ...inEnvironment, fallback: "4010" },
    help: "port to listen on (default {default}); 0 picks a free one",
  }),
  host: {
    ...{ ...ofPrism, ...inEnvironment, value: "ADDRESS", fallback: "127.0.0.1" },
    help: "address to bind (default {default}). If other machines can reach it, the control plane requires the control token that the server prints",
  },
  publicUrl: {
    ...{ ...inEnvironment, value: "URL", read: readUrl },
    help: "address at which clients reach the server, if it is another one: behind a proxy or in a container. It is printed, and its host name is accepted",
  },
  allowHost: {
    ...{ ...inEnvironment, value: "NAME", repeats: true },
    help: "also accept requests for this host name; *.mock.test accepts all names below mock.test. If other machines can reach the server, it accepts IP addresses and names of private networks, e.g. host.docker.internal",
  },
  corsOrigin: {
    ...{ ...ofPrism, ...inEnvironment, value: "ORIGIN", repeats: true },
    help: "let pages of this origin use the API. An origin has no path, such as http://localhost:5173",
  },
  controlToken: {
    ...{ ...inEnvironment, value: "TOKEN" },
    help: `token that the control plane requires, at least 16 characters (default: a random one if other machines can reach the server, else none). Better set CALL_TRANSFER_CONTROL_TOKEN, ${inCommandLine}`,
  },
  tlsCert: { ...file, ...inEnvironment, help: "TLS certificate chain (PEM)" },
  tlsKey: { ...file, ...inEnvironment, help: "private key of the certificate (PEM), without a password" },
  seed: {
    ...{ ...ofState, value: "demo|FILE|JSON", fallback: "demo" },
    help: "initial data (default {default}). The schema of the JSON file is @call-transfer/mock-server/seed.schema.json",
  },
  import: {
    ...file,
    help: "restore a snapshot at the start, including its clock; the file may not exist yet",
  },
  exportOnExit: { ...file, help: "write a snapshot of the default sandbox at shutdown" },
  dataFile: {
    ...{ ...file, ...inEnvironment },
    help: "keep all sandboxes in this SQLite file. They outlive a restart and a kill. The file is created if it does not exist, and used by one server at a time. Requires Node 22.13 or newer",
  },
  clock: word(["running", "frozen"], {
    ...{ ...ofState, ...inEnvironment, fallback: "running" },
    help: "whether time passes by itself",
  }),
  clockRate: {
    ...{ ...ofState, value: "N", read: readRate, fallback: "1" },
    help: "how many seconds pass in one second of real time: above 0, up to 10000",
  },
  now: {
    ...{ ...ofState, value: "TIME", read: readTime },
    help: "initial time, an RFC 3339 date-time (default: the real time, or 2026-03-02T12:00:00Z for a frozen clock)",
  },
  randomSeed: number(0, 2 ** 31 - 1, {
    ...ofState,
    help: "seed of the ids that are created after the start (default: a random one, which --json prints; 1 with --clock frozen)",
  }),
  policy: {
    ...{ ...ofState, ...inEnvironment, value: "NAME=VALUE", repeats: true, read: readAssignment },
    help: "change a policy, e.g. concurrentCallLimit=2, or defaultRecipientTimeZone=UTC to apply the callable hours to every call",
  },
  // Longer than a test usually advances the clock.
  tokenExpiresIn: {
    ...{ value: "TIME", fallback: "365d", read: readLifetime },
    help: "lifetime of the access tokens on the server's clock: 30m, 24h, …",
  },
  fault: {
    ...{ ...ofState, ...inEnvironment, separator: ";", value: "FAULT", repeats: true },
    help: 'make requests or webhooks fail. FAULT is a text such as "createCall 503, 503, pass" or "* 503 10%", a JSON file, or JSON itself',
  },
  stubs: {
    ...{ ...ofState, ...file },
    help: "answer requests outside of the API by the stubs of this YAML or JSON file. Its schema is @call-transfer/mock-server/stubs.schema.json",
  },
  fallbackUrl: {
    ...{ ...inEnvironment, value: "URL" },
    help: "forward requests that no operation and no stub matches to another mock or a staging platform at this base URL, without credentials",
  },
  forwardCredentials: {
    help: "with --fallback-url: forward headers with credentials too, such as Authorization and Cookie",
  },
  scenario: {
    ...{ ...ofState, value: "NAME", repeats: true },
    help: "start in a situation to test. An unknown name lists them all",
  },
  latency: {
    ...{ ...ofState, value: "TIME", read: duration("800ms or 2s", "10m", 0) },
    help: "delay every API response by this much time of the server's clock, such as 800ms. Under a frozen clock, responses wait until the clock is advanced",
  },
  forwardWebhooksTo: {
    ...{ ...inEnvironment, value: "URL", read: readUrl },
    help: "deliver all webhooks to this URL. The destinations' own URLs get none",
  },
  forwardHeader: {
    ...{ ...inEnvironment, value: "HEADER", repeats: true, read: readHeader },
    help: `with --forward-webhooks-to: send this header too, such as "Authorization: Bearer abc". Better set CALL_TRANSFER_MOCK_FORWARD_HEADER, ${inCommandLine}`,
  },
  autoSandboxes: { ...inEnvironment, help: "create a sandbox when a request first names it" },
  maxSandboxes: number(1, 1_000_000, {
    fallback: "1000",
    help: "maximum number of sandboxes, including default",
  }),
  logFormat: word(["pretty", "json", "silent"] as const satisfies readonly LogMode[], {
    help: "a line for each request, webhook, fault, timer and refusal (default pretty, with --json silent). json prints one JSON object a line",
  }),
  json: { ...ofPrism, help: "print address and credentials as one line of JSON" },
  readyFile: {
    ...{ ...ofPrism, ...file },
    help: "write that JSON, including the process id, to a file when the server is ready. An old file is removed at the start, the new one at shutdown",
  },
  // Not --env-file: Node 20 and 22 read an option of that name themselves, even after the script's name.
  writeEnv: {
    ...{ ...file },
    help: "write address and credentials to a .env file. Its variables are CALL_TRANSFER_BASE_URL, …_API_KEY, …_ACCOUNT_ID, …_SIGNING_SECRET, …_ACCESS_TOKEN_OWNER and so on. Other lines stay unchanged, and the file is kept at shutdown",
  },
  prism: {
    ...ofPrism,
    help: "return examples from the OpenAPI document, by Prism. It is stateless, requires @stoplight/prism-cli, and supports only --port, --host, --cors-origin (which then allows every origin), --json and --ready-file",
  },
} as const satisfies OptionTable;

/** The options with which commands find a running server. */
export const connectionOptions = {
  url: {
    ...{ ...inEnvironment, value: "URL", read: readUrl, fallback: "http://127.0.0.1:4010" },
    help: "address of the server (default {default})",
  },
  sandbox: { ...{ value: "NAME", fallback: "default" }, help: "sandbox to use (default: {default})" },
  controlToken: {
    ...{ ...inEnvironment, value: "TOKEN" },
    help: "control token, if the server printed one. Better set CALL_TRANSFER_CONTROL_TOKEN",
  },
  json: { help: "print the result as one line of JSON" },
} as const satisfies OptionTable;

/** The options of which some have an environment variable. */
export const settings: OptionTable = { url: connectionOptions.url, ...startOptions };

export const attackOptions = {
  secret: {
    value: "SECRET",
    help: `signing secret. Better set CALL_TRANSFER_SIGNING_SECRET, ${inCommandLine}`,
  },
  previousSecret: {
    value: "SECRET",
    help: "secret before the rotation, if the receiver accepts it too; or set CALL_TRANSFER_PREVIOUS_SIGNING_SECRET",
  },
  handledUrl: {
    ...{ value: "URL", read: readUrl },
    help: 'URL that returns how often the app handled each event, as JSON: { "<event id>": 1 }. Without it, the attack sees only answers',
  },
  payload: {
    value: "FILE",
    help: "JSON file with fields to send in each event, such as a destinationId that the receiver recognizes",
  },
  timeout: { ...{ value: "TIME", read: duration("10s"), fallback: "10s" }, help: "how long an answer may take" },
  allowRemote: { help: "attack a receiver on another machine" },
  json: { help: "print the report as one line of JSON" },
} as const satisfies OptionTable;

/** The variables that `--write-env` sets. Those of access tokens end in a role. `attack` reads the signing secrets. */
export const variables = {
  url: "CALL_TRANSFER_BASE_URL",
  apiKey: "CALL_TRANSFER_API_KEY",
  accountId: "CALL_TRANSFER_ACCOUNT_ID",
  accessToken: "CALL_TRANSFER_ACCESS_TOKEN_",
  signingSecret: "CALL_TRANSFER_SIGNING_SECRET",
  previousSigningSecret: "CALL_TRANSFER_PREVIOUS_SIGNING_SECRET",
  controlToken: "CALL_TRANSFER_CONTROL_TOKEN",
} as const;

/** The exit statuses. A second signal interrupts. */
export const exitStatus = { success: 0, failure: 1, wrongCommandLine: 2, interrupted: 130 } as const;

/** What the help says about an option, with its default and whether it can be repeated. */
export function describeOption({ help, fallback, repeats }: OptionRow): string {
  const usual = fallback === undefined || /\(default/.test(help) ? help : `${help} (default ${fallback})`;
  return usual.replace("{default}", fallback ?? "") + (repeats ? "; repeatable" : "");
}
