import { parseArgs } from "node:util";

/** What the command was called with, checked. */
export interface LiveOptions {
  /** Address without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly accessToken?: string;
  readonly accountId?: string;
  /** A member whose availability may be read. */
  readonly memberId?: string;
  /** Seconds that one request may take. */
  readonly timeoutSecs: number;
  readonly allowInsecureHttp: boolean;
  readonly json: boolean;
  /** What may be changed; nothing where absent. */
  readonly changes: Changes;
  /** The one call that may be placed. */
  readonly call?: {
    readonly flowId: string;
    readonly fromNumber: string;
    readonly toNumber: string;
    readonly providerId?: string;
  };
}

/** What the server's owner gave up to be changed. */
export interface Changes {
  /** An `app` destination whose secret is rotated, and the file that the new secret is written to. */
  readonly rotation?: { readonly destinationId: string; readonly secretFile: string };
  /** A destination that a new group holds. */
  readonly groupDestinationId?: string;
  /** A member whose hours are removed. */
  readonly hoursMemberId?: string;
}

/** The command was called wrongly; the message says how to mend it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Usage: call-transfer-contract --base-url URL [options]

Asks a running server what the contract promises, and reports each promise that it breaks and each assumption that it
holds or refutes. Unless it is told otherwise it only reads: it sends GET requests alone, places no call and changes
nothing. Some of those requests are wrong on purpose, such as one without a credential.

  --base-url URL           address of the server, without /api/v1
  --api-key KEY            credential; better in CALL_TRANSFER_API_KEY, where other processes do not see it
  --access-token TOKEN     another one, or the only one; better in CALL_TRANSFER_ACCESS_TOKEN
  --account-id ID          account of the access token, which needs one
  --member ID              a member whose availability may be read
  --timeout SECONDS        how long one request may take; 30 unless given
  --allow-insecure-http    sends the credential over http to another machine
  --json                   prints the report as one JSON document
  --help                   prints this

  --allow-changes          also changes what the following name, each once, after saying so:
    --destination ID         rotates the signing secret of this app destination, which ends the one in use in 24 hours
    --secret-file FILE       where the new secret is written, readable by you alone; the report never shows it
    --group-destination ID   creates a group with this destination; no operation of the API removes it again
    --hours-member ID        removes this member's available hours for good

  --allow-calls            also places one call, after saying so:
    --flow ID --from NUMBER --to NUMBER [--provider ID]

Exit status: 0 when no promise is broken, 1 when one is, 2 when the command was called wrongly or the server cannot be
reached, or no longer. A refuted assumption is no broken promise: the specification leaves it open.`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

const parsed = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      "base-url": text,
      "api-key": text,
      "access-token": text,
      "account-id": text,
      member: text,
      timeout: text,
      "allow-insecure-http": flag,
      json: flag,
      help: flag,
      "allow-changes": flag,
      destination: text,
      "secret-file": text,
      "group-destination": text,
      "hours-member": text,
      "allow-calls": flag,
      flow: text,
      from: text,
      to: text,
      provider: text,
    },
  }).values;

type Values = ReturnType<typeof parsed>;
type TextName = { [Name in keyof Values]-?: Values[Name] extends string | undefined ? Name : never }[keyof Values];

/** What may follow `Bearer` (RFC 6750, section 2.1). */
const bearerForm = /^[A-Za-z0-9._~+/-]+=*$/;

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

function checkedUrl(url: string | undefined, allowInsecureHttp: boolean): string {
  if (url === undefined) throw new UsageError("Name the server with --base-url.");
  const parsedUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (parsedUrl?.protocol !== "https:" && parsedUrl?.protocol !== "http:")
    throw new UsageError("--base-url must be an address that begins with https:// or http://.");
  if (parsedUrl.username !== "" || parsedUrl.password !== "" || parsedUrl.search !== "" || parsedUrl.hash !== "")
    throw new UsageError("--base-url must hold no user, query or fragment.");
  if (/\/api\/v1\/?$/.test(parsedUrl.pathname)) throw new UsageError("Leave /api/v1 out of --base-url.");
  if (parsedUrl.protocol === "http:" && !loopback.has(parsedUrl.hostname) && !allowInsecureHttp)
    throw new UsageError("Plain http would show the credential to the network: use https, or --allow-insecure-http.");
  return url.replace(/\/+$/, "");
}

