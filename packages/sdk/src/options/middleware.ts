import type { RequestContext } from "../errors/details.ts";

/** A request as middleware sees it. The credential and the account are added after the last middleware. */
export interface OutgoingRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The complete URL, with the query. */
  readonly url: string;
  /** Can be changed before `next()`. */
  readonly headers: Headers;
  /** The body as text, if there is one. */
  readonly body: string | undefined;
}

/** The request and attempt that a middleware runs for. */
export interface MiddlewareContext {
  /** The operationId; for an operation that this SDK version does not know, its method and path. */
  readonly operationId: string;
  /** Path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly route: string;
  /** Number of the attempt, from 1. */
  readonly attemptNumber: number;
  /** The request's option `context`. */
  readonly context: RequestContext | undefined;
}

/**
 * Runs around every attempt. `next()` sends the request and may be called once. The response's body can be read any
 * number of times.
 */
export type Middleware = (
  request: OutgoingRequest,
  next: () => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;
