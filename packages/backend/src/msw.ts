import { controlPrefix } from "./http/select-sandbox.ts";
import {
  asFetched,
  type HandledResponse,
  headOf,
  type IncomingRequest,
  type TransportFault,
} from "./http/transport.ts";
import { InputError } from "./utils/input-error.ts";
import { setTimeout } from "./utils/real-time.ts";

/** The part of MSW's `http` that is used; every supported version fits. */
export interface MswHttp<Handler> {
  /** Creates a handler of all methods for the URLs that match. */
  all(predicate: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

/** What the handlers need. */
export interface MswOptions<Handler> {
  /** The `http` export of `msw`. */
  readonly http: MswHttp<Handler>;
  /** The backend or sandboxes that respond; they hold all state. */
  readonly backend: {
    /** Responds to a request. */
    handle(request: IncomingRequest, peer?: { readonly address?: string }): Promise<HandledResponse>;
  };
  /**
   * The base URL of the mocked client, without `/api/v1`. Requests to other URLs, also to other paths of the same origin,
   * are left to MSW, so the page's own origin works too.
   */
  readonly baseUrl: string;
  /** Receives a warning once for each kind of fault that MSW cannot reproduce exactly; `console.warn` by default. */
  readonly warn?: (message: string) => void;
}

/**
 * Creates the MSW handlers for the API and the control plane, for `setupServer` and `setupWorker`. Throws InputError unless
 * `baseUrl` is an absolute http or https URL without `/api/v1`.
 */
export function callTransferHandlers<Handler>(options: MswOptions<Handler>): Handler[] {
  const { http, backend } = options;
  const base = readBaseUrl(options.baseUrl);
  const warn = warnOnce(options.warn);
  return [
    http.all(pathsUnder(base), async ({ request }) => {
      const origin = foreignOrigin(request, base);
      if (request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
        const headers = preflightHeaders(origin, request.headers.get("access-control-request-headers"));
        return new Response(null, { status: 204, headers });
      }
      const handling = backend.handle(await readRequest(request, base), callerAddress);
      return withCorsHeaders(await play(handling, request, warn), origin);
    }),
  ];
}

/**
 * Creates a `fetch` that bypasses MSW, for `createBackend({ fetch: bypassFetch(bypass) })`. Webhook deliveries then reach
 * their receiver instead of a handler or a warning about an unhandled request. `bypass` is the export of `msw`.
 */
export function bypassFetch(bypass: (input: string | URL | Request, init?: RequestInit) => Request): typeof fetch {
  return (input, init) => globalThis.fetch(bypass(input, init));
}

// The mocked client runs on this machine, like a client of a local mock server.
const callerAddress = { address: "127.0.0.1" };

function readBaseUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const check = (isValid: boolean, explanation: string): void => {
    if (!isValid) throw new InputError("baseUrl", explanation);
  };
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InputError("baseUrl", "must be an absolute http or https URL, e.g. https://api.example.com");
  check(!baseUrl.includes("*"), "must not contain a wildcard: it would also match other platforms");
  check(
    url.username + url.password + url.search + url.hash === "",
    "must not contain credentials, a query or a fragment",
  );
  url.pathname = url.pathname.replace(/\/+$/, "");
  check(!url.pathname.endsWith("/api/v1"), "must not include /api/v1. Remove it.");
  return url;
}

/** The path of the base URL; empty for `/`. */
function prefixOf(base: URL): string {
  return base.pathname === "/" ? "" : base.pathname;
}

function pathsUnder(base: URL): RegExp {
  const prefix = (base.origin + prefixOf(base)).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${prefix}(?:/_sandbox/[^/?#]*)?(?:/api/v1|${controlPrefix})(?:[/?#]|$)`);
}

async function readRequest(request: Request, base: URL): Promise<IncomingRequest> {
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(prefixOf(base).length);
  const { method, headers, signal } = request;
  const bodyBytes = new Uint8Array(await request.arrayBuffer());
  return { method, url: url.href, headers, signal, body: null, ...(bodyBytes.byteLength > 0 && { bodyBytes }) };
}

/** What the client sees under MSW instead of each transport fault. */
const effects: Readonly<Record<TransportFault["kind"], string>> = {
  reset: "fails with a network error without a cause",
  empty: "fails with a network error without a cause",
  truncate: "fails with a body error without a cause",
  hang: "hangs until it is aborted, without an open connection",
};

async function play(
  handling: Promise<HandledResponse>,
  { method, signal }: Request,
  warn: (kind: TransportFault["kind"]) => void,
): Promise<Response> {
  let isPlayed = false;
  try {
    const handled = await handling;
    isPlayed = handled.transport !== undefined;
    // After an abort during a latency, the client sees its own abort, not a transport fault.
    if (handled.transport !== undefined && !signal.aborted) warn(handled.transport.kind);
    const response = await asFetched(handled, signal);
    if (method === "HEAD") return await headOf(response);
    return handled.plain === undefined ? headFirst(response) : response;
  } catch (error) {
    // MSW reports a rejection as an exception in the handler, which faults and aborts are not.
    if (isPlayed || signal.aborted) return Response.error();
    throw error;
  }
}

/**
 * Makes the client see the head before the body, and before the body fails. In Node, MSW 3 sends the head together with the
 * first chunk, and drops unread chunks when the body fails. The encoding is chunked, because the end of a body that ends with
 * its connection looks like a failure.
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
  const warned = new Set<string>();
  return (kind) => {
    if (warned.has(kind)) return;
    warned.add(kind);
    warn(`The fault "${kind}" needs a real connection. Under MSW the request ${effects[kind]}.`);
  };
}

/** The request's origin if it is another site; browsers hide the header from their workers. */
function foreignOrigin(request: Request, base: URL): string | undefined {
  const origin = request.headers.get("origin");
  return origin === null || origin === base.origin ? undefined : origin;
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "X-Request-Id, Date, Retry-After, Allow, WWW-Authenticate",
    Vary: "Origin",
  };
}

// A preflight lists header names without values, so it cannot select a sandbox.
// Tracing and clients add headers that no list foresees, so all that it asks for are allowed.
function preflightHeaders(origin: string | undefined, asked: string | null): Record<string, string> {
  return {
    ...(origin !== undefined && corsHeaders(origin)),
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": asked ?? "Authorization, X-Account-Id, X-Sandbox, Content-Type",
  };
}

function withCorsHeaders(response: Response, origin: string | undefined): Response {
  if (origin !== undefined && response.type !== "error")
    for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value);
  return response;
}
