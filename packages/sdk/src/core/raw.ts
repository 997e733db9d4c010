// openapi-fetch's own client over the attempt loop.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../generated/types.gen.ts";
import type { RequestOptions } from "../options/options.ts";
import type { Outgoing } from "../send/call.ts";
import { send } from "../send/send.ts";
import { isText } from "../utils/guards.ts";
import { expandPath, serializeQuery } from "../utils/path.ts";
import { begin, type CallTransferCore } from "./core.ts";

type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "TRACE";
const verbs: readonly Verb[] = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];

/**
 * The typed escape hatch: openapi-fetch's verbs, with the same credentials, timeouts and retries. An answer of the API
 * is returned as `{ data, error, response }`; a lost one throws.
 */
export type RawClient = Pick<Client<paths>, Verb>;

/** Init of a raw call, as far as we look at it. */
interface RawInit extends Omit<RequestOptions, "middleware" | "signal"> {
  signal?: AbortSignal | null;
  params?: { path?: Record<string, unknown> };
}

/** openapi-fetch as we use it: the place is decided at run time, so its types cannot help here. */
type AnyRequest = (method: string, url: string, init: object) => Promise<unknown>;

/** What openapi-fetch makes instead of a `Request`, which could be sent only once. */
class Plan {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** A per-call fetch, address or middleware is dropped: the credentials are the client's. */
async function request(
  client: CallTransferCore,
  verb: Verb,
  template: string,
  init?: RawInit | null,
): Promise<unknown> {
  // Joined to the base address as it is, any other text could name another host.
  if (!isText(template, /^\//)) throw new TypeError("The path must be text that starts with /, such as /api/v1/roles");
  const { signal, timeoutMs, totalTimeoutMs, maxRetries, accountId, params, ...own } = init ?? {};
  const timing = { signal: signal ?? undefined, timeoutMs, totalTimeoutMs, maxRetries, accountId };
  const call = begin(client, verb, template, timing);
  const { baseUrl, headers } = call;
  const openapi = createClient<paths>({ baseUrl, headers, querySerializer: serializeQuery, Request: Plan as never });
  return (openapi.request as unknown as AnyRequest)(verb, expandPath(template, params?.path), {
    ...own,
    ...{ baseUrl: undefined, middleware: undefined, Request: undefined },
    params: { ...params, path: undefined },
    fetch: (outgoing: Outgoing) => send(call, outgoing).then(({ response }) => response),
  });
}

/** openapi-fetch's verbs with the client's guarantees. */
export function rawOf(client: CallTransferCore): RawClient {
  const each = verbs.map((verb) => [verb, (template: string, init?: RawInit) => request(client, verb, template, init)]);
  return Object.fromEntries(each) as unknown as RawClient;
}
