import type { CallTransfer } from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import type { Check } from "../suite/check.ts";
import { connect } from "../suite/client.ts";
import type { Target } from "../suite/target.ts";
import { describeValue } from "../suite/trace.ts";
import type { LiveOptions } from "./options.ts";

/** What a case has to be given besides a credential. */
export type Need = "key" | "token" | "member" | "rotation" | "group" | "hours" | "call";

const needs: Readonly<Record<Need, { isGiven(options: LiveOptions): boolean; why: string }>> = {
  key: { isGiven: ({ apiKey }) => apiKey !== undefined, why: "no API key was given" },
  token: { isGiven: ({ accessToken }) => accessToken !== undefined, why: "no access token was given" },
  member: { isGiven: ({ memberId }) => memberId !== undefined, why: "no --member was given" },
  rotation: {
    isGiven: ({ changes }) => changes.rotation !== undefined,
    why: "it rotates a secret: --allow-changes --destination --secret-file",
  },
  group: {
    isGiven: ({ changes }) => changes.groupDestinationId !== undefined,
    why: "it creates a group: --allow-changes --group-destination",
  },
  hours: {
    isGiven: ({ changes }) => changes.hoursMemberId !== undefined,
    why: "it removes hours: --allow-changes --hours-member",
  },
  call: { isGiven: ({ call }) => call !== undefined, why: "it places a call: --allow-calls --flow --from --to" },
};

/** What a case of a live server works with. */
export interface Session {
  readonly options: LiveOptions;
  readonly target: Target;
  readonly check: Check;
  /** Puts a new signing secret where its owner wants it. */
  saveSecret(secret: string): void;
}

/** One question to a server whose state nobody prepared. */
export interface LiveCase {
  readonly name: string;
  readonly needs: readonly Need[];
  /** What it does to the server, where it does more than read. */
  readonly change?: {
    /** The one operation besides GETs that it may send. */
    readonly operation: OperationId;
    /** Says what is about to be done. */
    announce(options: LiveOptions): string;
  };
  run(session: Session): Promise<void>;
}

/** Why a case is not run; undefined when it is. */
export const skipReason = ({ needs: wanted }: LiveCase, options: LiveOptions): string | undefined =>
  wanted.map((need) => needs[need]).find(({ isGiven }) => !isGiven(options))?.why;

/** An SDK client that acts as the given key, or as the given token. */
export function client(
  { options, target }: Session,
  kind: "key" | "token" = mainCredential(options),
): Promise<CallTransfer> {
  const { allowInsecureHttp, timeoutSecs } = options;
  const who = kind === "key" ? { keyOf: "" } : { userId: "" };
  return connect(target, who, { allowInsecureHttp, timeoutMs: timeoutSecs * 1000 });
}

const mainCredential = ({ apiKey }: LiveOptions): "key" | "token" => (apiKey === undefined ? "token" : "key");

/** The headers that say who calls. */
export function identity({ apiKey, accessToken, accountId }: LiveOptions): Record<string, string> {
  const account = apiKey === undefined && accountId !== undefined ? { "X-Account-Id": accountId } : {};
  return { Authorization: `Bearer ${apiKey ?? accessToken}`, ...account };
}

interface GetOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Who calls, the given credential unless named. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back, as far as cases look at it. */
export interface Reply {
  readonly status: number;
  readonly code: unknown;
  readonly body: unknown;
}

/** Sends a GET without the SDK, for what the SDK would refuse to send. */
export async function getOperation(
  session: Session,
  operation: OperationId,
  question: GetOptions = {},
): Promise<Reply> {
  const { path = {}, query = {}, headers = identity(session.options) } = question;
  const address = operations[operation].path.replaceAll(/\{([^}]+)\}/g, (_whole, name) => path[name] ?? "");
  const search = new URLSearchParams(query).toString();
  return getPath(session, search === "" ? address : `${address}?${search}`, headers);
}

/** Sends a GET to any path. */
export async function getPath(
  { target }: Session,
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await target.fetch(target.baseUrl + address, { headers });
  const body: unknown = await response.json().catch(() => undefined);
  const code: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "code") : undefined;
  return { status: response.status, code, body };
}

/** An answer in few words. */
export const describeReply = ({ status, code }: Reply): string =>
  code === undefined ? String(status) : `${status} ${describeValue(code)}`;
