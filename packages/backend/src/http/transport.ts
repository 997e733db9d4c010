/** What a server does to the connection instead of sending the response, or while sending it. */
export type TransportFault =
  /** Never sends the response: resets the connection, closes it cleanly or keeps it open. */
  | { readonly kind: "reset" | "empty" | "hang" }
  /** Sends the head and the first `bytes` bytes of the body, then resets the connection. */
  | { readonly kind: "truncate"; readonly bytes: number };

/** The request headers a backend reads; every `Headers` fits. Names are looked up in lower case. */
export interface RequestHeaders {
  /** Returns the value of a header, or null. */
  get(name: string): string | null;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** The parts of a request that a backend reads; every `Request` fits. */
export interface IncomingRequest extends Pick<Request, "method" | "url" | "body"> {
  /** The request headers. */
  readonly headers: RequestHeaders;
  /** The body, if the server has already read it; `body` is then ignored. */
  readonly bodyBytes?: Uint8Array;
  /** Ends the wait of a latency fault and the reading of the body: the client has disconnected, and nothing is processed. */
  readonly signal?: AbortSignal;
}

/** A response as plain values. */
export interface PlainResponse {
  /** The response status. */
  readonly status: number;
  /** The response headers by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; undefined for none. */
  readonly text: string | undefined;
}

/** A response, and the transport fault to play on it. */
export interface HandledResponse {
  /** The response; with a transport fault that withholds it, the withheld or an empty one. */
  readonly response: Response;
  /** The same response as plain values; absent for streamed bodies and transport faults. */
  readonly plain?: PlainResponse;
  /** The transport fault to play; absent for none. */
  readonly transport?: TransportFault;
}

/**
 * Builds its `Response` on first access, because building one takes longer than all checks together. A class, because a
 * getter in an object literal gives each object its own shape, which costs more than it saves.
 */
export class LazyResponse implements HandledResponse {
  readonly plain: PlainResponse;
  #built: Response | undefined;

  constructor(plain: PlainResponse) {
    this.plain = plain;
  }

  get response(): Response {
    this.#built ??= new Response(this.plain.text ?? null, this.plain);
    return this.#built;
  }
}

/** Responds to a request from a peer, whose address is `request.url`, already parsed. */
export type HandleAt<Peer> = (request: IncomingRequest, peer: Peer | undefined, url: URL) => Promise<HandledResponse>;

/** Makes the address optional. An invalid one is a rejection. */
export function withUrl<Peer>(
  handle: HandleAt<Peer>,
): (request: IncomingRequest, peer?: Peer, url?: URL) => Promise<HandledResponse> {
  const parsed = async (request: IncomingRequest, peer: Peer | undefined): Promise<HandledResponse> =>
    handle(request, peer, new URL(request.url));
  return (request, peer, url) => (url === undefined ? parsed(request, peer) : handle(request, peer, url));
}

/**
 * Whether a response is a `Response`, not plain values. Not by `instanceof`: the first use of that name makes Node load its
 * whole `fetch`, which takes longer than all else until the first answer.
 */
export function isWhole(response: Response | PlainResponse): response is Response {
  return typeof response.text === "function";
}

/** Returns the response as `fetch` would: a transport fault becomes a rejection, a wait or a broken body. */
export async function asFetched(
  { response, transport, plain }: HandledResponse,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  if (transport === undefined) {
    // Only a streamed body can still be aborted.
    if (plain !== undefined || !signal || response.body === null) return response;
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), { status, headers });
  }
  if (transport.kind === "truncate") return truncated(response, transport.bytes);
  await response.body?.cancel();
  if (transport.kind === "hang") return new Promise((_, reject) => onAbort(signal, reject));
  throw networkError("fetch failed", transport.kind === "reset" ? "ECONNRESET" : "UND_ERR_SOCKET");
}

/** Waits for `work`; rejects with the abort reason if `signal` aborts first. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return new Promise((resolve, reject) => {
    onAbort(signal, reject);
    work.then(resolve, reject);
  });
}

function onAbort(signal: AbortSignal | null | undefined, listener: (reason: unknown) => void): void {
  if (signal?.aborted) listener(signal.reason);
  else signal?.addEventListener("abort", () => listener(signal.reason), { once: true });
}

function networkError(message: string, code: string): TypeError {
  const cause = new Error(code === "ECONNRESET" ? "read ECONNRESET" : "other side closed");
  return new TypeError(message, { cause: Object.assign(cause, { code }) });
}

async function truncated(response: Response, bytes: number): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer());
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent || bytes === 0) controller.error(networkError("terminated", "ECONNRESET"));
      else controller.enqueue(whole.slice(0, bytes));
      isSent = true;
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

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
