// A program that passes HTTP requests to a Lambda function as AWS does: through a REST API, an HTTP API and a function URL in
// turn, with each body as text and in base64. Started with the path of the function's module.
import { createServer, type IncomingMessage } from "node:http";
import { pathToFileURL } from "node:url";
import {
  functionUrlEvent,
  httpApiEvent,
  type ReceivedRequest,
  restEvent,
} from "../../../packages/sdk/tests/lambda-events.ts";

type Headers = Record<string, string | string[]>;

/** What a function may return. */
interface Result {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>;
  readonly cookies?: string[];
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

interface Gateway {
  readonly event: (request: ReceivedRequest, isBinary: boolean) => object;
  /** The headers that it takes from a result. */
  readonly headers: (result: Result) => Headers;
}

const restApi: Gateway = {
  event: restEvent,
  headers: ({ headers = {}, multiValueHeaders = {} }) => ({ ...headers, ...multiValueHeaders }),
};
const payload2 = ({ headers = {}, cookies }: Result): Headers => ({
  ...headers,
  ...(cookies && { "set-cookie": cookies }),
});
const gateways: readonly Gateway[] = [
  restApi,
  { event: httpApiEvent, headers: payload2 },
  { event: functionUrlEvent, headers: payload2 },
];
const routes = gateways.flatMap((gateway) => [false, true].map((isBinary) => ({ gateway, isBinary })));

const [, , file = ""] = process.argv;
const { handler } = (await import(pathToFileURL(file).href)) as { handler: (event: object) => Promise<Result> };
let requests = 0;

/** What AWS passes to a function at most. */
const maxBodyBytes = 6 * 1024 * 1024;

/** Reads a request; undefined if it is too large. */
async function received(request: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const { method = "", url: path = "", rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ""]] : [],
  );
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return { method, path, headers, body: Buffer.concat(chunks) };
}

const server = createServer(async (request, response) => {
  const { gateway, isBinary } = routes[requests++ % routes.length] ?? { gateway: restApi, isBinary: false };
  // A request that breaks off never reaches a function.
  const whole = await received(request).catch(() => "broken off" as const);
  if (whole === "broken off") return response.destroy();
  if (whole === undefined) return response.writeHead(413, { connection: "close" }).end();
  // A function receives its event as JSON.
  const event = JSON.parse(JSON.stringify(gateway.event(whole, isBinary)));
  const result = await handler(event);
  const { statusCode, body, isBase64Encoded } = result;
  if (!Number.isInteger(statusCode) || typeof body !== "string") {
    console.error("The function returned no result of a proxy integration.");
    return response.writeHead(502).end();
  }
  response.writeHead(Number(statusCode), gateway.headers(result));
  return response.end(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
