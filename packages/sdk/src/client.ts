import { type RawClient, rawOf } from "./core/raw.ts";
import { ConfigurationError } from "./errors/errors.ts";
import type { ClientOptions } from "./options/options.ts";
import { ResourceClient } from "./resources/resources.gen.ts";
import { isObject } from "./utils/guards.ts";

/**
 * The client of the call-transfer API.
 *
 * In the comments of this package, §4.2 is section 4.2 of the platform's specification and §8.3 is rule 3 of its
 * section 8: see docs/specification.md in the repository.
 *
 * @example
 * const client = new CallTransfer({ baseUrl: "https://api.example.com", apiKey: process.env.CALL_TRANSFER_API_KEY });
 * const group = await client.destinationGroups.create({ name: "Front desk", members: [{ destinationId }] });
 */
export class CallTransfer extends ResourceClient {
  readonly #options: ClientOptions;
  /** openapi-fetch's verbs with this client's guarantees. */
  readonly raw: RawClient = rawOf(this);

  constructor(options: ClientOptions, parent?: CallTransfer) {
    super(options, parent);
    this.#options = { ...options };
  }

  /**
   * A copy of this client with other options, e.g. for another account. It shares the retry budget. A credential of
   * one kind replaces one of the other.
   *
   * @throws {ConfigurationError} names the option to change, never a secret's value.
   */
  withOptions(options: Partial<ClientOptions> = {}): CallTransfer {
    if (!isObject(options)) throw new ConfigurationError("options", "must be an object");
    const replaced = options.apiKey !== undefined || options.accessToken !== undefined;
    const dropped = replaced && { apiKey: undefined, accessToken: undefined };
    return copyOf(this, { ...this.#options, ...dropped, ...options });
  }
}

/** Made outside of the class: one that names itself gets another name from bundlers, which consoles then show. */
const copyOf = (parent: CallTransfer, options: ClientOptions): CallTransfer => new CallTransfer(options, parent);
