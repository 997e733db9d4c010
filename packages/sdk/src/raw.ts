// Entry point for openapi-fetch's verbs over the same attempt loop.
import createClient, { type MaybeOptionalInit, type ParseAsResponse } from "openapi-fetch";
import type { UnknownResult } from "./core/api-promise.ts";
import type { CallTransferCore } from "./core/core.ts";
import { expandPath, serializeQuery } from "./core/path.ts";
import { transport } from "./core/transport.ts";
import { argumentError, InvalidArgumentError, readArguments } from "./errors/base.ts";
import type { paths } from "./generated/types.gen.ts";
import type { RequestOptions } from "./options/options.ts";
import type { Outgoing } from "./send/call.ts";
import { isFunction, presentable } from "./utils/guards.ts";

export type { components, operations, paths } from "./generated/types.gen.ts";

type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "TRACE";
const verbs: readonly Verb[] = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];

type PathsWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Readonly<Record<Method, object>> ? Path : never;
}[keyof Paths];

/** What stands under a path, which has the method. */
type PathItem<Paths, Path extends keyof Paths, Method extends string> = Paths[Path] & Readonly<Record<Method, unknown>>;

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | "2XX";

/** The body in a media type such as `application/json` or `application/problem+json`. */
type JsonOf<Response> = Response extends { readonly content: infer Content }
  ? Content[keyof Content & `application/${string}json${string}`]
  : never;

type ResponsesOf<Operation> = Operation extends { readonly responses: infer Responses } ? Responses : never;

type Successes<Responses> = Responses[keyof Responses & SuccessStatus];
type Failures<Responses> = Responses[Exclude<keyof Responses, SuccessStatus>];
/** Adds results of other types to those that a `type` tells apart. */
type OrUnknown<Data> = Data extends { readonly type: infer Type }
  ? string extends Type
    ? Data
    : Data | UnknownResult
  : Data;
/** Undefined for an operation without a body, such as one that answers 204. */
type DataOf<Operation, Data = JsonOf<Successes<ResponsesOf<Operation>>>> = [Data] extends [never]
  ? undefined
  : OrUnknown<Data>;

/** What a raw request resolves with if an error is thrown: the data of a success. */
export type RawSuccess<Operation, Init> = {
  /** The parsed body; undefined if the operation answers without one. */
  data: ParseAsResponse<DataOf<Operation>, Init>;
  /** Never there: an error is thrown. */
  error?: never;
  /** The response. Its body can be read again. */
  response: Response;
};

/** What a raw request resolves with: the data of a success, or the error that the API answered with. */
export type RawResult<Operation, Init> =
  | RawSuccess<Operation, Init>
  | { data?: never; error: JsonOf<Failures<ResponsesOf<Operation>>>; response: Response };

/** The SDK's own options, and any option of `fetch`. */
interface Extra {
  [option: string]: unknown;
}

/** A verb of openapi-fetch. The types of its own turn text of open enumerations into objects. */
type RawMethod<Paths, Method extends Lowercase<Verb>, Throws extends boolean> = <
  Path extends PathsWith<Paths, Method>,
  Init extends MaybeOptionalInit<PathItem<Paths, Path, Method>, Method>,
>(
  path: Path,
  ...init: undefined extends MaybeOptionalInit<PathItem<Paths, Path, Method>, Method>
    ? [init?: Init & Extra]
    : [init: Init & Extra]
) => Promise<
  Throws extends true
    ? RawSuccess<PathItem<Paths, Path, Method>[Method], Init>
    : RawResult<PathItem<Paths, Path, Method>[Method], Init>
>;

/** Options of `createRawClient()`. */
export interface RawOptions {
  /** Throws errors of the API as `ApiError`s, as the methods of the client do. False by default: they are returned. */
  readonly throwOnError?: boolean;
}

/**
 * openapi-fetch's methods with the client's credentials, timeouts and retries. Responses of the API, errors included, are
 * returned as `{ data, error, response }`; with `throwOnError`, errors are thrown. Lost responses throw.
 *
 * `Paths` are the operations: those of this SDK version, or those that openapi-typescript writes from another document.
 */
