import { isFunction } from "./guards.ts";
import type { AccessTokenFunction } from "./options.ts";
import { checkToken } from "./settings.ts";

/** Gives the token of each attempt, and renews it at most once for all requests that found it expired. */
export interface Auth {
  readonly kind: "apiKey" | "accessToken";
  /** Whether an expired token can be exchanged for a new one. */
  readonly canRenew: boolean;
  /** Whether it gives tokens of this source. */
  isOf(source: string | AccessTokenFunction): boolean;
  /** @throws {ConfigurationError} The token function gave something that is no token. */
  token(): Promise<string>;
  /** A token newer than the stale one. Concurrent requests share one renewal. */
  renew(stale: string): Promise<string>;
  /** Tells that a renewed token is expired itself, so that the next request asks for a new one. */
  forget(renewed: string): void;
}

/**
 * Who the client is.
 *
 * @param source A token, or a function that gives one.
 * @param parent Taken itself where it is of the same source, so that copies of a client share its renewals.
 */
export function authOf(kind: Auth["kind"], source: string | AccessTokenFunction, parent?: Auth): Auth {
  if (parent?.kind === kind && parent.isOf(source)) return parent;
  let renewal: { stale: string; token: Promise<string> } | undefined;
  const ask = async (forceRefresh: boolean): Promise<string> => {
    if (typeof source !== "function") return source;
    const token = await source({ forceRefresh });
    checkToken(token);
    return token;
  };
  return {
    kind,
    canRenew: isFunction(source),
    isOf: (other) => other === source,
    token: () => ask(false),
    renew(stale) {
      if (renewal?.stale !== stale) {
        renewal = { stale, token: ask(true) };
        // One that failed must not be shared with requests that come later.
        renewal.token.catch(() => {
          renewal = undefined;
        });
      }
      return renewal.token;
    },
    forget(renewed) {
      const kept = renewal;
      kept?.token.then(
        (token) => {
          if (token === renewed && renewal === kept) renewal = undefined;
        },
        () => {},
      );
    },
  };
}
