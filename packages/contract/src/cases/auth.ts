import { type ErrorCode, type OperationId, operations, type Role } from "@call-transfer/spec";
import { callersOf, operationIds } from "../document/document.ts";
import { admittedBy, isAccountScoped, statusOf, successOf } from "../document/expected.ts";
import { headers as headerNames, limits } from "../facts/limits.ts";
import { accounts, members, users } from "../fixtures/names.ts";
import { type ContractCase, casesFor, covering, shows } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { codeOf, connect, homeUser, invoke, sendRaw, validInput } from "../suite/client.ts";
import type { Caller, Credentials, KeyHolder, Target } from "../suite/target.ts";

const test = casesFor("authentication", ["authentication", "state", "clock"]);
const permission = casesFor("permissions", ["authentication"]);
const allScopes = [...new Set(operationIds.map((id) => operations[id].scope))];
/** The IP address that the suite sends from, and another one. */
const ownIp = "127.0.0.1";
const otherIp = "203.0.113.7";

const key = (changes: Omit<KeyHolder, "keyAccountId"> = {}): Caller => ({ keyAccountId: accounts.home, ...changes });

/** A caller and the expected error code; success without one. */
interface Situation {
  readonly name: string;
  readonly who: Caller;
  readonly expected?: ErrorCode;
  /** Set where the specification defines the status only. */
  readonly assumption?: string;
  /** What the assumption says it about; the name of the situation without one. */
  readonly subject?: string;
}

const whenScoped = (operation: OperationId, code: ErrorCode): { expected: ErrorCode } | object =>
  isAccountScoped(operation) ? { expected: code } : {};

/** Credentials that the SDK sends unchanged. */
function situationsOf(operation: OperationId): Situation[] {
  const { scope } = operations[operation];
  const scopes = allScopes.filter((other) => other !== scope);
  const suspended = { assumption: "A-42", subject: "the account is suspended" };
  const keyOfSuspended = {
    name: "a key of a suspended account",
    who: { keyAccountId: accounts.suspended },
    ...suspended,
  };
  return [
    { name: "an expired JWT", who: { ...homeUser("owner"), expired: true }, expected: "token_expired" },
    { name: "an expired key", who: key({ state: "expired" }), expected: "api_key_expired" },
    { name: "a revoked key", who: key({ state: "revoked" }), expected: "api_key_revoked" },
    { name: "a key without the required scope", who: key({ scopes }), expected: "api_key_insufficient_scope" },
    { name: "a key with only the required scope", who: key({ scopes: [scope] }) },
    { name: "a key from another address", who: key({ allowedIps: [otherIp] }), expected: "api_key_ip_restricted" },
    { name: "a key that no address may use", who: key({ allowedIps: [] }), expected: "api_key_ip_restricted" },
    { name: "a key from an allowed address", who: key({ allowedIps: [otherIp, ownIp] }) },
    { name: "a key that names its own account", who: key({ accountId: accounts.home }) },
    {
      name: "a key that names another account",
      who: key({ accountId: accounts.foreign }),
      ...whenScoped(operation, "account_access_denied"),
      assumption: "A-17",
    },
    {
      name: "a user of another account",
      who: { userId: users.stranger, accountId: accounts.home },
      ...whenScoped(operation, "account_access_denied"),
      assumption: "A-16",
      subject: "the caller is not a member of the account",
    },
    {
      name: "a user of a suspended account",
      who: { userId: users.owner, accountId: accounts.suspended },
      ...whenScoped(operation, "account_suspended"),
      ...suspended,
    },
    // For the other operations the specification leaves open what a suspended account's key may do.
    ...(isAccountScoped(operation) ? [{ ...keyOfSuspended, expected: "account_suspended" as const }] : []),
  ];
}

/** The caller for a cell of the role table. Requests name another member than the caller, except for `self`. */
function whoIs(caller: string): Caller {
  if (caller === "self") return homeUser("colleague");
  if (caller.startsWith("key as ")) return key({ role: caller.slice("key as ".length) as Role });
  return { userId: users[caller as keyof typeof users], accountId: accounts.home };
}

async function answers(
  target: Target,
  check: Check,
  operation: OperationId,
  { name, who, expected, assumption, subject = name }: Situation,
): Promise<void> {
  const call = invoke(await connect(target, who), operation, validInput(operation));
  if (!expected) return check.equal((await call.withResponse()).response.status, successOf(operation), "status");
  await (assumption ? check.rejectedWithStatus(call, expected, assumption, subject) : check.rejected(call, expected));
}

