// Receiving webhooks: for servers that map a Request to a Response, and for Node servers.
import {
  bytesOf,
  checkVerifyOptions,
  type RawBody,
  toHex,
  type VerifyOptions,
  verifySigned,
  type WebhookEvent,
  WebhookVerificationError,
} from "./signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Remembers received webhooks, to refuse replays. Maps to a store's set-if-absent, e.g. Redis' `SET key 1 NX EX secs`. */
export interface ReplayStore {
  /** Stores a key for this many seconds. Returns false if it was stored before. */
  setIfAbsent(key: string, expiresInSecs: number): Promise<boolean> | boolean;
  /** Removes the key of a webhook that could not be handled, so that it can be sent again. Without it, it stays refused. */
  remove?(key: string): Promise<unknown> | unknown;
}

/**
 * Creates a replay store for one process.
 *
 * @param options.now Current time in milliseconds since 1970; `Date.now` by default.
 */
export function memoryReplayStore({ now = Date.now }: { now?: () => number } = {}): ReplayStore {
  const expiries = new Map<string, number>();
  return {
    setIfAbsent(key, expiresInSecs) {
      const time = now();
      // Keys are in order of time: expired ones come first.
      for (const [old, expiry] of expiries) {
        if (expiry > time) break;
        expiries.delete(old);
      }
      if (expiries.has(key)) return false;
      expiries.set(key, time + expiresInSecs * 1000);
      return true;
    },
    remove: (key) => expiries.delete(key),
  };
}

/** Options of `createWebhookHandler`. */
export interface WebhookHandlerOptions extends VerifyOptions {
  /**
   * Handles a verified event. If it returns nothing, the response is 204; a `Response` is sent as it is. If it throws, or
   * returns anything else, the response is 500 without details.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return a Response only sometimes
  onEvent(event: WebhookEvent): Promise<Response | undefined | void> | Response | undefined | void;
  /** Refuses replays with 409. Without a store, replays are accepted. */
  replayStore?: ReplayStore;
  /** Receives the error of a webhook that was refused or could not be handled. The sender gets no details. */
  onError?: (error: unknown) => void;
}

/** Verifies and handles a webhook. Never rejects. */
export type WebhookHandler = (request: Request) => Promise<Response>;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function readBytes(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > maxBodyBytes) {
      reader.cancel().catch(() => {});
      throw new Refusal(413, `The body is larger than ${maxBodyBytes} bytes.`);
    }
    chunks.push(part.value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Identifies a webhook by its signed time and body. The rest of the header is not signed. */
async function replayKey(timestamp: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", body);
  return `${timestamp}.${toHex(new Uint8Array(digest))}`;
}

const invalidReturn = "onEvent must return nothing or a Response with a status from 200 to 599";

/** Turns what `onEvent` returned into the response. */
async function toResponse(returned: unknown): Promise<Response> {
  if (returned === undefined || returned === null) return new Response(null, { status: 204 });
  const { status, headers, bodyUsed, arrayBuffer } = returned as Response;
  if (typeof arrayBuffer !== "function" || !(status >= 200))
    throw new TypeError(`${invalidReturn}, not ${typeof returned}`);
  if (bodyUsed) throw new TypeError("The body of the Response from onEvent was already read. Return a new Response.");
  if (returned instanceof Response) return returned;
  // A Response of another realm: servers may accept only their own class.
  const body = await (returned as Response).arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, headers: [...headers] });
}

/** The `onError` of the handler of each request, for the Node adapter. */
const reports = new WeakMap<Request, (error: unknown) => void>();

