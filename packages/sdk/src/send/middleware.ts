import type { Middleware, MiddlewareContext, OutgoingRequest } from "../options/middleware.ts";

/** Runs the middleware around the exchange, the first one outermost. */
export function runMiddleware(
  middleware: readonly Middleware[],
  request: OutgoingRequest,
  context: MiddlewareContext,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const run = async (index: number): Promise<Response> => {
    const current = middleware[index];
    if (!current) return exchange();
    const name = `middleware ${index + 1} of ${context.operationId}`;
    let called = false;
    const next = () => {
      const sent = called ? Promise.reject(new TypeError(`${name} called next() twice`)) : run(index + 1);
      called = true;
      // Middleware that does not await it must not end the process.
      sent.catch(() => {});
      return sent;
    };
    const response: unknown = await current(request, next, context);
    const isResponse = typeof (response as Response | null | undefined)?.status === "number";
    if (!isResponse) throw new TypeError(`${name} returned no Response`);
    return response as Response;
  };
  return run(0);
}
