import { statusOf } from "../document/expected.ts";
import { limits } from "../facts/limits.ts";
import {
  describeReply,
  getFirst,
  getOperation,
  getPath,
  identity,
  type LiveCase,
  live,
  nowhere,
  observeReply,
  type Reply,
  readsOf,
  type Session,
  scopedReadsOf,
} from "./live-case.ts";

const tokenAlone = ({ options }: Session) => ({ Authorization: `Bearer ${options.accessToken}` });
const unknownKey = { Authorization: `Bearer ${limits.apiKeyPrefix}unknown` };
const malformedId = "not-an-id";

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

/** Expects status 401 (§4), and the code if §5 defines it. */
async function expectUnauthorized(session: Session, headers: Record<string, string>, code?: string): Promise<Reply> {
  const reply = await getFirst(session, readsOf(session.options), headers);
  session.check.equal(reply.status, statusOf("unauthorized"), "status");
  if (code) session.check.equal(reply.code, code, "code");
  return reply;
}

const rejected: Readonly<Record<string, readonly [section: string, headers: Record<string, string>, code: string]>> = {
  "a request without a credential": ["§5.4", {}, "token_missing"],
  "an unknown API key": ["§5.3", unknownKey, "api_key_invalid"],
  "a token that is not a JWT": ["§5.4", { Authorization: "Bearer not-a-jwt" }, "token_invalid"],
};

/** Authentication and the order of checks. */
export const credentialCases: readonly LiveCase[] = [
  ...Object.entries(rejected).map(([what, [section, headers, code]]) =>
    live(
      section,
      `${what} is rejected`,
      ["read"],
      async (session) => void (await expectUnauthorized(session, headers, code)),
    ),
  ),
  live("§5.1", "a scheme other than Bearer is rejected", ["read"], async (session) => {
    const reply = await expectUnauthorized(session, { Authorization: "Basic b3duZXI6c2VjcmV0" });
    observeReply(session, "A-42", "a scheme other than Bearer", reply, "unauthorized");
  }),
  live(
    "§5.2",
    "a JWT without X-Account-Id is rejected if an account is needed",
    ["token", "scoped read"],
    async (session) => {
      const scoped = await getFirst(session, scopedReadsOf(session.options), tokenAlone(session));
      session.check.equal(
        describeReply(scoped),
        `${statusOf("account_header_missing")} account_header_missing`,
        "response",
      );
    },
  ),
  live("§5.2", "a JWT without X-Account-Id can list accounts", ["token", "listAccounts"], async (session) => {
    const accounts = await getOperation(session, "listAccounts", { headers: tokenAlone(session) });
    observeReply(session, "A-10", "the account list without X-Account-Id", accounts, 200);
  }),
  live("§5.2", "X-Account-Id is checked before the id", ["token", "getMemberAvailability"], async (session) => {
    const malformed = await getOperation(session, "getMemberAvailability", {
      path: { memberId: malformedId },
      headers: tokenAlone(session),
    });
    observeReply(session, "A-18", "a malformed id without X-Account-Id", malformed, "account_header_missing");
  }),
  live(
    "§4.5",
    "a JWT is rejected for an account that its user is not a member of",
    ["token", "listRoles"],
    async (session) => {
      const headers = {
        Authorization: `Bearer ${session.options.accessToken}`,
        "X-Account-Id": crypto.randomUUID(),
      };
      const reply = await getOperation(session, "listRoles", { headers });
      session.check.equal(reply.status, statusOf("account_access_denied"), "status");
      observeReply(session, "A-16", "another account", reply, "account_access_denied");
    },
  ),
  live("§5.6", "the access token has the documented lifetime", ["token"], async ({ options, check }) => {
    const lifetime = lifetimeSecs(options.accessToken ?? "");
    if (lifetime !== undefined) check.observe("A-19", "seconds from iat to exp", String(lifetime), lifetime === 3600);
  }),
  live("§5.3", "an API key with another account in X-Account-Id is rejected", ["key", "listRoles"], async (session) => {
    const headers = { Authorization: `Bearer ${session.options.apiKey}`, "X-Account-Id": crypto.randomUUID() };
    const reply = await getOperation(session, "listRoles", { headers });
    observeReply(session, "A-17", "a key with another account in X-Account-Id", reply, "account_access_denied");
  }),
  live("§4", "credentials are checked after the path and before the id", ["getMemberAvailability"], async (session) => {
    const path = await getPath(session, nowhere, {});
    observeReply(session, "A-45", "an unknown path without a credential", path, "not_found");
    const id = await getOperation(session, "getMemberAvailability", {
      path: { memberId: malformedId },
      headers: unknownKey,
    });
    observeReply(session, "A-18", "a malformed id with an unknown key", id, "api_key_invalid");
  }),
  live("§4", "credentials are checked before the query", ["listCalls"], async (session) => {
    const query = await getOperation(session, "listCalls", { query: { limit: "0" }, headers: unknownKey });
    observeReply(session, "A-18", "an invalid query with an unknown key", query, "api_key_invalid");
  }),
  live("§2.6", "each request has its own request id", ["read"], async (session) => {
    const first = await getFirst(session, readsOf(session.options));
    const second = await getFirst(session, readsOf(session.options));
    if (first.requestId !== null)
      session.check.isTrue(first.requestId !== second.requestId, "two requests have different ids");
    const unknown = await getPath(session, nowhere, identity(session.options));
    observeReply(session, "A-45", "an unknown path", unknown, "not_found");
  }),
];
