import { timeOf } from "../document/check-response.ts";
import { roles } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { memberOf } from "../document/json.ts";
import { limits } from "../facts/limits.ts";
import { describeValue } from "../suite/trace.ts";
import { callListCases } from "./call-list.ts";
import {
  client,
  clockToleranceMs,
  describeReply,
  getFirst,
  getOperation,
  getPath,
  identity,
  type LiveCase,
  live,
  type Need,
  nowhere,
  observeReply,
  type Reply,
  readsOf,
  type Session,
  scopedReadsOf,
} from "./live-case.ts";

type Members = Readonly<Record<string, unknown>>;

/** The resource that a permission names (§2.5). */
const resourceOf = (permission: unknown): string => describeValue(permission).split(":")[0] ?? "";

/** Fails for a status that has ended by the clock of the response (§3). */
function expectInForce(session: Session, { status, until }: Members, date: string | null): void {
  const end = timeOf(until);
  const now = Date.parse(date ?? "") || Date.now();
  session.check.isTrue(
    status === "available" || end === undefined || end > now - clockToleranceMs,
    `§3 says that ${describeValue(status)} reads as available after ${describeValue(until)}; ` +
      `by the response's clock it is ${new Date(now).toISOString()}`,
  );
}

async function readsAvailability(session: Session): Promise<void> {
  const { check, options } = session;
  const memberId = options.memberId ?? "";
  const { data, response } = await (await client(session)).members.getAvailability(memberId).withResponse();
  const availability: Members = { ...data };
  check.equal(availability.memberId, memberId, "memberId");
  expectInForce(session, availability, response.headers.get("Date"));
  const { status, source, reason, until, updatedAt } = availability;
  if (status === "available") {
    const left = Object.entries({ source, reason, until, updatedAt })
      .filter(([, value]) => typeof value === "string")
      .map(([name]) => name);
    check.observe("A-24", "other fields of an available member", left.join(", ") || "nothing", left.length === 0);
  }
  if (source === "auto") check.observe("A-35", "the reason of an automatic status", describeValue(reason), true);
  check.observe("A-15", "reading the availability with this credential", "allowed", true);
}

const resourceCases: readonly LiveCase[] = [
  live(
    "§4.5",
    "the role list has every built-in role once, with permissions of the documented form",
    ["listRoles"],
    async (session) => {
      const { check } = session;
      const listed = memberOf(await (await client(session)).roles.list(), "roles");
      const list = Array.isArray(listed) ? (listed as unknown[]) : [];
      const names = list.map((entry) => describeValue(memberOf(entry, "role")));
      check.equal(names.toSorted(), roles.toSorted(), "roles");
      const permissions = list.flatMap((entry) => memberOf(entry, "permissions"));
      const resources = new Set(permissions.map(resourceOf));
      const ours = ["transfers", "calls"].every((name) => resources.has(name));
      check.observe("A-14", "resources of the permissions", [...resources].toSorted().join(", "), ours);
    },
  ),
  live("§4.6", "the account list has the credential's accounts", ["listAccounts"], async (session) => {
    const { check, options } = session;
    const { status, body } = await getOperation(session, "listAccounts");
    check.equal(status, 200, "status");
    const accounts = memberOf(body, "accounts");
    // Its shape is not shown, so nothing more can be said of another one.
    if (!Array.isArray(accounts)) return;
    check.observe("A-10", "accounts listed", String(accounts.length), accounts.length > 0);
    if (options.accountId === undefined) return;
    const isThere = accounts.some((account) => memberOf(account, "id") === options.accountId);
    check.observe("A-10", "the given account", isThere ? "listed" : "not listed", isThere);
  }),
  live("§4.4", "a member's availability is the current status", ["member", "getMemberAvailability"], readsAvailability),
  live(
    "§4.4",
    "an unknown member is not found, and a malformed id gets another error",
    ["getMemberAvailability"],
    async (session) => {
      const { check } = session;
      const unknown = await getOperation(session, "getMemberAvailability", { path: { memberId: crypto.randomUUID() } });
      const notFound = statusOf("resource_not_found");
      if (unknown.status === statusOf("insufficient_permissions"))
        check.observe("A-15", "reading an availability with this credential", describeReply(unknown), false);
      else check.equal(unknown.status, notFound, "status for an unknown member");
      if (unknown.status === notFound)
        observeReply(session, "A-16", "an unknown member", unknown, "resource_not_found");
      const malformed = await getMalformed(session);
      observeReply(session, "A-6", "an id that is not a UUID", malformed, "invalid_id_format");
    },
  ),
];

/** Seconds from `iat` to `exp` of a JWT; undefined for other tokens. */
function lifetimeSecs(token: string): number | undefined {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const { iat, exp } = JSON.parse(text) as { iat?: unknown; exp?: unknown };
    return typeof iat === "number" && typeof exp === "number" ? exp - iat : undefined;
  } catch {
    return undefined;
  }
}

const tokenAlone = ({ options }: Session) => ({ Authorization: `Bearer ${options.accessToken}` });
const unknownKey = { Authorization: `Bearer ${limits.apiKeyPrefix}unknown` };
const otherAccount = (credential: string | undefined) => {
  return { Authorization: `Bearer ${credential}`, "X-Account-Id": crypto.randomUUID() };
};

