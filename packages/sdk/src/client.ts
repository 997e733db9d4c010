import { original } from "./core/core.ts";
import { type ItemsField, type ListInput, type PageItem, type PagePromise, requestPage } from "./core/pagination.ts";
import { ConfigurationError } from "./errors/base.ts";
import type { ClientOptions, RequestOptions } from "./options/options.ts";
import { ResourceClient } from "./resources/resources.gen.ts";
import { isObject } from "./utils/guards.ts";

/**
 * Client of the call-transfer API.
 *
 * In doc comments, §4.2 is section 4.2 of the platform's specification and §8.3 is rule 3 of its section 8. The
 * specification is docs/specification.md in the repository.
 *
 * @example
 * // Reads CALL_TRANSFER_API_KEY and CALL_TRANSFER_BASE_URL.
 * const client = new CallTransfer();
 * const group = await client.destinationGroups.create({ name: "Front desk", members: [{ destinationId }] });
 */
export class CallTransfer extends ResourceClient {
  readonly #options: ClientOptions;

  /**
   * Creates a client. It needs a `baseUrl`, and an `apiKey` or an `accessToken`.
   *
   * @throws {ConfigurationError} An option is missing or invalid. The message never holds a secret.
   */
  constructor(options: ClientOptions = {}) {
    super(options);
    // Without the original, which the garbage collector could not free otherwise.
    this.#options = Object.assign({}, options, { [original]: undefined });
  }

  /**
   * Reads a list that this SDK version does not have a method for. It must page by `limit` and `offset`, and each page must
   * have its items in a field and the size of the list in `meta.total`, as the list of calls. Read any other list with
   * `client.request()`. Retries and errors are those of a read.
   *
   * `Page` is the type of a page. The items have the type of its field `items`.
   *
   * @example
   * for await (const contact of client.list<ContactList>("/api/v1/contacts", { itemsField: "contacts" })) console.log(contact.id);
   *
   * @throws {ApiError} The API answered with an error.
   * @throws {InvalidResponseError} A page has no list of that name or no `meta.total`, or the list cannot be read to its end.
   * @throws {ConnectionError | TimeoutError | AbortError} There was no response.
   * @throws {ConfigurationError | InvalidArgumentError} An option or a parameter is invalid, or the path leaves `baseUrl`. Nothing was sent.
   */
  list<Page = unknown, Field extends ItemsField<Page> = ItemsField<Page>>(
    path: string,
    input: ListInput<Field>,
    options?: RequestOptions,
  ): PagePromise<Page, PageItem<Page, Field>> {
    return requestPage(this, path, input, options);
  }

  /**
   * Returns a copy of this client with other options, e.g. for another account. It shares the retry budget of each account. A
   * new `apiKey` replaces an `accessToken`, and the reverse. Fields of `retry` that are not given stay as they are.
   *
   * @throws {ConfigurationError} An option is missing or invalid. The message never holds a secret.
   */
  withOptions(options: Partial<ClientOptions> = {}): this {
    if (!isObject(options)) throw new ConfigurationError("options", "must be an object");
    const replaced = options.apiKey !== undefined || options.accessToken !== undefined;
    const dropped = replaced && { apiKey: undefined, accessToken: undefined };
    const { retry } = this.#options;
    const merged = retry && isObject(options.retry) && { retry: { ...retry, ...options.retry } };
    return copyOf(this, { ...this.#options, ...dropped, ...options, ...merged } as ClientOptions);
  }
}

/**
 * Outside the class: bundlers rename a class that refers to itself, and consoles show that name. A class of the caller's keeps its
 * methods and fields. Its constructor is not called: it may take something else than options.
 */
function copyOf<Client extends CallTransfer>(client: Client, options: ClientOptions): Client {
  const given = [Object.assign(options, { [original]: client })];
  const copy: Client = Reflect.construct(CallTransfer, given, Object(client).constructor);
  return Object.assign(copy, { ...client, ...copy });
}