function* matrixOf(operation: OperationId): Generator<ContractCase> {
  for (const situation of situationsOf(operation)) {
    yield test(`${operation} with ${situation.name} returns ${situation.expected ?? "success"}`, (target, check) =>
      answers(target, check, operation, situation));
  }
  for (const caller of callersOf(operation)) {
    const permitted = admittedBy(operation).includes(caller.replace("key as ", ""));
    const refusal = permitted ? {} : { expected: "insufficient_permissions" as const };
    yield covering(
      [{ kind: "role", operation, role: caller }],
      permission(`${operation} ${permitted ? "allows" : "rejects"} ${caller}`, (target, check) =>
        answers(target, check, operation, {
          name: "the role does not permit it",
          who: whoIs(caller),
          assumption: "A-16",
          ...refusal,
        }),
      ),
    );
  }
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** The token's claims, signed with a key that is not the platform's. */
async function resigned(token: string): Promise<string> {
  const signed = token.slice(0, token.lastIndexOf("."));
  const secret = new TextEncoder().encode("not the platform's signing key, but long enough");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signingKey = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return `${signed}.${base64url(await crypto.subtle.sign("HMAC", signingKey, new TextEncoder().encode(signed)))}`;
}

const base64urlText = (text: string): string => base64url(new TextEncoder().encode(text).buffer as ArrayBuffer);

/** The token's claims with the `none` algorithm and without a signature. */
const unsigned = (token: string): string => `${base64urlText('{"alg":"none"}')}.${token.split(".")[1] ?? ""}.`;

/** Header values that the SDK never sends, made from the owner's token. */
const headers: Readonly<
  Record<string, { code: ErrorCode; from(token: string): string | Promise<string> | undefined }>
> = {
  "no Authorization header": { code: "token_missing", from: () => undefined },
  "a scheme other than Bearer": { code: "unauthorized", from: () => "Basic b3duZXI6c2VjcmV0" },
  "a token that is not a JWT": { code: "token_invalid", from: () => "Bearer not-a-jwt" },
  "a truncated JWT": { code: "token_invalid", from: (token) => `Bearer ${token.slice(0, -8)}` },
  "a JWT signed by another key": { code: "token_invalid", from: async (token) => `Bearer ${await resigned(token)}` },
  "an unsigned JWT": { code: "token_invalid", from: (token) => `Bearer ${unsigned(token)}` },
  "an unknown key": { code: "api_key_invalid", from: () => `Bearer ${limits.apiKeyPrefix}unknown` },
};

const tokenOf = ({ accessToken = "" }: Credentials): string => accessToken;

function* headerCasesOf(operation: OperationId): Generator<ContractCase> {
  for (const [name, { code, from }] of Object.entries(headers)) {
    yield test(`${operation} with ${name} returns ${code}`, async (target, check) => {
      const value = await from(tokenOf(await target.credentialsFor(homeUser("owner"))));
      const authorization = value === undefined ? {} : { Authorization: value };
      const response = await sendRaw(target, operation, {
        headers: { [headerNames.account]: accounts.home, ...authorization },
      });
      check.equal(await codeOf(response), code, "code");
    });
  }
  const accountScoped = isAccountScoped(operation);
  yield test(`${operation} with a JWT and no X-Account-Id returns ${accountScoped ? "account_header_missing" : "success"}`, async (target, check) => {
    // The outsider has a single account, which must not be selected either.
    for (const who of [homeUser("owner"), homeUser("outsider")]) {
      const authorization = `Bearer ${tokenOf(await target.credentialsFor(who))}`;
      const response = await sendRaw(target, operation, { headers: { Authorization: authorization } });
      if (accountScoped) check.equal(await codeOf(response), "account_header_missing", "code");
      else check.equal(response.status, successOf(operation), "status");
    }
  });
  yield test(`${operation} with a JWT of a user who was deleted returns 401`, async (target, check) => {
    const token = tokenOf(await target.credentialsFor({ userId: users.unattached, deleted: true }));
    const headers = { [headerNames.account]: accounts.home, Authorization: `Bearer ${token}` };
    const response = await sendRaw(target, operation, { headers });
    check.equal(response.status, statusOf("token_invalid"), "status");
  });
}

/** Every operation with every kind of credential. The expected results follow from the operations table. */
export const authCases: readonly ContractCase[] = [
  ...operationIds.flatMap((id) => [...matrixOf(id), ...headerCasesOf(id)]),
  permission("an agent may remove their own hours, and not another member's", async (target, check) => {
    const client = await connect(target, homeUser("agent"));
    await client.members.deleteHours(members.agent);
    const other = client.members.deleteHours(members.colleague);
    await check.rejectedWithStatus(other, "insufficient_permissions", "A-16", "the role does not permit it");
  }),
  test("a key's IP address is not taken from X-Forwarded-For", async (target, check) => {
    const { apiKey } = await target.credentialsFor(key({ allowedIps: [otherIp] }));
    const headers = { Authorization: `Bearer ${apiKey}`, "X-Forwarded-For": otherIp };
    check.equal(await codeOf(await sendRaw(target, "listRoles", { headers })), "api_key_ip_restricted", "code");
  }),
  covering(
    shows("access token: valid → expired, over time"),
    test("a valid token expires", async (target, check) => {
      const client = await connect(target);
      await client.roles.list();
      await target.clock.advance({ by: 30 * 24 * 3_600_000 });
      await check.rejected(client.roles.list(), "token_expired");
    }),
  ),
];
