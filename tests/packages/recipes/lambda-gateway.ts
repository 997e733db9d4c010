// A program that passes HTTP requests to a Lambda function as AWS does behind an HTTP API, with each second body in base64.
// Started with the path of the function's module. The SDK's tests have the events of the other gateways.
import { createServer, type IncomingMessage } from "node:http";
import { pathToFileURL } from "node:url";
import { httpApiEvent, type ReceivedRequest } from "../../../packages/sdk/tests/lambda-events.ts";

/** What a function may return. */
interface Result {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

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
  const isBinary = requests++ % 2 === 1;
  // A request that breaks off never reaches a function.
  const whole = await received(request).catch(() => "broken off" as const);
  if (whole === "broken off") return response.destroy();
  if (whole === undefined) return response.writeHead(413, { connection: "close" }).end();
  // A function receives its event as JSON.
  const { statusCode, headers, body, isBase64Encoded } = await handler(
    JSON.parse(JSON.stringify(httpApiEvent(whole, isBinary))),
  );
  if (!Number.isInteger(statusCode) || typeof body !== "string") {
    console.error("The function returned no result of a proxy integration.");
    return response.writeHead(502).end();
  }
  response.writeHead(Number(statusCode), headers);
  return response.end(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
