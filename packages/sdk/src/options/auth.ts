import { defaultTimeoutMs } from "../generated/operations.gen.ts";
import { isFunction } from "../utils/guards.ts";
import type { AccessTokenFunction } from "./options.ts";
import { checkToken } from "./settings.ts";

/** A token, and how many renewals came before it. */
export interface Credential {
  readonly token: string;
  readonly renewals: number;
}

/** Gives the token of each attempt, and renews it at most once for all requests that found it expired. */
export interface Auth {
  readonly kind: "apiKey" | "accessToken";
  /** Whether an expired token can be exchanged for a new one. */
  readonly canRenew: boolean;
  /** Whether it gives tokens of this source. */
  isOf(source: string | AccessTokenFunction): boolean;
  /** @throws {ConfigurationError} The token function gave something that is no token. */
  credential(): Promise<Credential>;
  /**
   * A credential newer than the expired one. Requests that were under way together share one renewal.
   *
   * @param now Milliseconds since any moment, by which a renewal that hangs is given up after a minute.
   */
  renew(expired: Credential, now: number): Promise<Credential>;
  /** Notes that a renewed token was refused itself, so that requests that begin later renew again. */
  forget(refused: Credential): void;
}

/**
 * Who the client is.
 *
 * @param source A token, or a function that gives one.
 * @param parent Taken itself where it is of the same source, so that copies of a client share its renewals.
 */
export function authOf(kind: Auth["kind"], source: string | AccessTokenFunction, parent?: Auth): Auth {
  if (parent?.kind === kind && parent.isOf(source)) return parent;
  let renewals = 0;
  let pending: Promise<Credential> | undefined;
  let pendingSince = 0;
  /** The last renewal, and the token that it replaced until it expired too. */
  let latest: { replaced: string | undefined; credential: Credential } | undefined;
  const ask = async (forceRefresh: boolean): Promise<string> => {
    if (typeof source !== "function") return source;
    const token = await source({ forceRefresh });
    checkToken(token);
    return token;
  };
  const exchange = (replaced: string): Promise<Credential> => {
    const own: Promise<Credential> = ask(true)
      .then((token) => {
        const credential = { token, renewals: ++renewals };
        // One that was given up by now must not replace what a later one gave.
        if (pending === own) latest = { replaced, credential };
        return credential;
      })
      .finally(() => {
        // A renewal that failed is not shared with requests that come later.
        if (pending === own) pending = undefined;
      });
    return own;
  };
  return {
    kind,
    canRenew: isFunction(source),
    isOf: (other) => other === source,
    async credential() {
      // Counted before: a renewal that ends while the function is asked is newer than its answer.
      const before = renewals;
      return { token: await ask(false), renewals: before };
    },
    async renew({ token, renewals: before }, now) {
      if (!pending || now - pendingSince >= defaultTimeoutMs) {
        // Also where that token has expired by now: else a crowd of requests would renew one after the other.
        const isNewer = latest && before < latest.credential.renewals && token !== latest.credential.token;
        if (latest && (isNewer || latest.replaced === token)) return latest.credential;
        pending = exchange(token);
        pendingSince = now;
      }
      return pending;
    },
    forget({ token }) {
      if (latest?.credential.token === token) latest.replaced = undefined;
    },
  };
}
