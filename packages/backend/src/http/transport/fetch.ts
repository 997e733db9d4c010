import { asFetched, type HandledResponse, type IncomingRequest, untilAborted } from "./transport.ts";

/** A `fetch` whose third parameter says who sends the request. */
type FetchFrom<Peer> = (input: Request | URL | string, init?: RequestInit, peer?: Peer) => Promise<Response>;

/** Requests with a signal and no response yet. An abort reaches a `Request` only while something refers to it. */
const inFlight = new Set<readonly unknown[]>();

/**
 * Makes a `fetch` of a function that responds to requests. As with the platform's `fetch`, `init` overrides a `Request`, also
 * its signal, and an abort rejects with the signal's reason: before the request, until the response, and until its body is read.
 */
export function createFetch<Peer>(
  handle: (request: IncomingRequest, peer?: Peer) => Promise<HandledResponse>,
): FetchFrom<Peer> {
  return async (input, init, peer) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const held = [input, request];
    if (input instanceof Request || init?.signal) inFlight.add(held);
    try {
      return await respond(await untilAborted(handle(request, peer), signal), request);
    } finally {
      inFlight.delete(held);
    }
  };
}

async function respond(handled: HandledResponse, request: Request): Promise<Response> {
  const { plain } = handled;
  if (request.method === "HEAD") return headOf(await asFetched(handled, request.signal));
  if (plain?.text === undefined) return asFetched(handled, request.signal);
  return new Response(bodyUnlessAborted(plain.text, request), plain);
}

/** The response to HEAD. */
export async function headOf(response: Response): Promise<Response> {
  await response.body?.cancel();
  const { status, headers } = response;
  return new Response(null, { status, headers });
}

/** A body that fails if the request has been aborted by the time of the first read. */
function bodyUnlessAborted(text: string, request: Request): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (request.signal.aborted) return controller.error(request.signal.reason);
      // A byte stream takes no empty chunk.
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}