export type RawClient<Paths extends object = paths, Throws extends boolean = false> = {
  [V in Verb]: RawMethod<Paths, Lowercase<V>, Throws>;
};

/** The init of a raw request, as far as the SDK reads it. */
interface RawInit extends Omit<RequestOptions, "middleware" | "signal" | "extraBody" | "extraQuery"> {
  signal?: AbortSignal | null;
  params?: { path?: Record<string, unknown> };
  parseAs?: string;
}

/** openapi-fetch's `request` without its types, which need the path at compile time. */
type AnyRequest = (method: string, url: string, init: object) => Promise<unknown>;

/** Used by openapi-fetch instead of `Request`, which could be sent only once. */
class Plan {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** Sends a raw request. What goes wrong before, e.g. in a `bodySerializer`, is an `InvalidArgumentError`. */
async function request(client: CallTransferCore, throws: boolean, verb: Verb, template: string, init?: RawInit | null) {
  let isSent = false;
  try {
    return await exchange(client, throws, verb, template, init, () => {
      isSent = true;
    });
  } catch (error) {
    throw isSent ? error : argumentError("init", error);
  }
}

/** Ignores a fetch, base URL or middleware in the init: the credentials belong to the client. */
async function exchange(
  client: CallTransferCore,
  throws: boolean,
  verb: Verb,
  template: string,
  init: RawInit | null | undefined,
  onSend: () => void,
) {
  const { signal, timeoutMs, totalTimeoutMs, retry, accountId, fetchOptions, params, ...own } = init ?? {};
  for (const name of ["extraBody", "extraQuery"])
    if (name in own)
      throw new InvalidArgumentError(
        name,
        "is not an option of createRawClient(). Write its fields into body or params.query.",
      );
  const timing = { signal: signal ?? undefined, timeoutMs, totalTimeoutMs, retry, accountId, fetchOptions };
  const { baseUrl, prepare } = client[transport]();
  const { headers, send } = prepare(verb, template, timing, (own.parseAs ?? "json") !== "json");
  const openapi = createClient<paths>({ baseUrl, headers, querySerializer: serializeQuery, Request: Plan as never });
  return (openapi.request as unknown as AnyRequest)(verb, expandPath(template, params?.path), {
    ...own,
    ...{ baseUrl: undefined, middleware: undefined, Request: undefined },
    params: { ...params, path: undefined },
    fetch(outgoing: Outgoing) {
      onSend();
      return send(outgoing, throws);
    },
  });
}

/**
 * Returns openapi-fetch's verbs with a client's credentials, timeouts, retries and middleware.
 *
 * For operations that this SDK version does not have, pass the `paths` that openapi-typescript writes from their document. They
 * are retried by their method: see `client.request()`.
 *
 * @example
 * const { data, error } = await createRawClient(client).GET("/api/v1/roles");
 * const api = createRawClient<paths>(client, { throwOnError: true });
 *
 * @throws {InvalidArgumentError} `client` is none of this SDK, or an option is invalid.
 */
export function createRawClient<Paths extends object = paths>(
  client: CallTransferCore,
  options: RawOptions & { readonly throwOnError: true },
): RawClient<Paths, true>;
/** Returns errors of the API instead of throwing them. */
export function createRawClient<Paths extends object = paths>(
  client: CallTransferCore,
  options?: RawOptions & { readonly throwOnError?: false },
): RawClient<Paths>;
export function createRawClient(client: CallTransferCore, options: RawOptions = {}): unknown {
  if (!readArguments("client", () => isFunction(client?.[transport])))
    throw new InvalidArgumentError("client", "must be a client of this version of @call-transfer/sdk");
  const { throwOnError = false, ...others } = Object(options) as RawOptions;
  if (typeof throwOnError !== "boolean") throw new InvalidArgumentError("throwOnError", "must be true or false");
  for (const name of Object.keys(others))
    throw new InvalidArgumentError(
      presentable(name),
      "is not an option of createRawClient(). Use throwOnError, or the init of a request.",
    );
  const methodOf = (verb: Verb) => (template: string, init?: RawInit) =>
    request(client, throwOnError, verb, template, init);
  return Object.fromEntries(verbs.map((verb) => [verb, methodOf(verb)]));
}
