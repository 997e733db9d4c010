// Receiving webhooks: for anything that speaks Request → Response, and for Node's own servers.
import {
  checkVerifyOptions,
  type RawBody,
  type VerifyOptions,
  verifySigned,
  type WebhookEvent,
  WebhookVerificationError,
} from "./webhook-signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Remembers what was received. Fits a shared store's set-if-absent with expiry, e.g. Redis' `SET key 1 NX EX secs`. */
export interface ReplayStore {
  /** Keeps the key for so many seconds; false when it was there already. */
  setIfAbsent(key: string, expiresInSecs: number): Promise<boolean> | boolean;
  /** Forgets a key whose webhook could not be handled, so that it may be sent again; without it, it stays refused. */
  remove?(key: string): Promise<unknown> | unknown;
}

/** A replay store for one process. */
export function memoryReplayStore({ now = Date.now }: { now?: () => number } = {}): ReplayStore {
  const expiries = new Map<string, number>();
  return {
    setIfAbsent(key, expiresInSecs) {
      const time = now();
      // Keys come in order of time, so that the expired ones stand first.
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

/** How webhooks are received. */
export interface WebhookHandlerOptions extends VerifyOptions {
  /**
   * Handles a verified event. Returning nothing accepts it (204); a `Response` is answered as it is; throwing answers
   * 500 without details.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers only sometimes returns both
  onEvent(event: WebhookEvent): Promise<Response | undefined | void> | Response | undefined | void;
  /** Refuses a webhook that was received before with 409; none by default. */
  replayStore?: ReplayStore;
  /** Told why a webhook was refused or its handling failed; the sender is told less. */
  onError?: (error: unknown) => void;
}

/** Answers a webhook. */
export type WebhookHandler = (request: Request) => Promise<Response>;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function readBytes(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    size += value.byteLength;
    if (size > maxBodyBytes) {
      reader?.cancel().catch(() => {});
      throw new Refusal(413, `the body is larger than ${maxBodyBytes} bytes`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** The signed time and body decide what is the same webhook: the rest of a header may be changed on the way. */
async function replayKey(timestamp: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `${timestamp}.${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Makes a handler for servers that speak `Request → Response`: it verifies the signature over the raw body before
 * anything else, so put it before any parser.
 *
 * @throws {TypeError} The options are unusable, e.g. an empty secret.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { onEvent, replayStore, onError, ...verification } = options ?? {};
  if (typeof onEvent !== "function") throw new TypeError("onEvent must be a function");
  const keeps = replayStore === undefined || typeof replayStore.setIfAbsent === "function";
  if (!keeps) throw new TypeError("replayStore must have setIfAbsent");
  const { secrets, toleranceSecs } = checkVerifyOptions(verification);
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") throw new Refusal(405, "webhooks come by POST");
    if (request.bodyUsed)
      throw new WebhookVerificationError("The request's body was already read: verify before parsing it");
    const body = await readBytes(request.body);
    const input = { body, headers: request.headers };
    const { event, timestamp } = await verifySigned(input, { ...verification, secret: secrets });
    const key = replayStore && (await replayKey(timestamp, body));
    // A signature may be as far ahead as behind, so it stays valid for twice the tolerance.
    if (key && !(await replayStore.setIfAbsent(key, 2 * toleranceSecs))) throw new Refusal(409, "received before");
    try {
      return (await onEvent(event)) ?? new Response(null, { status: 204 });
    } catch (error) {
      // What was not handled may come again.
      if (key) await replayStore.remove?.(key);
      throw error;
    }
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      try {
        onError?.(error);
      } catch {
        // The sender gets its answer all the same.
      }
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook is not genuine.\n", { status: 400 });
      if (!(error instanceof Refusal)) return new Response("The webhook could not be handled.\n", { status: 500 });
      const headers = error.status === 405 ? { allow: "POST" } : undefined;
      return new Response(`${error.message}\n`, { status: error.status, ...(headers && { headers }) });
    }
  };
}

/** What the adapter needs of Node's `IncomingMessage` or Express' request. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Raw bytes, where `express.raw()` read them. */
  readonly body?: unknown;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
}

/** What the adapter needs of Node's `ServerResponse` or Express' response. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string | readonly string[]): unknown;
  end(body?: string | Uint8Array): unknown;
}

const parsedBefore = "The body was read before: mount express.raw({ type: '*/*' }) on this route";

function bodyOfNode(request: NodeRequest): RawBody | ReadableStream<Uint8Array> {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  const readBefore = request.readableEnded || request.readableDidRead;
  const chunks = request[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      // Told through the handler, so that its onError hears of it.
      if (readBefore) throw new Refusal(500, parsedBefore);
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return?.()),
  });
}

function requestOfNode(request: NodeRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  }
  // Some methods cannot be put into a Request; all but one are refused alike.
  const isPost = request.method === "POST";
  const body = isPost && { body: bodyOfNode(request) as BodyInit, duplex: "half" };
  return new Request("http://webhook.invalid/", { method: isPost ? "POST" : "GET", headers, ...body });
}

/** The handler for `http.createServer` or Express: `app.post("/offers", toNodeHandler(handler))`. */
export function toNodeHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    let answer: Response;
    let body: Uint8Array | undefined;
    try {
      answer = await handler(requestOfNode(request));
      body = new Uint8Array(await answer.arrayBuffer());
    } catch {
      // The application's own answer could not be read.
      answer = new Response(null, { status: 500 });
    }
    response.statusCode = answer.status;
    // What is left of an unread body would be taken for the next request.
    if (!request.readableEnded) response.setHeader("connection", "close");
    answer.headers.forEach((value, name) => {
      if (name !== "set-cookie") response.setHeader(name, value);
    });
    const cookies = answer.headers.getSetCookie();
    if (cookies.length > 0) response.setHeader("set-cookie", cookies);
    response.end(body);
  };
}
