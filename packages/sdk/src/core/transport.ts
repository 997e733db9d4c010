// How the SDK's other entries send requests with a client. A client may come from another copy of the SDK, e.g. the CommonJS
// copy beside the ESM one.
import type { RequestOptions } from "../options/options.ts";
import type { Outgoing } from "../send/call.ts";

/** Method of a client that returns its transport. Shared by every copy of this major version. */
export const transport: unique symbol = Symbol.for("@call-transfer/sdk/1/transport");

/** What a client lends to the SDK's other entries. It holds no credential. */
export interface Transport {
  /** Origin and path prefix of the API. */
  readonly baseUrl: string;
  /** The client's account, if it has one. */
  readonly accountId: string | undefined;
  /** Combines and checks the options of a request. `anyBody`: a success of an unknown operation need not be JSON. */
  prepare(method: string, path: string, options?: RequestOptions, anyBody?: boolean): Prepared;
}

/** A request that is ready to be sent. */
export interface Prepared {
  /** The client's headers and, over them, the request's own. */
  readonly headers: Headers;
  /**
   * Sends it with the client's credential, timeouts and retries. Returns any response of the API; those that are errors are
   * thrown as `ApiError` if `throws` is true.
   */
  send(outgoing: Outgoing, throws?: boolean): Promise<Response>;
}
