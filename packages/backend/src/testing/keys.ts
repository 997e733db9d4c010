import { zRole } from "@call-transfer/spec/schemas";
import type { Tokens } from "../http/authenticate.ts";
import { parseTime } from "../model/clock.ts";
import { InputError } from "../model/input-error.ts";
import type { ApiKeyRecord } from "../model/state.ts";
import type { World } from "../model/world.ts";
import { newApiKey } from "../rules/secrets.ts";

/** An API key to issue; by default a valid one of the first account, with the owner's role and every scope. */
export interface ApiKeyOptions {
  readonly accountId?: string | undefined;
  readonly role?: ApiKeyRecord["role"] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly state?: ApiKeyRecord["state"] | undefined;
  /** When the key expires; never by default. */
  readonly expiresAt?: string | number | undefined;
  /** Addresses that may use the key; any by default. */
  readonly allowedIps?: readonly string[] | undefined;
}

/** An access token to issue; `expired` makes one that expired a second ago. */
export interface TokenOptions {
  readonly userId: string;
  /** Seconds of the backend's clock; the policy `tokenLifetimeSecs` by default. */
  readonly expiresInSecs?: number | undefined;
  readonly expired?: true | undefined;
}

/** Issues credentials, which no shown operation does. Both methods throw InputError that names the bad field. */
export interface Keys {
  issueApiKey(options?: ApiKeyOptions): { readonly id: string; readonly key: string };
  issueToken(options: TokenOptions): Promise<string>;
}

/** Creates the issuer of one backend's credentials. */
export function createKeys(world: World, tokens: Tokens): Keys {
  const { state, clock, random, policies } = world;
  return {
    issueApiKey(options = {}) {
      const accountId = options.accountId ?? state.accounts.keys().next().value;
      if (accountId === undefined || !state.accounts.has(accountId))
        throw new InputError("accountId", `no account has the id ${accountId}`);
      if (!zRole.safeParse(options.role ?? "owner").success)
        throw new InputError("role", `unknown role ${options.role}`);
      if (!["valid", "expired", "revoked"].includes(options.state ?? "valid"))
        throw new InputError("state", `unknown state ${options.state}`);
      for (const name of ["scopes", "allowedIps"] as const) {
        const texts = options[name];
        const fits = texts === undefined || (Array.isArray(texts) && texts.every((text) => typeof text === "string"));
        if (!fits) throw new InputError(name, "must be a list of texts");
      }
      const record: ApiKeyRecord = {
        id: random.uuid(),
        key: newApiKey(random),
        accountId,
        role: options.role ?? "owner",
        scopes: options.scopes,
        state: options.state ?? "valid",
        expiresAt: options.expiresAt === undefined ? undefined : parseTime("expiresAt", options.expiresAt),
        allowedIps: options.allowedIps,
      };
      state.apiKeys.set(record.key, record);
      return { id: record.id, key: record.key };
    },
    async issueToken({ userId, expiresInSecs = policies.tokenLifetimeSecs, expired }) {
      if (!state.users.has(userId)) throw new InputError("userId", `no user has the id ${userId}`);
      if (typeof expiresInSecs !== "number") throw new InputError("expiresInSecs", "must be a number of seconds");
      parseTime("expiresInSecs", clock.now() + expiresInSecs * 1000);
      return tokens.sign(userId, Math.floor(clock.now() / 1000) + (expired ? -1 : expiresInSecs));
    },
  };
}
