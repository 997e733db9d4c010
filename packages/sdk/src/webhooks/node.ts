// The adapter for Node's servers, Express and Fastify.
import { requestOf, sentHeaders } from "./adapter.ts";
import { Rejection } from "./errors.ts";
import { reportTo, type WebhookHandler } from "./handler.ts";
import { bytesOf, type RawBody } from "./signature.ts";

/** The members of Node's `IncomingMessage`, Express' request or Fastify's request that the adapter uses. */
export interface NodeRequest extends Partial<AsyncIterable<Uint8Array>> {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Raw bytes or text kept beside a parsed body, as Firebase does. Used before `body`. */
  readonly rawBody?: unknown;
  /** Raw bytes or text, as `express.raw()` or a parser of Fastify with `parseAs` read them. */
  readonly body?: unknown;
  /** Whether the request has arrived to its end. */
  readonly complete?: boolean;
  /** Whether the body was read to its end. Then the request is answered with 500, because its bytes are lost. */
  readonly readableEnded?: boolean;
  /** Whether reading of the body began. Then the request is answered with 500. */
  readonly readableDidRead?: boolean;
}

/** Fastify's reply, as far as the adapter uses it. */
export interface FastifyReply {
  /** Node's own response. */
  readonly raw: NodeResponse;
  /** Leaves the response to the adapter. */
  hijack?(): unknown;
}

/** The members of Node's `ServerResponse` or Express' response that the adapter uses. */
export interface NodeResponse {
  /** HTTP status. */
  statusCode: number;
  /** Whether the head of the response was sent. */
  readonly headersSent?: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string | readonly string[]): unknown;
  /** Sends the body and ends the response. */
  end(body?: string | Uint8Array): unknown;
}

const alreadyRead =
  "The body was read before verification. Keep its bytes. In Express, mount express.raw({ type: '*/*' }) on this route, " +
  "or use express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } }). In Fastify, use " +
  "addContentTypeParser('application/json', { parseAs: 'buffer' }, (_req, body, done) => done(null, body)). In NestJS, set " +
  "rawBody: true. In an API route of Next.js, turn bodyParser off. In Koa, mount this first. In hapi, set " +
  "payload: { parse: false, output: 'stream' }.";

/** Refuses a body that was kept before all of it had arrived. */
function checkKept({ headers, complete }: NodeRequest, kept: Uint8Array): void {
  const declared = headers["content-length"];
  // A parser may have decoded it.
  const isDecoded = !/^(?:identity)?$/i.test(`${headers["content-encoding"] ?? ""}`);
  const isOther = declared !== undefined && !isDecoded && Number(declared) !== kept.byteLength;
  if (complete === false || isOther)
    throw new Rejection(
      500,
      "body_already_read",
      `The kept body has ${kept.byteLength} of ${declared ?? "more"} bytes: it was still being read. Wait for its end before the handler.`,
    );
}

const isStream = (request: NodeRequest): request is NodeRequest & AsyncIterable<Uint8Array> =>
  Boolean(request[Symbol.asyncIterator]);

async function* chunksOfNode(request: NodeRequest): AsyncGenerator<Uint8Array> {
  for (const name of ["rawBody", "body"] as const) {
    const kept = request[name];
    if (typeof kept !== "string" && !ArrayBuffer.isView(kept)) continue;
    const bytes = bytesOf(kept as RawBody);
    checkKept(request, bytes);
    return yield bytes;
  }
  if (!isStream(request)) {
    // Fastify does not parse an empty body.
    if (request.body === undefined || request.body === null) return;
    throw new Rejection(500, "body_already_read", alreadyRead);
  }
  if (request.readableEnded || request.readableDidRead) throw new Rejection(500, "body_already_read", alreadyRead);
  // Chunks are text after setEncoding.
  for await (const chunk of request) yield bytesOf(chunk);
}

function requestOfNode(request: NodeRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !name.startsWith(":")) headers.set(name, String(value));
  return requestOf(request.method, headers, chunksOfNode(request));
}

/**
 * Adapts a webhook handler to `http.createServer` or Express: `app.post("/offers", toNodeHandler(handler))`. It takes
 * Fastify's `request` and `reply`, too. It reads the raw body from `rawBody` or `body` if a parser kept it
 * there as bytes or text, and otherwise from the request. On an error the response is 500, and `onError`
 * receives the error. It rejects only what is no response of Node's.
 */
export function toNodeHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse | FastifyReply) => Promise<void> {
  return async (request, given) => {
    const { raw, hijack } = Object(given) as Partial<FastifyReply>;
    const response = raw ?? (given as NodeResponse);
    // Known before the webhook is handled.
    if (typeof response?.setHeader !== "function")
      throw new TypeError("toNodeHandler needs Node's request and response, such as ctx.req and ctx.res of Koa.");
    hijack?.call(given);
    const send = (from: Response, body?: Uint8Array): void => {
      response.statusCode = from.status;
      // The rest of an unread body would be read as the next request.
      if (!(request.readableEnded ?? !isStream(request))) response.setHeader("connection", "close");
      const headers = sentHeaders(from);
      headers.forEach((value, name) => {
        response.setHeader(name, value);
      });
      // A header of its own for each cookie, in place of the last one.
      const cookies = headers.getSetCookie();
      if (cookies.length > 0) response.setHeader("set-cookie", cookies);
      response.end(body);
    };
    let webRequest: Request | undefined;
    try {
      webRequest = requestOfNode(request);
      const result = await handler(webRequest);
      send(result, new Uint8Array(await result.arrayBuffer()));
    } catch (error) {
      reportTo(webRequest, error);
      // A timeout may have sent a response already.
      if (!response.headersSent) send(new Response(null, { status: 500 }));
    }
  };
}
