// Mounts a webhook handler where something has read the body before. The error must say what to write.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  createWebhookHandler,
  type NodeRequest,
  type NodeResponse,
  signWebhook,
  toLambdaHandler,
  toNodeHandler,
  type WebhookHandler,
} from "@call-transfer/sdk/webhooks";
import { httpApiEvent } from "../../../packages/sdk/tests/lambda-events.ts";
import { listen } from "./processes.ts";

const secret = "whsec-of-a-wrong-mount";
const offer = JSON.stringify({ type: "transfer.offer", id: "evt_1" });

interface ExpressApp extends RequestListener {
  use(middleware: unknown): void;
  post(path: string, handler: (request: NodeRequest, response: NodeResponse) => unknown): void;
}
type Express = { (): ExpressApp; json(): unknown };

interface FastifyReply {
  readonly raw: NodeResponse;
  hijack(): void;
}
interface FastifyApp {
  post(path: string, handler: (request: NodeRequest & { raw: NodeRequest }, reply: FastifyReply) => unknown): void;
  listen(options: object): Promise<string>;
  close(): Promise<void>;
}

interface HonoContext {
  readonly req: { readonly raw: Request; json(): Promise<unknown> };
}
interface HonoApp {
  fetch(request: Request): Promise<Response>;
  post(path: string, handler: (context: HonoContext) => Promise<Response>): void;
}
type GetListener = (fetch: HonoApp["fetch"]) => RequestListener;

type NextRequest = new (url: string, init: object) => Request;

/** Sends a genuine offer to a server. Returns the status. */
async function deliver(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  const url = await listen(server);
  try {
    return (await fetch(`${url}/offers`, { method: "POST", headers: await signedHeaders(), body: offer })).status;
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

const signedHeaders = async () => ({
  "content-type": "application/json",
  "service-signature": await signWebhook(offer, { secret }),
});

/** Sends a genuine offer to a handler in a framework. Returns the status. */
type Deliver = (handler: WebhookHandler) => Promise<number>;
/** Mounts, by what is wrong with them. */
type Mounts = Readonly<Record<string, { readonly advice: string; readonly deliver: Deliver }>>;

function wrongMounts(folder: string): Mounts {
  const require = createRequire(join(folder, "package.json"));
  const express = require("express") as Express;
  const fastify = require("fastify") as () => FastifyApp;
  const { Hono } = require("hono") as { Hono: new () => HonoApp };
  const { getRequestListener } = require("@hono/node-server") as { getRequestListener: GetListener };
  const { NextRequest } = require("next/server.js") as { NextRequest: NextRequest };

  const inExpress: Deliver = (handler) => {
    const app = express();
    app.use(express.json());
    app.post("/offers", toNodeHandler(handler));
    return deliver(app);
  };
  const inFastify =
    (pick: (request: NodeRequest & { raw: NodeRequest }) => NodeRequest): Deliver =>
    async (handler) => {
      const app = fastify();
      app.post("/offers", (request, reply) => {
        reply.hijack();
        return toNodeHandler(handler)(pick(request), reply.raw);
      });
      const url = await app.listen({ host: "127.0.0.1", port: 0 });
      try {
        return (await fetch(`${url}/offers`, { method: "POST", headers: await signedHeaders(), body: offer })).status;
      } finally {
        await app.close();
      }
    };
  const inHono: Deliver = (handler) => {
    const app = new Hono();
    app.post("/offers", async ({ req }) => {
      await req.json();
      return handler(req.raw);
    });
    return deliver(getRequestListener(app.fetch));
  };
  const newRequest = "new Request(request.url, { method: 'POST', headers: request.headers, body: bytes })";
  const parseAs = "addContentTypeParser('application/json', { parseAs: 'buffer' }";
  return {
    "Express behind express.json()": { advice: "express.json({ verify:", deliver: inExpress },
    "Fastify without a parser": { advice: parseAs, deliver: inFastify((request) => request) },
    "Fastify with request.raw": { advice: parseAs, deliver: inFastify(({ raw }) => raw) },
    "Hono after c.req.json()": { advice: newRequest, deliver: inHono },
    "Next.js after request.json()": {
      advice: newRequest,
      async deliver(handler) {
        const url = "http://localhost/offers";
        const request = new NextRequest(url, { method: "POST", headers: await signedHeaders(), body: offer });
        await request.json();
        return (await handler(request)).status;
      },
    },
    "Lambda with a parsed body": {
      advice: "write the body as JSON text",
      async deliver(handler) {
        const headers = Object.entries(await signedHeaders());
        const event = httpApiEvent({ method: "POST", path: "/offers", headers, body: Buffer.from(offer) });
        return (await toLambdaHandler(handler)({ ...event, body: JSON.parse(offer) })).statusCode;
      },
    },
  };
}

/** Checks that the sender gets 500, and `onError` the advice. */
export async function checkWrongMounts(folder: string): Promise<string[]> {
  const mounts = Object.entries(wrongMounts(folder));
  for (const [name, { advice, deliver }] of mounts) {
    const errors: unknown[] = [];
    const handler = createWebhookHandler({ secret, onEvent() {}, onError: (error) => errors.push(error) });
    assert.equal(await deliver(handler), 500, name);
    assert.equal(errors.length, 1, name);
    assert.ok(String(errors[0]).includes(advice), `${name}: ${errors[0]}`);
  }
  return [`${mounts.length} wrong mounts explained`];
}
