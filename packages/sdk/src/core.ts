import createClient, { type Client } from "openapi-fetch";
import { type Answer, ApiPromise } from "./api-promise.ts";
import { requestIdOf } from "./attempt.ts";
import { apiErrorOf, ConfigurationError } from "./errors.ts";
import { operationFacts } from "./generated/operations.gen.ts";
import type { paths } from "./generated/types.gen.ts";
import { isText } from "./guards.ts";
import type { ClientOptions, RequestOptions } from "./options.ts";
import { expandPath, serializeQuery } from "./path.ts";
import type { LookUp } from "./reconcile.ts";
import { apiErrorFactsOf, type Call, Plan, send } from "./send.ts";
import { checkedRequest, type Settings, settingsOf } from "./settings.ts";

type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "TRACE";
const verbs: readonly Verb[] = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];

/**
 * The typed escape hatch: openapi-fetch's verbs, with the same credentials, timeouts and retries. An answer of the API
 * is returned as `{ data, error, response }`; a lost one throws.
 */
export type RawClient = Pick<Client<paths>, Verb>;

/** What a request consists of besides its place. */
export interface RequestInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** openapi-fetch as we use it: the place is decided at run time, so its types cannot help here. */
type AnyRequest = (method: string, url: string, init: object) => Promise<{ response: Response }>;

/** Init of a raw call, as far as we look at it. */
interface RawInit extends Omit<RequestOptions, "middleware" | "signal"> {
  signal?: AbortSignal | null;
  middleware?: unknown;
  params?: { path?: Record<string, unknown> };
  fetch?: unknown;
  baseUrl?: unknown;
  Request?: unknown;
}

/** What every request of a client goes through. Standalone functions take it, so that unused operations cost nothing. */
export class Core {
  readonly #settings: Settings;
  readonly #send: AnyRequest;
  /** openapi-fetch's verbs with this client's guarantees. */
  readonly raw: RawClient;

  /**
   * @param parent A client whose retry budget this one shares.
   * @throws {ConfigurationError} names the option to change, never a secret's value.
   */
  constructor(options: ClientOptions, parent?: Core) {
    this.#settings = settingsOf(options, parent ? parent.#settings : undefined);
    const { baseUrl, headers } = this.#settings;
    const openapi = createClient<paths>({ baseUrl, headers, querySerializer: serializeQuery, Request: Plan as never });
    this.#send = openapi.request as unknown as AnyRequest;
    const raw = verbs.map((verb) => [verb, (template: string, init?: RawInit) => this.#raw(verb, template, init)]);
    this.raw = Object.fromEntries(raw) as unknown as RawClient;
  }

  /**
   * Sends a request to a path template such as `/api/v1/roles`.
   *
   * @param lookUp Looks whether the request was carried out, when nobody can tell.
   * @throws {ApiError} The API answered with an error.
   * @throws {OutcomeUnknownError} Nobody can tell whether an operation that must not be repeated was carried out.
   * @throws {ConnectionError | TimeoutError | AbortError | InvalidResponseError} There was no usable answer.
   * @throws {ConfigurationError | TypeError} An option or an id is unusable; nothing was sent.
   */
  request<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions = {},
    lookUp?: LookUp,
  ): ApiPromise<T> {
    return new ApiPromise(this.#answer<T>(method, template, input, options, lookUp));
  }

  async #answer<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions,
    lookUp: LookUp | undefined,
  ): Promise<Answer<T>> {
    if ("body" in input && input.body === undefined) throw new TypeError("body is missing");
    const call = this.#begin(method, template, options, lookUp);
    const { response } = await this.#send(method, expandPath(template, input.path), {
      params: { query: input.query },
      body: input.body,
      headers: options.headers,
      parseAs: "text",
      fetch: (plan: Plan) => send(plan, call),
    });
    if (!response.ok) throw apiErrorOf(apiErrorFactsOf(call, response));
    return { data: call.data as T, response, requestId: requestIdOf(response, call) };
  }

  /** A per-call fetch, address or middleware is dropped: the credentials are the client's. */
  async #raw(verb: Verb, template: string, init?: RawInit | null): Promise<unknown> {
    // Joined to the base address as it is, any other text could name another host.
    if (!isText(template, /^\//))
      throw new TypeError("The path must be text that starts with /, such as /api/v1/roles");
    const { fetch: _fetch, baseUrl: _baseUrl, middleware: _middleware, Request: _request, ...rest } = init ?? {};
    const { signal, timeoutMs, totalTimeoutMs, maxRetries, accountId, params, ...own } = rest;
    const timing = { signal: signal ?? undefined, timeoutMs, totalTimeoutMs, maxRetries, accountId };
    const call = this.#begin(verb, template, timing);
    return this.#send(verb, expandPath(template, params?.path), {
      ...own,
      params: { ...params, path: undefined },
      fetch: (plan: Plan) => send(plan, call),
    });
  }

  #begin(method: string, template: string, options: RequestOptions, lookUp?: LookUp): Call {
    const settings = this.#settings;
    const given = checkedRequest(options);
    const { headers, middleware = [] } = given;
    const operationId = `${method} ${template}`;
    const operation = operationFacts[operationId] ?? { operationId, retry: "once" };
    const filled = { ...settings, ...given };
    const { accountId, totalTimeoutMs } = filled;
    if (operation.accountScoped && accountId === undefined && settings.auth.kind === "accessToken") {
      const mend = `is required: ${operation.operationId} with an access token is for one account (§5.2)`;
      throw new ConfigurationError("accountId", mend);
    }
    return {
      ...filled,
      ...operation,
      route: template,
      middleware: [...settings.middleware, ...middleware],
      deadline: totalTimeoutMs && settings.elapsed() + totalTimeoutMs,
      lookUp,
      lookUpOptions: { accountId: given.accountId, headers, middleware },
      attempts: [],
      tokens: new Set(),
      outcome: "not_sent",
      withheld: undefined,
    };
  }
}
