/** A request as middleware sees it: the client's credential and account are added after the last one. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  /** May be changed before `next()`. */
  readonly headers: Headers;
  /** The body as text, if there is one. */
  readonly body: string | undefined;
}

/** Where in a request's life a middleware runs. */
export interface MiddlewareContext {
  /** The operationId, or method and path of an operation that this version does not know. */
  readonly operationId: string;
  /** The path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly route: string;
  /** Which sending this is, from 1. */
  readonly attemptNumber: number;
}

/**
 * Runs around every attempt. `next()` sends the request and may be called once; the response's body can be read by
 * everybody.
 */
export type Middleware = (
  request: OutgoingRequest,
  next: () => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;

/** Runs the middleware, first one outermost, around the exchange. */
export function runMiddleware(
  middleware: readonly Middleware[],
  request: OutgoingRequest,
  context: MiddlewareContext,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const run = async (index: number): Promise<Response> => {
    const current = middleware[index];
    if (!current) return exchange();
    let called = false;
    const next = () => {
      const twice = `next() was called twice by middleware ${index + 1} of ${context.operationId}`;
      const sent = called ? Promise.reject(new TypeError(twice)) : run(index + 1);
      called = true;
      // Middleware that does not wait for it is not to end the process.
      sent.catch(() => {});
      return sent;
    };
    const response: unknown = await current(request, next, context);
    const usable = typeof (response as Response | null | undefined)?.status === "number";
    if (!usable) throw new TypeError(`middleware ${index + 1} of ${context.operationId} returned no Response`);
    return response as Response;
  };
  return run(0);
}