function needs(values: Values, allowance: "allow-changes" | "allow-calls", names: readonly TextName[]): void {
  const given = names.filter((name) => values[name] !== undefined);
  if (!values[allowance] && given.length > 0)
    throw new UsageError(`--${given[0]} does nothing without --${allowance}.`);
  if (values[allowance] && given.length === 0)
    throw new UsageError(`--${allowance} needs to be told what: ${names.map((name) => `--${name}`).join(", ")}.`);
}

function changesOf(values: Values): Changes {
  needs(values, "allow-changes", ["destination", "group-destination", "hours-member"]);
  const { destination, "secret-file": secretFile } = values;
  if ((destination === undefined) !== (secretFile === undefined))
    throw new UsageError("--destination and --secret-file belong together: a rotation shows the new secret only once.");
  return {
    ...(destination !== undefined && secretFile !== undefined
      ? { rotation: { destinationId: destination, secretFile } }
      : {}),
    ...(values["group-destination"] === undefined ? {} : { groupDestinationId: values["group-destination"] }),
    ...(values["hours-member"] === undefined ? {} : { hoursMemberId: values["hours-member"] }),
  };
}

function callOf(values: Values): Pick<LiveOptions, "call"> {
  needs(values, "allow-calls", ["flow", "from", "to", "provider"]);
  if (!values["allow-calls"]) return {};
  const { flow, from, to, provider } = values;
  if (flow === undefined || from === undefined || to === undefined)
    throw new UsageError("--allow-calls needs --flow, --from and --to.");
  const providerId = provider === undefined ? {} : { providerId: provider };
  return { call: { flowId: flow, fromNumber: from, toNumber: to, ...providerId } };
}

function secondsOf(given: string | undefined): number {
  const seconds = Number(given ?? 30);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 600) return seconds;
  throw new UsageError("--timeout must be a number of seconds above 0 and up to 600.");
}

/**
 * Reads the command line; credentials may also stand in the environment. Undefined when it asks for help.
 *
 * @throws {UsageError} names the option and the mend, and never a credential.
 */
export function liveOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): LiveOptions | undefined {
  let values: Values;
  try {
    values = parsed(args);
  } catch (error) {
    // What stands alone may be a credential without its option, so it is not repeated.
    if ((error as { code?: unknown }).code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
      throw new UsageError("A word stands without an option: each value follows its own.");
    throw new UsageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
  if (values.help) return undefined;
  const apiKey = values["api-key"] ?? environment.CALL_TRANSFER_API_KEY;
  const accessToken = values["access-token"] ?? environment.CALL_TRANSFER_ACCESS_TOKEN;
  const accountId = values["account-id"];
  if (apiKey === undefined && accessToken === undefined)
    throw new UsageError("Hand over a credential: --api-key, or --access-token with --account-id.");
  for (const credential of [apiKey, accessToken])
    if (credential !== undefined && !bearerForm.test(credential))
      throw new UsageError("The credential is empty or has characters that none has: was it copied whole?");
  if (accessToken !== undefined && accountId === undefined)
    throw new UsageError("--access-token needs --account-id, which names the account that it acts for.");
  return {
    baseUrl: checkedUrl(values["base-url"], values["allow-insecure-http"]),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(values.member === undefined ? {} : { memberId: values.member }),
    timeoutSecs: secondsOf(values.timeout),
    allowInsecureHttp: values["allow-insecure-http"],
    json: values.json,
    changes: changesOf(values),
    ...callOf(values),
  };
}
