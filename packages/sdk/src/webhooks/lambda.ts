import { isText } from "../utils/guards.ts";
import { requestOf, sentHeaders } from "./adapter.ts";
import { fromBase64 } from "./bytes.ts";
import { Rejection } from "./errors.ts";
import { reportTo, type WebhookHandler } from "./handler.ts";
import { bytesOf } from "./signature.ts";

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
  /** The cookies in payload 2.0. */
  cookies?: string[];
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

function headersResult(event: LambdaEvent, headers: Headers): Partial<LambdaResult> {
  const cookies = headers.getSetCookie();
  const others = [...headers].filter(([name]) => name !== "set-cookie");
  if (event.multiValueHeaders) {
    const lists = Object.fromEntries(others.map(([name, value]) => [name, [value]]));
    return { multiValueHeaders: { ...lists, ...(cookies.length > 0 && { "set-cookie": cookies }) } };
  }
  const single = Object.fromEntries(others);
  const [cookie] = cookies;
  if (cookie === undefined) return { headers: single };
  if (event.requestContext?.http) return { headers: single, cookies };
  return { headers: { ...single, "set-cookie": cookie } };
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
