import type { Role } from "@call-transfer/spec";
import type * as z from "zod";
import type { Tokens } from "../http/authenticate.ts";
import { parseTime } from "../model/clock.ts";
import { type ApiKeyRecord, recordSchemas } from "../model/records.ts";
import type { BackendState } from "../model/state.ts";
import { newApiKey } from "../rules/accounts.ts";
import { canonicalId, withCanonicalIds } from "../utils/ids.ts";
import { InputError } from "../utils/input-error.ts";

/** An API key to issue. By default it is valid and never expires, with the first account, the owner's role and every scope. */
export interface ApiKeyOptions {
  /** The account that the key belongs to; the first account by default. */
  readonly accountId?: string | undefined;
  /** The role of the key; `owner` by default. */
  readonly role?: Role | undefined;
  /** The scopes of the key, e.g. `calls:write`; all by default (§5.3). */
  readonly scopes?: readonly string[] | undefined;
  /** `valid`, `expired` or `revoked`; `valid` by default. */
  readonly state?: ApiKeyRecord["state"] | undefined;
  /** Milliseconds since the epoch, or an ISO 8601 timestamp. */
  readonly expiresAt?: string | number | undefined;
  /** Addresses that may use the key; any by default. */
  readonly allowedIps?: readonly string[] | undefined;
}

/** An access token to issue. With `expired` it expired a second ago. */
export interface TokenOptions {
  /** The user that the token is for. */
  readonly userId: string;
  /** Seconds of the backend's clock; the policy `tokenLifetimeSecs` by default. */
  readonly expiresInSecs?: number | undefined;
  /** Makes a token that expired a second ago. */
  readonly expired?: true | undefined;
}

/** Issues credentials, which no operation of the API does. Both methods throw InputError that names the bad field. */
export interface Credentials {
  /** Issues an API key and returns it with its id. */
  createApiKey(options?: ApiKeyOptions): { readonly id: string; readonly key: string };
  /** Issues an access token (JWT) for a user. */
  createAccessToken(options: TokenOptions): Promise<string>;
}

/** Creates the issuer of one backend's credentials. */
export function createCredentials(backend: BackendState, tokens: Pick<Tokens, "sign">): Credentials {
  const { state, clock, random, policies, expiries } = backend;
  return {
    createApiKey(given = {}) {
      const options = withCanonicalIds(given);
      const accountId = options.accountId ?? state.accounts.keys().next().value;
      if (accountId === undefined || !state.accounts.has(accountId))
        throw new InputError("accountId", `no account has the id ${accountId}`);
      const { role, state: keyState, scopes, allowedIps } = checkOptions(options);
      const { expiresAt } = options;
      const record: ApiKeyRecord = {
        id: random.uuid(),
        key: newApiKey(random),
        accountId,
        role,
        scopes,
        state: keyState,
        expiresAt: expiresAt === undefined ? undefined : parseTime("expiresAt", expiresAt),
        allowedIps,
      };
      state.apiKeys.set(record.key, record);
      expiries.refresh();
      return { id: record.id, key: record.key };
    },
    async createAccessToken({ userId: given, expiresInSecs = policies.tokenLifetimeSecs, expired }) {
      const userId = canonicalId(given);
      if (!state.users.has(userId)) throw new InputError("userId", `no user has the id ${userId}`);
      if (typeof expiresInSecs !== "number") throw new InputError("expiresInSecs", "must be a number of seconds");
      parseTime("expiresInSecs", clock.now() + expiresInSecs * 1000);
      return tokens.sign(userId, Math.floor(clock.now() / 1000) + (expired ? -1 : expiresInSecs));
    },
  };
}

const keyFields = recordSchemas.apiKeys.pick({ role: true, state: true, scopes: true, allowedIps: true });
const explanations: Readonly<Record<string, string>> = {
  role: "is not a known role",
  state: "must be valid, expired or revoked",
  scopes: "must be a list of strings",
  allowedIps: "must be a list of strings",
};

/** Checks the fields that the options share with the record, with its defaults in place. */
function checkOptions({ role, state, scopes, allowedIps }: ApiKeyOptions): z.output<typeof keyFields> {
  const result = keyFields.safeParse({ role, state, scopes, allowedIps });
  if (result.success) return result.data;
  const field = String(result.error.issues[0]?.path[0]);
  throw new InputError(field, explanations[field] ?? "is not valid");
}
