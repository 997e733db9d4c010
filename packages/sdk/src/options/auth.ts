import { defaultTimeoutMs } from "../generated/operations.gen.ts";
import { isFunction } from "../utils/guards.ts";
import { checkToken } from "./checks.ts";
import type { AccessTokenFunction } from "./options.ts";

/** A token, and the number of renewals before it. */
export interface Credential {
  readonly token: string;
  readonly renewals: number;
}

/** Provides the token of each attempt. Requests that find it expired share one renewal. */
export interface Auth {
  readonly kind: "apiKey" | "accessToken";
  /** Whether an expired token can be renewed. */
  readonly canRenew: boolean;
  /** Whether its tokens come from this source. */
  isFrom(source: string | AccessTokenFunction): boolean;
  /** @throws {ConfigurationError} The token function returned something that is not a token. */
  credential(): Promise<Credential>;
  /**
   * Returns a newer credential than the expired one. Concurrent requests share one renewal. Returns undefined while no renewal
   * is due: after two renewed tokens in a row were refused, there is one at most in 1 s, then 2 s, and so on up to 60 s.
   *
   * @param now Milliseconds since any fixed moment. A renewal that takes longer than a minute is abandoned.
   */
  renew(expired: Credential, now: number): Promise<Credential | undefined>;
  /** Records that a token was accepted. One at least as new as the last renewed one ends the pauses. */
  accept(used: Credential | undefined): void;
  /** Records that a renewed token was refused, so that later requests renew again. */
  forget(refused: Credential, now: number): void;
}

/** Milliseconds without a renewal after this many renewed tokens in a row were refused. The first may have been bad luck. */
const pauseAfter = (refusals: number): number => (refusals < 2 ? 0 : Math.min(60_000, 500 * 2 ** (refusals - 1)));

/**
 * Creates the credentials of a client.
 *
 * @param source A token, or a function that returns one.
 * @param parent Returned as it is if it has the same source, so that copies of a client share its renewals.
 */
export function createAuth(kind: Auth["kind"], source: string | AccessTokenFunction, parent?: Auth): Auth {
  if (parent?.kind === kind && parent.isFrom(source)) return parent;
  let renewals = 0;
  let pending: Promise<Credential> | undefined;
  let pendingSince = 0;
  /** The last renewal, and the token that it replaced until it was refused itself. */
  let latest: { replaced: string | undefined; credential: Credential } | undefined;
  let refusals = 0;
  let refusedAt = 0;
  const getToken = async (forceRefresh: boolean): Promise<string> => {
    if (typeof source !== "function") return source;
    const token = await source({ forceRefresh });
    checkToken(token);
    return token;
  };
  const startRenewal = (replaced: string): Promise<Credential> => {
    const own: Promise<Credential> = getToken(true)
      .then((token) => {
        const credential = { token, renewals: ++renewals };
        // An abandoned renewal must not replace the result of a later one.
        if (pending === own) latest = { replaced, credential };
        return credential;
      })
      .finally(() => {
        // Later requests do not share a failed renewal.
        if (pending === own) pending = undefined;
      });
    return own;
  };
  return {
    kind,
    canRenew: isFunction(source),
    isFrom: (other) => other === source,
    async credential() {
      // Counted before: a renewal that ends while the function runs is newer than its result.
      const before = renewals;
      return { token: typeof source === "string" ? source : await getToken(false), renewals: before };
    },
    async renew({ token, renewals: before }, now) {
      // A clock without `elapsed()` may go back.
      if (!pending || Math.abs(now - pendingSince) >= defaultTimeoutMs) {
        // Even if that token has expired by now: else a crowd of requests would renew one after the other.
        const isNewer = latest && before < latest.credential.renewals && token !== latest.credential.token;
        if (latest && (isNewer || latest.replaced === token)) return latest.credential;
        if (Math.abs(now - refusedAt) < pauseAfter(refusals)) return undefined;
        pending = startRenewal(token);
        pendingSince = now;
      }
      return pending;
    },
    accept(used) {
      if (used && used.renewals >= (latest?.credential.renewals ?? 0)) refusals = 0;
    },
    forget({ token }, now) {
      if (latest?.replaced === undefined || latest.credential.token !== token) return;
      latest.replaced = undefined;
      refusals += 1;
      refusedAt = now;
    },
  };
}
