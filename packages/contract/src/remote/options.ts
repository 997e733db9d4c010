import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { type OperationId, operations } from "@call-transfer/spec";
import { omitUndefined } from "../document/json.ts";

/** The validated options of the command. */
export interface LiveOptions {
  /** Base URL without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly accessToken?: string;
  readonly accountId?: string;
  /** A member whose availability may be read. */
  readonly memberId?: string;
  /** Timeout of one request, in seconds. */
  readonly timeoutSecs: number;
  readonly allowInsecureHttp: boolean;
  readonly json: boolean;
  /** Whether a difference from an assumption fails the run. */
  readonly strict: boolean;
  /** The operations that the server does not have. */
  readonly without: readonly OperationId[];
  /** The changes that the user allows. */
  readonly changes: Changes;
  /** The one call that the user allows to place. */
  readonly call?: {
    readonly flowId: string;
    readonly fromNumber: string;
    readonly toNumber: string;
    readonly providerId?: string;
  };
}

/** The changes that the user allows. */
export interface Changes {
  /** An `app` destination whose signing secret is rotated, and the file for the new secret. */
  readonly rotation?: { readonly destinationId: string; readonly secretFile: string };
  /** The destinations in a new group, in ring order. */
  readonly groupDestinationIds?: readonly string[];
  /** The member whose hours are removed. */
  readonly hoursMemberId?: string;
}

/** A wrong command line or an unreachable server. The message says how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Usage: npx @call-transfer/contract --base-url URL [options]

Checks whether a running server keeps the API contract. Also compares the server with our assumptions
about what the specification does not define. By default it only sends GET requests: it places no calls
and changes nothing. Some requests are invalid on purpose, e.g. one without a credential.

  --base-url URL           address of the server, without /api/v1
  --api-key KEY            API key. Other processes can see it; CALL_TRANSFER_API_KEY is safer
  --access-token TOKEN     access token, instead of or in addition to the API key. Other processes
                           can see it; CALL_TRANSFER_ACCESS_TOKEN is safer
  --account-id ID          account for the access token; required with it
  --member-id ID           member whose availability is read
  --timeout TIME           timeout of one request, such as 30s or 500ms (default 30s)
  --allow-insecure-http    allow plain http to another machine, which exposes the credential
  --without OPERATION      operation that the server does not have, e.g. createCall: its cases are
                           not run, and the report says so. Repeat it for several
  --strict                 fail for a differing assumption too
  --json                   print the report as one JSON document
  --help                   print this text

  --allow-changes          also make the changes below, each announced on stderr and made once:
    --rotate-destination-id ID
                           rotate the signing secret of this app destination. The old secret
                           expires after 24 hours
    --secret-file FILE     new file for the new secret, readable only by you; required with
                           --rotate-destination-id
    --group-destination-id ID
                           create two groups with this destination. The API cannot delete them.
                           Repeat it for several, which are checked to keep their order
    --clear-hours-member-id ID
                           remove this member's available hours permanently

  --allow-calls            also place one call, announced on stderr:
    --flow-id ID --from-number NUMBER --to-number NUMBER [--provider-id ID]

Exit status: 0 if the server keeps the contract, 1 if it violates it, 2 for a wrong command line or
an unreachable server. A differing assumption fails the run only with --strict: the specification does
not define it.`;

/** The environment variables that replace options. */
export const variables = { "api-key": "CALL_TRANSFER_API_KEY", "access-token": "CALL_TRANSFER_ACCESS_TOKEN" } as const;

/** The exit statuses of the command. `interrupted` and `terminated` are the shell's for these signals. */
export const exitStatus = { passed: 0, failed: 1, incomplete: 2, interrupted: 130, terminated: 143 } as const;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

/** The options of the command. The release gate compares them with the last release. */
export const options = {
  "base-url": text,
  "api-key": text,
  "access-token": text,
  "account-id": text,
  "member-id": text,
  timeout: { type: "string", default: "30s" },
  "allow-insecure-http": flag,
  json: flag,
  strict: flag,
  without: { type: "string", multiple: true, default: [] as string[] },
  help: flag,
  "allow-changes": flag,
  "rotate-destination-id": text,
  "secret-file": text,
  "group-destination-id": { type: "string", multiple: true },
  "clear-hours-member-id": text,
  "allow-calls": flag,
  "flow-id": text,
  "from-number": text,
  "to-number": text,
  "provider-id": text,
} satisfies ParseArgsOptionsConfig;

const parsed = (args: readonly string[]) => parseArgs({ args: [...args], options }).values;

type Values = ReturnType<typeof parsed>;

/** The syntax of a bearer token (RFC 6750, section 2.1). */
const bearerForm = /^[A-Za-z0-9._~+/-]+=*$/;

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