/** Asks for the availability of a member whose id is malformed. */
const getMalformed = (session: Session, headers?: Readonly<Record<string, string>>) =>
  getOperation(session, "getMemberAvailability", { path: { memberId: "not-an-id" }, ...(headers && { headers }) });

/** What is expected of an answer: the status and code by the contract, and a status or code by an assumption. */
interface Expected {
  readonly status?: number | null;
  readonly code?: string;
  readonly assumes?: readonly [assumption: string, subject: string, answer: number | string];
}

/** A case that sends one request. */
const asks = (
  section: string,
  name: string,
  requires: readonly Need[],
  ask: (session: Session) => Promise<Reply>,
  { status, code, assumes }: Expected,
): LiveCase =>
  live(section, name, requires, async (session) => {
    const reply = await ask(session);
    if (status !== undefined) session.check.equal(reply.status, status, "status");
    if (code !== undefined) session.check.equal(reply.code, code, "code");
    if (assumes !== undefined) observeReply(session, assumes[0], assumes[1], reply, assumes[2]);
  });

const withHeaders = (headers: Readonly<Record<string, string>>) => (session: Session) =>
  getFirst(session, readsOf(session.options), headers);
const unauthorized = statusOf("unauthorized");

/** Authentication and the order of checks. */
const credentialCases: readonly LiveCase[] = [
  asks("§5.4", "a request without a credential is rejected", ["read"], withHeaders({}), {
    status: unauthorized,
    code: "token_missing",
  }),
  asks("§5.3", "an unknown API key is rejected", ["read"], withHeaders(unknownKey), {
    status: unauthorized,
    code: "api_key_invalid",
  }),
  asks("§5.4", "a token that is not a JWT is rejected", ["read"], withHeaders({ Authorization: "Bearer not-a-jwt" }), {
    status: unauthorized,
    code: "token_invalid",
  }),
  asks("§5.1", "a scheme other than Bearer is rejected", ["read"], withHeaders({ Authorization: "Basic b3duZXI6" }), {
    status: unauthorized,
    assumes: ["A-42", "a scheme other than Bearer", "unauthorized"],
  }),
  asks(
    "§5.2",
    "a JWT without X-Account-Id is rejected if an account is needed",
    ["token", "scoped read"],
    (session) => getFirst(session, scopedReadsOf(session.options), tokenAlone(session)),
    { status: statusOf("account_header_missing"), code: "account_header_missing" },
  ),
  asks(
    "§5.2",
    "a JWT without X-Account-Id can list accounts",
    ["token", "listAccounts"],
    (session) => getOperation(session, "listAccounts", { headers: tokenAlone(session) }),
    { assumes: ["A-10", "the account list without X-Account-Id", 200] },
  ),
  asks(
    "§5.2",
    "X-Account-Id is checked before the id",
    ["token", "getMemberAvailability"],
    (session) => getMalformed(session, tokenAlone(session)),
    { assumes: ["A-18", "a malformed id without X-Account-Id", "account_header_missing"] },
  ),
  asks(
    "§4.5",
    "a JWT is rejected for an account that its user is not a member of",
    ["token", "listRoles"],
    (session) => getOperation(session, "listRoles", { headers: otherAccount(session.options.accessToken) }),
    { status: statusOf("account_access_denied"), assumes: ["A-16", "another account", "account_access_denied"] },
  ),
  asks(
    "§5.3",
    "an API key with another account in X-Account-Id is rejected",
    ["key", "listRoles"],
    (session) => getOperation(session, "listRoles", { headers: otherAccount(session.options.apiKey) }),
    { assumes: ["A-17", "a key with another account in X-Account-Id", "account_access_denied"] },
  ),
  live("§4", "credentials are checked after the path and before the id", ["getMemberAvailability"], async (session) => {
    const path = await getPath(session, nowhere, {});
    observeReply(session, "A-45", "an unknown path without a credential", path, "not_found");
    const id = await getMalformed(session, unknownKey);
    observeReply(session, "A-18", "a malformed id with an unknown key", id, "api_key_invalid");
  }),
  asks(
    "§4",
    "credentials are checked before the query",
    ["listCalls"],
    (session) => getOperation(session, "listCalls", { query: { limit: "0" }, headers: unknownKey }),
    { assumes: ["A-18", "an invalid query with an unknown key", "api_key_invalid"] },
  ),
  live("§2.6", "each request has its own request id", ["read"], async (session) => {
    const first = await getFirst(session, readsOf(session.options));
    const second = await getFirst(session, readsOf(session.options));
    if (first.requestId !== null)
      session.check.isTrue(first.requestId !== second.requestId, "two requests have different ids");
    const unknown = await getPath(session, nowhere, identity(session.options));
    observeReply(session, "A-45", "an unknown path", unknown, "not_found");
  }),
  live("§5.6", "the access token has the documented lifetime", ["token"], async ({ options, check }) => {
    const lifetime = lifetimeSecs(options.accessToken ?? "");
    if (lifetime !== undefined) check.observe("A-19", "seconds from iat to exp", String(lifetime), lifetime === 3600);
  }),
];

/** All cases that only read. */
export const readCases: readonly LiveCase[] = [...resourceCases, ...callListCases, ...credentialCases];
