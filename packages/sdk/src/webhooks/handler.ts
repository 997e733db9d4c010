// Receiving webhooks: for anything that speaks Request → Response, and for Node's own servers.
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
   * Handles a verified event. Returning nothing accepts it (204); a `Response` is answered as it is; throwing, or
   * returning anything else, answers 500 without details.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers only sometimes returns both
  onEvent(event: WebhookEvent): Promise<Response | undefined | void> | Response | undefined | void;
  /** Refuses a webhook that was received before with 409; none by default. */
  replayStore?: ReplayStore;
  /** Receives the reason why a webhook was refused or its handling failed. The sender learns less. */
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
  const digest = await crypto.subtle.digest("SHA-256", body);
  return `${timestamp}.${toHex(new Uint8Array(digest))}`;
}

const wrongReturn = "onEvent must return nothing or a Response with a status from 200 to 599";

/** The answer that goes with what `onEvent` returned. */
async function answerOf(returned: unknown): Promise<Response> {
  if (returned === undefined || returned === null) return new Response(null, { status: 204 });
  const { status, headers, bodyUsed, arrayBuffer } = returned as Response;
  if (typeof arrayBuffer !== "function" || !(status >= 200))
    throw new TypeError(`${wrongReturn}, not ${typeof returned}`);
  if (bodyUsed) throw new TypeError("The body of the Response from onEvent was already read: return a new one");
  if (returned instanceof Response) return returned;
  // A Response of another copy or realm; servers may accept none but their own class.
  const body = await (returned as Response).arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, headers: [...headers] });
}

/** Lets an adapter report a failure to the `onError` of the handler that took its request. */
const reports = new WeakMap<Request, (error: unknown) => void>();

/**
 * Makes a handler for servers that speak `Request → Response`: it verifies the signature over the raw body before
 * anything else, so put it before any parser.
 *
 * @throws {TypeError} The options are unusable, e.g. an empty secret.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { onEvent, replayStore, onError, ...verification } = options ?? {};
  const { secret: _secret, toleranceSecs: _tolerance, now: _now, ...unknown } = verification as VerifyOptions;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`${name} is not an option; is it misspelt?`);
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
      return await answerOf(await onEvent(event));
    } catch (error) {
      // What was not handled may come again.
      if (key) await replayStore.remove?.(key);
      throw error;
    }
  };
  const report = async (error: unknown): Promise<void> => {
    try {
      await onError?.(error);
    } catch {
      // The sender gets its answer all the same.
    }
  };
  return async (request) => {
    try {
      reports.set(request, report);
      return await answer(request);
    } catch (error) {
      void report(error);
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook is not genuine.\n", { status: 400 });
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
  /** Raw bytes or text kept beside a parsed body, as Firebase does; goes before `body`. */
  readonly rawBody?: unknown;
  /** Raw bytes or text, where `express.raw()` read them. */
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

const parsedBefore =
  "The body was read before it was verified. Mount express.raw({ type: '*/*' }) on this route, or keep the bytes as " +
  "rawBody: express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })";

async function* chunksOfNode(request: NodeRequest): AsyncGenerator<Uint8Array> {
  for (const name of ["rawBody", "body"] as const) {
    const kept = request[name];
    if (typeof kept === "string" || ArrayBuffer.isView(kept)) return yield bytesOf(kept as RawBody);
  }
  const isUnread = !request.readableEnded && !request.readableDidRead && request[Symbol.asyncIterator];
  if (!isUnread) throw new Refusal(500, parsedBefore);
  // Chunks are text after setEncoding.
  for await (const chunk of request) yield bytesOf(chunk);
}

function requestOfNode(request: NodeRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  }
  // Some methods cannot be put into a Request; all but one are refused alike.
  if (request.method !== "POST") return new Request("http://webhook.invalid/", { headers });
  const chunks = chunksOfNode(request);
  const body = new ReadableStream<Uint8Array>({
    // Whatever fails in here is thrown to the handler, whose onError hears of it.
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
 * The handler for `http.createServer` or Express: `app.post("/offers", toNodeHandler(handler))`. It takes the raw body
 * from `rawBody` or `body`, where a parser kept it there as bytes or text, and from the request itself otherwise. It never
 * rejects: what fails is answered 500 and goes to `onError`.
 */
export function toNodeHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const send = (answer: Response, body?: Uint8Array): void => {
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
    let asked: Request | undefined;
    try {
      asked = requestOfNode(request);
      const answer = await handler(asked);
      send(answer, new Uint8Array(await answer.arrayBuffer()));
    } catch (error) {
      if (asked) reports.get(asked)?.(error);
      // Something else may have answered, such as a time limit.
      if (!response.headersSent) send(new Response(null, { status: 500 }));
    }
  };
}
