import { checkToken } from "./checks.ts";
import type { Timers } from "./clock.ts";
import type { AccessTokenFunction } from "./options.ts";

/** A token, and the number of renewals before it. */
export interface Credential {
  readonly token: string;
  readonly renewals: number;
}

/** Milliseconds without a renewal after this many renewed tokens in a row were refused. The first may have been bad luck. */
const pauseAfter = (refusals: number): number => (refusals < 2 ? 0 : Math.min(60_000, 500 * 2 ** (refusals - 1)));

/** Milliseconds after which a renewal is no longer shared: on Workers it never ends if its request was cut off. */
const sharedMs = 5000;
/** Milliseconds between two looks at a shared renewal: on Workers its end does not always wake another request. */
const pollMs = 1000;

/** What a renewal uses of the client. */
interface Times {
  readonly timers: Timers;
  elapsed(): number;
}

/** Provides the token of each attempt. Requests that find it expired share one renewal, also those of a client's copies. */
export class Auth {
  readonly kind: "apiKey" | "accessToken";
  readonly canRenew: boolean;
  readonly #source: string | AccessTokenFunction;
  #renewals = 0;
  #pending: Promise<Credential> | undefined;
  #pendingSince = 0;
  /** The last renewal, and the token that it replaced until it was refused itself. */
  #latest: { replaced: string | undefined; credential: Credential } | undefined;
  #refusals = 0;
  #refusedAt = 0;

  constructor(kind: Auth["kind"], source: string | AccessTokenFunction) {
    this.kind = kind;
    this.canRenew = typeof source !== "string";
    this.#source = source;
  }

  /** Whether its tokens come from this source. */
  isFrom(kind: Auth["kind"], source: string | AccessTokenFunction): boolean {
    return this.kind === kind && this.#source === source;
  }

  /** @throws {ConfigurationError} The token function returned something that is not a token. */
  credential(): Credential | Promise<Credential> {
    // Counted before: a renewal that ends while the function runs is newer than its result.
    const renewals = this.#renewals;
    if (typeof this.#source === "string") return { token: this.#source, renewals };
    return this.#getToken(false).then((token) => ({ token, renewals }));
  }

  /**
   * Returns a newer credential than the expired one. Concurrent requests share one renewal. Returns undefined while no renewal
   * is due: after two renewed tokens in a row were refused, there is one at most in 1 s, then 2 s, and so on up to 60 s.
   *
   * @param stop Ends the wait. A renewal that the request has started itself is no longer shared then.
   */
  async renew({ token, renewals }: Credential, times: Times, stop: AbortSignal): Promise<Credential | undefined> {
    while (!stop.aborted) {
      const now = times.elapsed();
      // A clock without `monotonicNow()` may go back.
      if (this.#pending && Math.abs(now - this.#pendingSince) < sharedMs) {
        const shared = await this.#look(this.#pending, times);
        if (shared) return shared;
        continue;
      }
      const latest = this.#latest;
      // Even if that token has expired by now: else a crowd of requests would renew one after the other.
      const isNewer = latest && renewals < latest.credential.renewals && token !== latest.credential.token;
      if (latest && (isNewer || latest.replaced === token)) return latest.credential;
      if (Math.abs(now - this.#refusedAt) < pauseAfter(this.#refusals)) return undefined;
      const own = this.#startRenewal(token);
      this.#pending = own;
      this.#pendingSince = now;
      stop.addEventListener("abort", () => this.#endSharing(own), { once: true });
      return own;
    }
    return undefined;
  }

  /** Records that a token was accepted. One at least as new as the last renewed one ends the pauses. */
  accept(used: Credential | undefined): void {
    if (used && used.renewals >= (this.#latest?.credential.renewals ?? 0)) this.#refusals = 0;
  }

  /** Records that a renewed token was refused, so that later requests renew again. */
  forget({ token }: Credential, now: number): void {
    if (this.#latest?.replaced === undefined || this.#latest.credential.token !== token) return;
    this.#latest.replaced = undefined;
    this.#refusals += 1;
    this.#refusedAt = now;
  }

  async #getToken(forceRefresh: boolean): Promise<string> {
    const token = await (this.#source as AccessTokenFunction)({ forceRefresh });
    checkToken(token);
    return token;
  }

  #startRenewal(replaced: string): Promise<Credential> {
    const before = this.#latest;
    const own: Promise<Credential> = this.#getToken(true)
      .then((token) => {
        const credential = { token, renewals: ++this.#renewals };
        // A renewal that is no longer shared must not replace the result of a later one.
        if (this.#latest === before) this.#latest = { replaced, credential };
        return credential;
      })
      // Later requests do not share a failed renewal.
      .finally(() => this.#endSharing(own));
    return own;
  }

  #endSharing(renewal: Promise<Credential>): void {
    if (this.#pending === renewal) this.#pending = undefined;
  }

  /** Waits for a shared renewal, for a while. */
  async #look(shared: Promise<Credential>, { timers }: Times): Promise<Credential | undefined> {
    let timer: unknown;
    const pause = new Promise<undefined>((resolve) => {
      timer = timers.setTimeout(() => resolve(undefined), pollMs);
    });
    try {
      return await Promise.race([shared, pause]);
    } finally {
      timers.clearTimeout(timer);
    }
  }
}
