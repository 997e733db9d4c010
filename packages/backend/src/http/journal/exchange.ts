// In a module of its own, which the declarations of the unstable entry do not share with those of the main one.
import type { RequestHeaders } from "../transport/transport.ts";

/** A request and its response as they were. */
export interface Exchange {
  /** The URL as requested. */
  readonly url: URL;
  /** The request headers. */
  readonly headers: RequestHeaders;
  /** The request body, if it was read as JSON. */
  readonly requestBody?: unknown;
  /** The bytes of a short request body that was not read as JSON. */
  readonly requestBytes?: Uint8Array | undefined;
  /** Whether the request has a body, also one that is not kept. */
  readonly hasBody?: boolean;
  /** The address of the client's end of the connection. */
  readonly peerAddress?: string | undefined;
  /** The response headers that the backend set. */
  readonly responseHeaders?: RequestHeaders | Readonly<Record<string, string>> | undefined;
  /** The response body as it was sent. */
  readonly responseText?: string | undefined;
}
