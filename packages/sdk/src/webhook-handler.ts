// Receiving webhooks: for anything that speaks Request → Response, and for Node's own servers.
import { signature } from "./generated/signature.gen.ts";
import {
  checkVerifyOptions,
  type RawBody,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./webhook-signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Remembers what was received. Fits a shared store's set-if-absent with expiry, e.g. Redis' `SET key 1 NX EX secs`. */
export interface ReplayStore {
  /** Keeps the key for so many seconds; false when it was there already. */
  setIfAbsent(key: string, expiresInSecs: number): Promise<boolean> | boolean;
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

/** The time and body decide what counts as the same webhook: a header may lose one of its signatures on the way. */
async function replayKey(header: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const [time = ""] = /t=\d+/.exec(header) ?? [];
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `${time}.${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Makes a handler for servers that speak `Request → Response`: it verifies the signature over the raw body before
 * anything else, so put it before any parser.
 *
 * @throws {TypeError} The options are unusable, e.g. an empty secret.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { onEvent, replayStore, onError, ...verification } = options;
  const { secrets, toleranceSecs } = checkVerifyOptions(verification);
  const answer = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") throw new Refusal(405, "webhooks come by POST");
    if (request.bodyUsed)
      throw new WebhookVerificationError("The request's body was already read: verify before parsing it");
    const body = await readBytes(request.body);
    const event = await verifyWebhook({ body, headers: request.headers }, { ...verification, secret: secrets });
    const key = replayStore && (await replayKey(request.headers.get(signature.header) ?? "", body));
    // A signature may be as far ahead as behind, so it stays valid for twice the tolerance.
    if (key && !(await replayStore.setIfAbsent(key, 2 * toleranceSecs))) throw new Refusal(409, "received before");
    return (await onEvent(event)) ?? new Response(null, { status: 204 });
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      onError?.(error);
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
}

/** What the adapter needs of Node's `ServerResponse` or Express' response. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string | Uint8Array): unknown;
}

function bodyOfNode(request: NodeRequest): RawBody | ReadableStream<Uint8Array> | null {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body !== undefined && request.readableEnded) {
    throw new WebhookVerificationError("The body was parsed before: mount express.raw({ type: '*/*' }) on this route");
  }
  const chunks = request[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return?.()),
  });
}

/** The handler for `http.createServer` or Express: `app.post("/offers", toNodeHandler(handler))`. */
export function toNodeHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    let answer: Response;
    try {
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers as WebhookHeaders)) {
        if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
      }
      const method = request.method ?? "GET";
      const withBody = method !== "GET" && method !== "HEAD";
      const init = { method, headers, ...(withBody && { body: bodyOfNode(request) as BodyInit, duplex: "half" }) };
      answer = await handler(new Request("http://webhook.invalid/", init));
    } catch (error) {
      answer = new Response(error instanceof WebhookVerificationError ? `${error.message}\n` : null, { status: 500 });
    }
    response.statusCode = answer.status;
    answer.headers.forEach((value, name) => {
      response.setHeader(name, value);
    });
    response.end(new Uint8Array(await answer.arrayBuffer()));
  };
}
