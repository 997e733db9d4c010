import type { Middleware, MiddlewareContext, OutgoingRequest } from "../options/middleware.ts";
import type { AttemptState } from "./call.ts";

/** Runs the middleware around the exchange, the first one outermost. The state names the one that is running. */
export function runMiddleware(
  middleware: readonly Middleware[],
  request: OutgoingRequest,
  context: MiddlewareContext,
  state: Pick<AttemptState, "waitingFor">,
  exchange: () => Promise<Response>,
): Promise<Response> {
  const run = async (index: number): Promise<Response> => {
    const current = middleware[index];
    if (!current) return exchange();
    const name = `middleware ${index + 1} of ${context.operationId}`;
    let called = false;
    const enter = () => {
      state.waitingFor = name;
    };
    const next = () => {
      const sent = called ? Promise.reject(new TypeError(`${name} called next() twice`)) : run(index + 1);
      called = true;
      // Handled here: middleware that does not await it must not end the process.
      sent.then(enter, enter);
      return sent;
    };
    enter();
    const response: unknown = await current(request, next, context);
    const isResponse = typeof (response as Response | null | undefined)?.status === "number";
    if (!isResponse) throw new TypeError(`${name} returned no Response`);
    return response as Response;
  };
  return run(0);
}