/**
 * Creates a webhook handler for servers that map a `Request` to a `Response` (§6). It verifies the signature of the raw
 * body, so mount it before any body parser.
 *
 * @throws {TypeError} An option is invalid, e.g. an empty secret.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { onEvent, replayStore, onError, ...verification } = options ?? {};
  const { secret: _secret, toleranceSecs: _tolerance, now: _now, ...unknown } = verification as VerifyOptions;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`${name} is not an option. Check its spelling.`);
  if (typeof onEvent !== "function") throw new TypeError("onEvent must be a function");
  const isStore = replayStore === undefined || typeof replayStore.setIfAbsent === "function";
  if (!isStore) throw new TypeError("replayStore must have setIfAbsent");
  const { secrets, toleranceSecs } = checkVerifyOptions(verification);
  const handle = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") throw new Refusal(405, "Webhooks are sent by POST.");
    if (request.bodyUsed)
      throw new WebhookVerificationError("The request's body was already read. Verify before parsing it.");
    const body = await readBytes(request.body);
    const input = { body, headers: request.headers };
    const { event, timestamp } = await verifySigned(input, { ...verification, secret: secrets });
    const key = replayStore && (await replayKey(timestamp, body));
    // A signature is valid for the tolerance in both directions.
    if (key && !(await replayStore.setIfAbsent(key, 2 * toleranceSecs)))
      throw new Refusal(409, "This webhook was received before.");
    try {
      return await toResponse(await onEvent(event));
    } catch (error) {
      // It may be sent again.
      if (key) await replayStore.remove?.(key);
      throw error;
    }
  };
  const report = async (error: unknown): Promise<void> => {
    try {
      await onError?.(error);
    } catch {
      // The sender gets its response all the same.
    }
  };
  return async (request) => {
    try {
      reports.set(request, report);
      return await handle(request);
    } catch (error) {
      void report(error);
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook could not be verified.\n", { status: 400 });
      if (!(error instanceof Refusal)) return new Response("The webhook could not be handled.\n", { status: 500 });
      const headers = error.status === 405 ? { allow: "POST" } : undefined;
      return new Response(`${error.message}\n`, { status: error.status, ...(headers && { headers }) });
    }
  };
}

/** The members of Node's `IncomingMessage` or Express' request that the adapter uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Raw bytes or text kept beside a parsed body, as Firebase does. Used before `body`. */
  readonly rawBody?: unknown;
  /** Raw bytes or text read by `express.raw()`. */
  readonly body?: unknown;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
}

/** The members of Node's `ServerResponse` or Express' response that the adapter uses. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent?: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  end(body?: string | Uint8Array): unknown;
}

const alreadyRead =
  "The body was read before verification. Mount express.raw({ type: '*/*' }) on this route, or keep the bytes as " +
  "rawBody: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })";

async function* chunksOfNode(request: NodeRequest): AsyncGenerator<Uint8Array> {
  for (const name of ["rawBody", "body"] as const) {
    const kept = request[name];
    if (typeof kept === "string" || ArrayBuffer.isView(kept)) return yield bytesOf(kept as RawBody);
  }
  const isUnread = !request.readableEnded && !request.readableDidRead && request[Symbol.asyncIterator];
  if (!isUnread) throw new Refusal(500, alreadyRead);
  // Chunks are text after setEncoding.
  for await (const chunk of request) yield bytesOf(chunk);
}

function requestOfNode(request: NodeRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  }
  // Some methods are not allowed in a Request. The handler refuses all but POST anyway.
  if (request.method !== "POST") return new Request("http://webhook.invalid/", { headers });
  const chunks = chunksOfNode(request);
  const body = new ReadableStream<Uint8Array>({
    // An error here reaches the handler, which reports it to onError.
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  return new Request("http://webhook.invalid/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

/**
 * Adapts a webhook handler to `http.createServer` or Express: `app.post("/offers", toNodeHandler(handler))`. It reads the
 * raw body from `rawBody` or `body` if a parser kept it there as bytes or text, and otherwise from the request. It never
 * rejects: on an error the response is 500, and `onError` receives the error.
 */
export function toNodeHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const send = (from: Response, body?: Uint8Array): void => {
      response.statusCode = from.status;
      // The rest of an unread body would be read as the next request.
      if (!request.readableEnded) response.setHeader("connection", "close");
      from.headers.forEach((value, name) => {
        response.setHeader(name, value);
      });
      // A header of its own for each cookie, in place of the last one.
      const cookies = from.headers.getSetCookie();
      if (cookies.length > 0) response.setHeader("set-cookie", cookies);
      response.end(body);
    };
    let webRequest: Request | undefined;
    try {
      webRequest = requestOfNode(request);
      const result = await handler(webRequest);
      send(result, new Uint8Array(await result.arrayBuffer()));
    } catch (error) {
      if (webRequest) reports.get(webRequest)?.(error);
      // A timeout may have sent a response already.
      if (!response.headersSent) send(new Response(null, { status: 500 }));
    }
  };
}