function checkedUrl(url: string | undefined, allowInsecureHttp: boolean): string {
  if (url === undefined) throw new UsageError("Missing --base-url. Set it to the address of the server.");
  const parsedUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (parsedUrl?.protocol !== "https:" && parsedUrl?.protocol !== "http:")
    throw new UsageError("--base-url must be a URL that begins with https:// or http://.");
  if (parsedUrl.username !== "" || parsedUrl.password !== "" || parsedUrl.search !== "" || parsedUrl.hash !== "")
    throw new UsageError("--base-url must not contain a user name, password, query or fragment. Remove it.");
  if (/\/api\/v1\/?$/.test(parsedUrl.pathname)) throw new UsageError("--base-url must not contain /api/v1. Remove it.");
  if (parsedUrl.protocol === "http:" && !loopback.has(parsedUrl.hostname) && !allowInsecureHttp)
    throw new UsageError("Plain http would expose the credential. Use https, or set --allow-insecure-http.");
  return url.replace(/\/+$/, "");
}

function needs(values: Values, allowance: "allow-changes" | "allow-calls", names: readonly (keyof Values)[]): void {
  const given = names.filter((name) => values[name] !== undefined);
  if (!values[allowance] && given.length > 0) throw new UsageError(`--${given[0]} only works with --${allowance}.`);
  if (values[allowance] && given.length === 0)
    throw new UsageError(`--${allowance} requires at least one of ${names.map((name) => `--${name}`).join(", ")}.`);
}

function changesOf(values: Values): Changes {
  needs(values, "allow-changes", ["rotate-destination-id", "group-destination-id", "clear-hours-member-id"]);
  const { "rotate-destination-id": destinationId, "secret-file": secretFile } = values;
  if ((destinationId === undefined) !== (secretFile === undefined))
    throw new UsageError(
      "--rotate-destination-id and --secret-file only work together: the API returns the new secret only once.",
    );
  return {
    ...(destinationId !== undefined && secretFile !== undefined ? { rotation: { destinationId, secretFile } } : {}),
    ...omitUndefined({
      groupDestinationIds: values["group-destination-id"],
      hoursMemberId: values["clear-hours-member-id"],
    }),
  };
}

function callOf(values: Values): Pick<LiveOptions, "call"> {
  needs(values, "allow-calls", ["flow-id", "from-number", "to-number", "provider-id"]);
  if (!values["allow-calls"]) return {};
  const { "flow-id": flowId, "from-number": fromNumber, "to-number": toNumber, "provider-id": providerId } = values;
  if (flowId === undefined || fromNumber === undefined || toNumber === undefined)
    throw new UsageError("--allow-calls requires --flow-id, --from-number and --to-number.");
  return { call: { flowId, fromNumber, toNumber, ...omitUndefined({ providerId }) } };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function secondsOf(given: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(given) ?? [];
  const seconds = (Number(amount) * (unitMs[unit] ?? Number.NaN)) / 1000;
  if (seconds > 0 && seconds <= 600) return seconds;
  throw new UsageError("--timeout must be a duration above 0, such as 30s or 500ms, at most 10m.");
}

function withoutOf(names: readonly string[]): OperationId[] {
  const known = Object.keys(operations);
  const ids = [...new Set(names)];
  if (ids.some((name) => !known.includes(name)))
    throw new UsageError(`--without takes one operation. Choose from ${known.join(", ")}, and repeat it for several.`);
  if (ids.length === known.length) throw new UsageError("--without names every operation. Leave one to check.");
  return ids as OperationId[];
}

/**
 * Parses the command line. Credentials may also come from the environment. Returns undefined for `--help`.
 *
 * @throws {UsageError} names the option and how to fix it, and never contains a credential.
 */
export function liveOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): LiveOptions | undefined {
  let values: Values;
  try {
    values = parsed(args);
  } catch (error) {
    // The argument may be a credential without its option, so the message does not repeat it.
    if ((error as { code?: unknown }).code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
      throw new UsageError("Unexpected argument. Write each value after its option, e.g. --base-url URL.");
    throw new UsageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
  if (values.help) return undefined;
  const apiKey = values["api-key"] ?? environment[variables["api-key"]];
  const accessToken = values["access-token"] ?? environment[variables["access-token"]];
  const accountId = values["account-id"];
  if (apiKey === undefined && accessToken === undefined)
    throw new UsageError("Missing credential. Set --api-key, or --access-token with --account-id.");
  for (const credential of [apiKey, accessToken])
    if (credential !== undefined && !bearerForm.test(credential))
      throw new UsageError("The credential is empty or contains invalid characters. Copy it again.");
  if (accessToken !== undefined && accountId === undefined)
    throw new UsageError("--access-token requires --account-id, the account to act for.");
  return {
    baseUrl: checkedUrl(values["base-url"], values["allow-insecure-http"]),
    ...omitUndefined({ apiKey, accessToken, accountId, memberId: values["member-id"] }),
    timeoutSecs: secondsOf(values.timeout),
    allowInsecureHttp: values["allow-insecure-http"],
    json: values.json,
    strict: values.strict,
    without: withoutOf(values.without),
    changes: changesOf(values),
    ...callOf(values),
  };
}
