import type { AccessTokenFunction } from "./options.ts";
import { type Credential, checkToken } from "./settings.ts";

/** Gives the token of each attempt, and renews it at most once for all requests that found it expired. */
export class Auth {
  readonly #credential: Credential;
  #renewed: { stale: string; token: Promise<string> } | undefined;

  constructor(credential: Credential) {
    this.#credential = credential;
  }

  /** Whether this is the same credential, so that copies of a client share its renewals. */
  isOf({ kind, token }: Credential): boolean {
    return this.#credential.kind === kind && this.#credential.token === token;
  }

  get kind(): Credential["kind"] {
    return this.#credential.kind;
  }

  /** Whether an expired token can be exchanged for a new one. */
  get canRenew(): boolean {
    return typeof this.#credential.token === "function";
  }

  /** @throws {ConfigurationError} The token function gave something that is no token. */
  async token(): Promise<string> {
    const { token } = this.#credential;
    return typeof token === "function" ? this.#ask(token, false) : token;
  }

  /** A token newer than the stale one. Concurrent requests share one renewal. */
  renew(stale: string): Promise<string> {
    const { token } = this.#credential;
    if (typeof token !== "function") return Promise.resolve(token);
    if (this.#renewed?.stale !== stale) {
      const renewal = this.#ask(token, true);
      this.#renewed = { stale, token: renewal };
      // A renewal that failed must not be shared with requests that come later.
      renewal.catch(() => {
        this.#renewed = undefined;
      });
    }
    return (this.#renewed as { token: Promise<string> }).token;
  }

  /** Tells that a renewed token is expired itself, so that the next request asks for a new one. */
  forget(renewed: string): void {
    const kept = this.#renewed;
    kept?.token.then(
      (token) => {
        if (token === renewed && this.#renewed === kept) this.#renewed = undefined;
      },
      () => {},
    );
  }

  async #ask(token: AccessTokenFunction, forceRefresh: boolean): Promise<string> {
    const answer = await token({ forceRefresh });
    checkToken(answer, this.#credential.kind);
    return answer;
  }
}
