import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { type ProxyOptions, type ProxyServer, startProxy } from "../../src/proxy/proxy.ts";

/** A request as a target received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** An API to forward to, which keeps what it received. */
export interface TestTarget {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
}

let closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.map((close) => close()));
  closers = [];
});

/** Starts an API that answers as a function says, once the whole request has arrived. */
export async function startTarget(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<TestTarget> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = "", url: target = "", rawHeaders: headers } = request;
    received.push({ method, target, headers, body: Buffer.concat(chunks) });
    answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Starts a proxy that is closed after the test. */
export async function proxyTo(target: string, options: Partial<ProxyOptions> = {}): Promise<ProxyServer> {
  const proxy = await startProxy({ port: 0, target, ...options });
  closers.push(() => proxy.close());
  return proxy;
}
