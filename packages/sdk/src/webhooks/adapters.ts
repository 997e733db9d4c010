// The adapters for Node's servers, Express and Fastify, and for AWS Lambda.
import { isText } from "../utils/guards.ts";
import { fromBase64 } from "./bytes.ts";
import { Rejection } from "./errors.ts";
import { reportTo, type WebhookHandler } from "./handler.ts";
import { bytesOf, type RawBody } from "./signature.ts";

/** The server sets these itself. */
const ofConnection = ["connection", "content-length", "keep-alive", "transfer-encoding"];

/** The headers of a response whose body is sent as bytes. `fetch` has decoded its body, although the headers say how it was encoded. */
function sentHeaders({ headers, url }: Response): Headers {
  const sent = new Headers(headers);
  for (const name of ofConnection) sent.delete(name);
  if (url !== "") sent.delete("content-encoding");
  return sent;
}

/** Makes a request. An error in its chunks reaches the handler, which reports it to `onError`. */
function requestOf(method: string | undefined, headers: Headers, chunks: AsyncGenerator<Uint8Array>): Request {
  const url = "https://webhook.invalid/";
  // Some methods are not allowed in a Request. The handler refuses all but POST anyway.
  if (method !== "POST") return new Request(url, { headers });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  return new Request(url, { method, headers, body, duplex: "half" } as RequestInit);
}

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
      sentHeaders(from).forEach((value, name) => {
        response.setHeader(name, value);
      });
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

/**
 * The members of an AWS Lambda event that the adapter uses: of a REST API (payload 1.0), an HTTP API or function URL
 * (payload 2.0), or a load balancer. The types of `@types/aws-lambda` fit.
 */
export interface LambdaEvent {
  /** The method in payload 1.0 and from a load balancer. */
  readonly httpMethod?: string | undefined;
  /** What the sender says about the request. */
  readonly requestContext?: {
    /** The method in payload 2.0. */
    readonly http?: { readonly method: string } | undefined;
    /** The method in payload 1.0. */
    readonly httpMethod?: string | undefined;
    /** Present in events from a load balancer. */
    readonly elb?: unknown;
  };
  /** The headers, one value each. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** The headers of payload 1.0 and of load balancers that send several values. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  /** The body, as text or as base64. */
  readonly body?: string | null | undefined;
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean | undefined;
}

/** A response in the form that the sender of a {@link LambdaEvent} reads. */
export interface LambdaResult {
  /** HTTP status. */
  statusCode: number;
  /** The headers of events without `multiValueHeaders`. */
  headers?: Record<string, string>;
  /** The headers of events with `multiValueHeaders`. */
  multiValueHeaders?: Record<string, string[]>;
  /** The body, as text or as base64. */
  body: string;
  /** Whether `body` is base64, as for bytes that are not UTF-8 text. */
  isBase64Encoded: boolean;
}

const notHttp =
  "The event is not an HTTP request. Invoke the function through an API Gateway proxy integration, a function URL or a " +
  "load balancer. For a test in the console, choose an API Gateway template.";

const parsedBody =
  "The event's body is not text, so its signature cannot be checked. Remove what parses it. In a test event, write the " +
  'body as JSON text: "body": "{\\"type\\":\\"transfer.offer\\"}"';

/** The raw body of an event. API Gateway encodes it if it counts its content type as binary. */
async function* chunksOf({ body, isBase64Encoded }: LambdaEvent, isHttp: boolean): AsyncGenerator<Uint8Array> {
  if (!isHttp) throw new Rejection(500, "invalid_request", notHttp);
  if (body === undefined || body === null) return;
  if (typeof body !== "string") throw new Rejection(500, "body_already_read", parsedBody);
  yield isBase64Encoded ? fromBase64(body) : bytesOf(body);
}

function headersOf({ headers, multiValueHeaders }: LambdaEvent): Headers {
  const result = new Headers();
  // Of a repeated header, `headers` contains the last value only. Either may lack what the other has.
  const several = Object.entries(multiValueHeaders ?? {}).filter(([, values]) =>
    [values].flat().some((one) => isText(one)),
  );
  const names = new Set(several.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  for (const [name, values] of [...several, ...single]) {
    for (const value of [values].flat().filter((one) => isText(one))) {
      try {
        result.append(name, value);
      } catch {
        // An event may have headers that a Request cannot have, such as one with a value that is not Latin-1.
      }
    }
  }
  return result;
}

function requestOfLambda(event: LambdaEvent): Request {
  const method = event.requestContext?.http?.method ?? event.httpMethod;
  return requestOf(method ?? "POST", headersOf(event), chunksOf(event, method !== undefined));
}

/** The body as text if it is UTF-8, and as base64 otherwise. */
function bodyResult(bytes: Uint8Array): Pick<LambdaResult, "body" | "isBase64Encoded"> {
  try {
    const body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { body, isBase64Encoded: false };
  } catch {
    const characters = Array.from(bytes, (byte) => String.fromCharCode(byte));
    return { body: btoa(characters.join("")), isBase64Encoded: true };
  }
}

function headersResult({ multiValueHeaders }: LambdaEvent, headers: Headers): Partial<LambdaResult> {
  const entries = [...headers];
  return multiValueHeaders
    ? { multiValueHeaders: Object.fromEntries(entries.map(([name, value]) => [name, [value]])) }
    : { headers: Object.fromEntries(entries) };
}

/**
 * Adapts a webhook handler to AWS Lambda: `export const handler = toLambdaHandler(webhooks)`. It takes the events of API
 * Gateway (REST and HTTP APIs), function URLs and load balancers, also with base64 bodies, and responds in the form of
 * each. It never rejects: on an error the response is 500, and `onError` receives the error.
 */
export function toLambdaHandler(handler: WebhookHandler): (event: LambdaEvent) => Promise<LambdaResult> {
  return async (sent) => {
    // A test in the console can send null.
    const event = sent ?? {};
    let request: Request | undefined;
    try {
      request = requestOfLambda(event);
      const response = await handler(request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { statusCode: response.status, ...headersResult(event, sentHeaders(response)), ...bodyResult(bytes) };
    } catch (error) {
      reportTo(request, error);
      return { statusCode: 500, body: "", isBase64Encoded: false };
    }
  };
}
