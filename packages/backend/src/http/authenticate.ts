import { limits, type OperationDescription, type Role } from "@call-transfer/spec";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { Policies } from "../model/policies.ts";
import type { AccountRecord, ApiKeyRecord } from "../model/records.ts";
import type { IndexedState } from "../model/state.ts";
import { checkSuspended } from "../rules/accounts.ts";
import { canonicalId } from "../utils/ids.ts";
import { type Checked, type Problem, problem } from "../utils/problem.ts";
import type { RequestHeaders } from "./transport.ts";

/** Signs and verifies the access tokens of a backend. */
export interface Tokens {
  /** The signing secret; changing it invalidates all tokens issued before. */
  secret: Uint8Array;
  /** Signs a JWT for a user; `expiresAt` is in seconds since the epoch. */
  sign(userId: string, expiresAt: number): string;
  /** Returns the claims of a token, expired or not; undefined unless this backend signed it. */
  verify(token: string): Claims | undefined;
}

interface Claims {
  readonly userId: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

const header = encoded(utf8ToBytes(JSON.stringify({ alg: "HS256", typ: "JWT" })));
const maxCachedTokens = 1000;

/** Creates the tokens of a backend. Verified tokens are cached, because their signature does not change. */
export function createTokens(startSecret: Uint8Array): Tokens {
  const cache = new Map<string, Claims>();
  let secret = startSecret;
  const signatureOf = (signed: string): string => encoded(hmac(sha256, secret, utf8ToBytes(signed)));
  return {
    get secret() {
      return secret;
    },
    set secret(next) {
      secret = next;
      cache.clear();
    },
    sign(userId, expiresAt) {
      const signed = `${header}.${encoded(utf8ToBytes(JSON.stringify({ sub: userId, exp: expiresAt })))}`;
      return `${signed}.${signatureOf(signed)}`;
    },
    verify(token) {
      const known = cache.get(token);
      if (known !== undefined) return known;
      const [head, payload = "", signature, ...rest] = token.split(".");
      // Only texts that are equal pass as one token: base64 has several texts for the same bytes.
      if (head !== header || signature !== signatureOf(`${head}.${payload}`) || rest.length > 0) return undefined;
      const claims = claimsOf(token);
      if (claims === undefined) return undefined;
      if (cache.size >= maxCachedTokens) cache.clear();
      cache.set(token, claims);
      return claims;
    },
  };
}

/** Reads the claims of a token without a check of its signature; undefined if they are not those of an access token. */
export function claimsOf(token: string): Claims | undefined {
  try {
    const { sub, exp }: { sub?: unknown; exp?: unknown } = JSON.parse(decoded(token.split(".")[1] ?? ""));
    return typeof sub === "string" && typeof exp === "number" ? { userId: sub, expiresAt: exp } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes bytes as base64url without padding. */
function encoded(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Decodes base64url into UTF-8 text. */
function decoded(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}

/** The authenticated sender of a request: a user with an access token, or an API key of an account. */
export type Caller =
  | { readonly kind: "user"; readonly userId: string; readonly credential: string }
  | { readonly kind: "key"; readonly key: ApiKeyRecord; readonly credential: string };

/** Authenticates a request by its credential (§5.1). The problem is a 401. */
export function authenticate(
  headers: RequestHeaders,
  state: IndexedState,
  tokens: Tokens,
  now: number,
): Checked<{ readonly caller: Caller }> {
  const header = headers.get("authorization");
  if (header === null) return problem("token_missing");
  if (header === "")
    return problem("token_missing", { detail: `The Authorization header is empty. ${setVariable(...credentials)}` });
  const credential = credentialIn(header);
  if (typeof credential !== "string") return credential;
  if (credential.startsWith(limits.apiKeyPrefix)) {
    const key = state.apiKeys.get(credential);
    if (key === undefined) return problem("api_key_invalid");
    if (key.state === "revoked") return problem("api_key_revoked");
    if (key.state === "expired" || (key.expiresAt !== undefined && key.expiresAt <= now))
      return problem("api_key_expired");
    return { caller: { kind: "key", key, credential } };
  }
  return checkToken(credential, state, tokens, now);
}

/** The environment variables that the mock server writes and the code of the page reads. */
const credentials = ["CALL_TRANSFER_API_KEY", "CALL_TRANSFER_ACCESS_TOKEN_OWNER"];

/** What to do about a header whose value is a variable of a shell that is not set. */
function setVariable(...names: readonly string[]): string {
  return `If it is read from a variable such as ${names.join(" or ")}, set that variable.`;
}

/** The credential in an `Authorization` header, or the problem with that header. */
function credentialIn(header: string): string | Problem {
  // As nearly every client writes it. Splitting the text takes as long as all other checks of a credential.
  if (header.startsWith("Bearer ") && header.length > 7 && !header.includes(" ", 7)) return header.slice(7);
  const [scheme = "", credential = "", ...rest] = header.split(/ +/);
  if (scheme.toLowerCase() !== "bearer")
    return problem("unauthorized", { detail: "The Authorization header is malformed. Send it as: Bearer <token>." });
  if (credential === "")
    return problem("token_missing", {
      detail: `The Authorization header has no credential after ${scheme}. ${setVariable(...credentials)}`,
    });
  return rest.length > 0 ? problem("token_invalid") : credential;
}

const malformed = "The access token is malformed: it is not a JWT of this API.";
const foreign =
  "The signature of the access token does not verify. It comes from another server, or from one with other data: get a new token.";

function checkToken(
  credential: string,
  state: IndexedState,
  tokens: Tokens,
  now: number,
): Checked<{ readonly caller: Caller }> {
  const claims = tokens.verify(credential);
  if (claims === undefined) return problem("token_invalid", { detail: claimsOf(credential) ? foreign : malformed });
  if (!state.users.has(claims.userId))
    return problem("token_invalid", { detail: "The user of the access token does not exist." });
  if (claims.expiresAt * 1000 <= now) return problem("token_expired");
  return { caller: { kind: "user", userId: claims.userId, credential } };
}

/** Checks the restrictions of an API key (§5.3): the caller's address, then the scope that an operation needs. */
export function restrictKey(
  caller: Caller,
  operation: OperationDescription | undefined,
  address: string | undefined,
): Problem | undefined {
  if (caller.kind === "user") return undefined;
  const { allowedIps, scopes } = caller.key;
  const from = normalizedAddress(address ?? "");
  if (allowedIps !== undefined && !allowedIps.some((allowed) => normalizedAddress(allowed) === from))
    return problem("api_key_ip_restricted");
  if (operation !== undefined && scopes !== undefined && !scopes.includes(operation.scope))
    return problem("api_key_insufficient_scope", { detail: `The API key lacks the scope ${operation.scope}.` });
  return undefined;
}

/** The address of the caller: the peer's, or the one that a trusted proxy forwards. */
export function callerAddress(
  headers: RequestHeaders,
  peer: string | undefined,
  policies: Policies,
): string | undefined {
  const forwarded = policies.trustForwardedFor ? headers.get("x-forwarded-for")?.split(",")[0]?.trim() : undefined;
  return forwarded || peer;
}

/** The parts of a request that select an account. */
interface AccountRequest {
  readonly headers: RequestHeaders;
  readonly operation: OperationDescription;
  readonly params: Readonly<Record<string, string>>;
}

/** Selects the account (§5.2), then checks membership, suspension and role, in this order. */
export function selectAccount(
  { headers, operation, params }: AccountRequest,
  caller: Caller,
  state: IndexedState,
): Checked<{ readonly account: AccountRecord | undefined }> {
  if (!operation.accountScoped) return { account: undefined };
  const header = headers.get("x-account-id");
  const named = canonicalId(header ?? "") || undefined;
  const accountId = caller.kind === "key" ? (named ?? caller.key.accountId) : named;
  if (accountId === undefined && header === null) return problem("account_header_missing");
  if (accountId === undefined) {
    const detail = `The X-Account-Id header is empty. ${setVariable("CALL_TRANSFER_ACCOUNT_ID")}`;
    return problem("account_header_missing", { detail });
  }
  const account = state.accounts.get(accountId);
  const role = roleIn(accountId, caller, state);
  if (account === undefined || role === undefined) return problem("account_access_denied");
  const suspended = checkSuspended(account);
  if (suspended) return suspended;
  const isSelf = operation.roles.includes("self") && isSameUser(accountId, caller, params, state);
  if (!isSelf && !operation.roles.includes(role)) {
    const permitted = operation.roles.map((one) => (one === "self" ? "the member's own user" : one)).join(", ");
    const detail = `The caller's role ${role} does not permit this operation. Permitted: ${permitted}.`;
    return problem("insufficient_permissions", { detail });
  }
  return { account };
}

/** Counts a request in the rate limit window of its credential; a 429 if the window is full (§8.1). */
export function limitRate(caller: Caller, state: IndexedState, policies: Policies, now: number): Problem | undefined {
  const { requests, windowSecs } = policies.rateLimit;
  const known = state.windows.get(caller.credential);
  // A window that starts in the future is left over from before the clock was set back.
  const isOpen = known !== undefined && known.from <= now && now < known.from + windowSecs * 1000;
  const { from, count } = isOpen ? known : { from: now, count: 0 };
  const isFull = count >= requests;
  state.windows.set(caller.credential, { from, count: isFull ? count : count + 1 });
  if (!isFull) return undefined;
  const waitMs = from + windowSecs * 1000 - now;
  return problem("rate_limit_exceeded", { meta: { retryAfterSecs: Math.max(1, Math.ceil(waitMs / 1000)) } });
}

/** The role of a caller in an account; undefined without access. */
export function roleIn(accountId: string, caller: Caller, state: IndexedState): Role | undefined {
  if (caller.kind === "key") return caller.key.accountId === accountId ? caller.key.role : undefined;
  return state.members.of(accountId, caller.userId)?.role;
}

function isSameUser(
  accountId: string,
  caller: Caller,
  params: Readonly<Record<string, string>>,
  state: IndexedState,
): boolean {
  const member = state.members.get(params.memberId ?? "");
  return caller.kind === "user" && member?.accountId === accountId && member.userId === caller.userId;
}

/** Normalizes an address; an IPv4 address mapped to IPv6 becomes the IPv4 address. */
function normalizedAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
