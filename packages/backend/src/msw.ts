import { controlPrefix } from "./control/reply.ts";
import { type Asked, asFetched, type Handled, type TransportFault } from "./http/transport.ts";
import { InputError } from "./model/input-error.ts";

/** The one part of MSW's `http` that is used, so that any version of it fits. */
export interface MswHttp<Handler> {
  all(predicate: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

export interface MswOptions<Handler> {
  /** `http` of the installed `msw`. */
  readonly http: MswHttp<Handler>;
  /** What answers: a backend, or sandboxes. All state stays there. */
  readonly backend: { handle(request: Asked, peer?: { readonly address?: string }): Promise<Handled> };
  /**
   * The address that the mocked client is given, without `/api/v1`. Requests to any other address stay MSW's own matter,
   * and so do other paths of this one, so that it may be the address of the page itself.
   */
  readonly baseUrl: string;
  /** Told once for each kind of fault that MSW cannot play as a connection would; `console.warn` by default. */
  readonly warn?: (message: string) => void;
}

/**
 * The handlers that answer the API and the control plane under one address, for `setupServer` and `setupWorker`. Throws
 * InputError for a `baseUrl` that is not an absolute http or https address that ends before `/api/v1`.
 */
export function callTransferHandlers<Handler>(options: MswOptions<Handler>): Handler[] {
  const { http, backend } = options;
  const base = readBaseUrl(options.baseUrl);
  const warn = warnOnce(options.warn);
  return [
    http.all(pathsUnder(base), async ({ request }) => {
      const origin = foreignOrigin(request, base);
      if (request.method === "OPTIONS" && request.headers.has("access-control-request-method"))
        return new Response(null, { status: 204, headers: preflightHeaders(origin) });
      const handling = backend.handle(await readRequest(request, base), callerAddress);
      return withOrigin(await play(handling, request.signal, warn), origin);
    }),
  ];
}

/**
 * A `fetch` whose requests MSW leaves alone, for `createBackend({ fetch: unmockedFetch(bypass) })`: webhook deliveries
 * then reach their receiver instead of a handler or a complaint about an unhandled request. `bypass` is MSW's own.
 */
export function unmockedFetch(bypass: (input: string | URL | Request, init?: RequestInit) => Request): typeof fetch {
  return (input, init) => globalThis.fetch(bypass(input, init));
}

// A process that mocks itself calls from the machine it runs on, as one does that calls a mock server beside it.
const callerAddress = { address: "127.0.0.1" };

function readBaseUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const check = (isGood: boolean, explanation: string): void => {
    if (!isGood) throw new InputError("baseUrl", explanation);
  };
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InputError("baseUrl", "must be an absolute http or https address, e.g. https://api.example.com");
  check(!baseUrl.includes("*"), "must name one address: a wildcard would answer for other platforms too");
  check(url.username + url.password + url.search + url.hash === "", "must have no credentials, query or fragment");
  url.pathname = url.pathname.replace(/\/+$/, "");
  check(!url.pathname.endsWith("/api/v1"), "must end before /api/v1");
  return url;
}

/** The path that stands before those of the API; empty without one. */
function prefixOf(base: URL): string {
  return base.pathname === "/" ? "" : base.pathname;
}

function pathsUnder(base: URL): RegExp {
  const prefix = (base.origin + prefixOf(base)).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${prefix}(?:/_sandbox/[^/?#]*)?(?:/api/v1|${controlPrefix})(?:[/?#]|$)`);
}

async function readRequest(request: Request, base: URL): Promise<Asked> {
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(prefixOf(base).length);
  const { method, headers, signal } = request;
  const received = new Uint8Array(await request.arrayBuffer());
  return { method, url: url.href, headers, signal, body: null, ...(received.byteLength > 0 && { received }) };
}

/** What MSW shows in place of what happens to a connection. */
const shownInstead: Readonly<Record<TransportFault["kind"], string>> = {
  reset: "fails as a network error that does not say why",
  empty: "fails as a network error that does not say why",
  truncate: "breaks off as an error of its body that does not say why",
  hang: "waits until it is aborted, without a connection that is kept open",
};

async function play(
  handling: Promise<Handled>,
  signal: AbortSignal,
  warn: (kind: TransportFault["kind"]) => void,
): Promise<Response> {
  let isPlayed = false;
  try {
    const handled = await handling;
    isPlayed = handled.transport !== undefined;
    // A caller that gave up during a latency sees its own abort, not a fault of the connection.
    if (handled.transport !== undefined && !signal.aborted) warn(handled.transport.kind);
    const response = await asFetched(handled, signal);
    return handled.plain === undefined ? headFirst(response) : response;
  } catch (error) {
    // A rejection counts as a mistake of the handler, which neither a fault nor a caller that went away is.
    if (isPlayed || signal.aborted) return Response.error();
    throw error;
  }
}

/**
 * An answer whose head is seen before its body, and before the body breaks off: in Node MSW 3 sends the head along with the
 * first part, and drops what nobody has read by the turn in which a body breaks. In chunks, since a body that ends with its
 * connection could not be told from a broken one.
 */
function headFirst(response: Response): Response {
  if (response.body === null) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(new Uint8Array()),
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          await new Promise((resolve) => setTimeout(resolve));
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers(response.headers);
  headers.set("Transfer-Encoding", "chunked");
  return new Response(body, { status: response.status, headers });
}

function warnOnce(
  // biome-ignore lint/suspicious/noConsole: the documented default
  warn: (message: string) => void = (message) => console.warn(message),
): (kind: TransportFault["kind"]) => void {
  const told = new Set<string>();
  return (kind) => {
    if (told.has(kind)) return;
    told.add(kind);
    warn(`The fault "${kind}" needs a connection; under MSW the request ${shownInstead[kind]}.`);
  };
}

/** The origin of another site that asks, where the request shows it: browsers keep it from their workers. */
function foreignOrigin(request: Request, base: URL): string | undefined {
  const origin = request.headers.get("origin");
  return origin === null || origin === base.origin ? undefined : origin;
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "X-Request-Id, Retry-After",
    Vary: "Origin",
  };
}

// A preflight names the headers that will come but lacks their values, so no sandbox can be chosen for it.
function preflightHeaders(origin: string | undefined): Record<string, string> {
  return {
    ...(origin !== undefined && corsHeaders(origin)),
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, X-Account-Id, X-Sandbox, Content-Type",
  };
}

function withOrigin(response: Response, origin: string | undefined): Response {
  if (origin !== undefined && response.type !== "error")
    for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value);
  return response;
}
