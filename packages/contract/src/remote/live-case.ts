import type { CallTransfer } from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import { operationIds } from "../document/document.ts";
import { jsonOf, memberOf, omitUndefined, valueAt } from "../document/json.ts";
import type { Check } from "../suite/check.ts";
import { addressOf, connect } from "../suite/client.ts";
import type { Target } from "../suite/target.ts";
import { describeValue } from "../suite/trace.ts";
import type { LiveOptions } from "./options.ts";

/** Allowed difference between two clocks, or two times of one change, in milliseconds. */
export const clockToleranceMs = 60_000;

/** An option that a case requires, an operation, or any operation that answers the case's question. */
export type Need = Option | OperationId;

type Option = "key" | "token" | "member" | "rotation" | "group" | "hours" | "call" | "read" | "scoped read";

const onlyOthers = "--without names each operation that could be asked";

const requires: Readonly<Record<Option, readonly [given: (options: LiveOptions) => unknown, reason: string]>> = {
  key: [({ apiKey }) => apiKey, "no API key was given"],
  token: [({ accessToken }) => accessToken, "no access token was given"],
  member: [({ memberId }) => memberId, "no --member-id was given"],
  rotation: [
    ({ changes }) => changes.rotation,
    "rotates a secret; requires --allow-changes --rotate-destination-id --secret-file",
  ],
  group: [
    ({ changes }) => changes.groupDestinationIds,
    "creates a group; requires --allow-changes --group-destination-id",
  ],
  hours: [({ changes }) => changes.hoursMemberId, "removes hours; requires --allow-changes --clear-hours-member-id"],
  call: [({ call }) => call, "places a call; requires --allow-calls --flow-id --from-number --to-number"],
  read: [(options) => readsOf(options)[0], onlyOthers],
  "scoped read": [(options) => scopedReadsOf(options)[0], onlyOthers],
};

/** Whether the server has the operation: `--without` does not name it. */
export const hasOperation = ({ without }: LiveOptions, operation: OperationId): boolean => !without.includes(operation);

const needsId = (operation: OperationId): boolean => operations[operation].pathParameters.length > 0;

/** The lists that the server has, by GET and without an id. */
const listsOf = (options: LiveOptions): OperationId[] =>
  operationIds.filter((id) => operations[id].method === "GET" && !needsId(id) && hasOperation(options, id));

/** The GET operations that the server has and that need no unknown id. Requests that fit any of them use the first. */
export const readsOf = (options: LiveOptions): OperationId[] => [
  ...listsOf(options),
  ...(options.memberId !== undefined && hasOperation(options, "getMemberAvailability")
    ? (["getMemberAvailability"] as const)
    : []),
];

/** The path that shows whether the server responds: a list that needs no account, another list, or an unknown path. */
export function probePath(options: LiveOptions): string {
  const [first] = listsOf(options).toSorted(
    (one, other) => Number(operations[one].accountScoped) - Number(operations[other].accountScoped),
  );
  return first === undefined ? nowhere : operations[first].path;
}

/** Those of them that are for one account. */
export const scopedReadsOf = (options: LiveOptions): OperationId[] =>
  readsOf(options).filter((operation) => operations[operation].accountScoped);

/** The context of a live case. */
export interface Session {
  readonly options: LiveOptions;
  readonly target: Target;
  readonly check: Check;
  /** Writes a new signing secret to the file of `--secret-file`. */
  saveSecret(secret: string): void;
}

/** A case for a server whose state is unknown. */
export interface LiveCase {
  /** The section of the specification that a failure violates. */
  readonly section: string;
  readonly name: string;
  readonly requires: readonly Need[];
  /** The change that the case makes; absent for cases that only read. */
  readonly change:
    | {
        /** The only operation besides GETs that it may send. */
        readonly operation: OperationId;
        /** The text to print before the change. */
        announce(options: LiveOptions): string;
      }
    | undefined;
  run(session: Session): Promise<void>;
}

export const live = (
  section: string,
  name: string,
  requires: readonly Need[],
  run: LiveCase["run"],
  change?: LiveCase["change"],
): LiveCase => ({ section, name, requires, run, change });

/** Why a case is not run; undefined when it is run. */
export function skipReason({ requires: wanted, change }: LiveCase, options: LiveOptions): string | undefined {
  for (const need of [...wanted, ...(change ? [change.operation] : [])]) {
    if (need in operations) {
      if (!hasOperation(options, need as OperationId)) return `--without ${need}`;
      continue;
    }
    const [given, reason] = requires[need as Option];
    if (given(options) === undefined) return reason;
  }
  return undefined;
}

/** Creates an SDK client with the API key or the access token. */
export function client({ options, target }: Session): Promise<CallTransfer> {
  const { allowInsecureHttp, apiKey, timeoutSecs } = options;
  const who = apiKey === undefined ? { userId: "" } : { keyAccountId: "" };
  return connect(target, who, { allowInsecureHttp, timeoutMs: timeoutSecs * 1000 });
}

export function identity({ apiKey, accessToken, accountId }: LiveOptions): Record<string, string> {
  const account = apiKey === undefined && accountId !== undefined ? { "X-Account-Id": accountId } : {};
  return { Authorization: `Bearer ${apiKey ?? accessToken}`, ...account };
}

interface GetOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Authentication headers; by default those of the given credential. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of a response that cases check. */
export interface Reply {
  readonly status: number;
  readonly code: unknown;
  readonly body: unknown;
  /** The header `X-Request-Id`. */
  readonly requestId: string | null;
}

/** A path without an operation. */
export const nowhere = "/api/v1/nothing-here";

/** Sends a GET of the first of these operations. */
export const getFirst = (session: Session, [operation]: readonly OperationId[], headers?: GetOptions["headers"]) =>
  getOperation(session, operation ?? "listRoles", {
    path: omitUndefined({ memberId: session.options.memberId }),
    ...omitUndefined({ headers }),
  });

/** Sends a GET of an operation without the SDK, for requests that the SDK refuses to send. */
export async function getOperation(
  session: Session,
  operation: OperationId,
  question: GetOptions = {},
): Promise<Reply> {
  const { path, query, headers = identity(session.options) } = question;
  return getPath(session, addressOf(operation, path, query), headers);
}

export async function getPath(
  { target }: Session,
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await target.fetch(target.baseUrl + address, { headers });
  const body = await jsonOf(response);
  return {
    status: response.status,
    code: memberOf(body, "code"),
    body,
    requestId: response.headers.get("X-Request-Id"),
  };
}

export const describeReply = ({ status, code }: Reply): string =>
  code === undefined ? String(status) : `${status} ${describeValue(code)}`;

/** Observes a response for an assumption, which holds if the response has a status or a code. */
export function observeReply(
  { check }: Session,
  assumption: string,
  subject: string,
  reply: Reply,
  expected: number | string | null,
): void {
  const answered = typeof expected === "string" ? reply.code : reply.status;
  check.observe(assumption, subject, describeReply(reply), answered === expected);
}

/** The total of a call list, under the name that this project assumes; undefined under another one. */
export function totalOf(page: unknown): number | undefined {
  const total = valueAt(page, ["meta", "total"]);
  return typeof total === "number" ? total : undefined;
}
