import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import {
  createWebhookHandler,
  signWebhook,
  toNodeHandler,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";

const secret = "whsec-handler-secret";
const at = Date.parse("2026-03-02T12:00:00Z");
const offer = JSON.stringify({ type: "transfer.offer", id: "evt_1" });

async function webhook(body = offer, init: RequestInit = {}): Promise<Request> {
  const headers = { "Service-Signature": await signWebhook(body, { secret, timestampMs: at }) };
  return new Request("https://receiver.example.com/offers", { method: "POST", body, headers, ...init });
}

function handlerOf(options: Partial<WebhookHandlerOptions> = {}) {
  const onEvent = vi.fn<WebhookHandlerOptions["onEvent"]>();
  const onError = vi.fn();
  const codes: string[] = [];
  const note = (error: unknown, code: string): unknown => {
    codes.push(code);
    return onError(error);
  };
  return {
    handle: createWebhookHandler({ secret, clock: { now: () => at }, onEvent, onError: note, ...options }),
    onEvent,
    onError,
    codes,
  };
}

describe("a misspelt option", () => {
  it.each(["onErorr", "toleranceSeconds", "secrets"])("%s is rejected and named", (name) => {
    const options = { secret: "secret", onEvent() {}, [name]: 1 };
    expect(() => createWebhookHandler(options)).toThrow(new TypeError(`${name} is not an option. Check its spelling.`));
  });
});

it("a receiver shows no name of an option that may be a secret", () => {
  const options = { secret: "secret", onEvent() {}, whsec_51abcdefghijklmnop: 1 };
  const problem = "(a name that may be a secret) is not an option. Check its spelling.";
  expect(() => createWebhookHandler(options)).toThrow(new TypeError(problem));
});

describe("createWebhookHandler", () => {
  it("accepts a valid webhook and passes its event on", async () => {
    const { handle, onEvent } = handlerOf();
    expect((await handle(await webhook())).status).toBe(204);
    expect(onEvent).toHaveBeenCalledExactlyOnceWith({ type: "transfer.offer", id: "evt_1" });
  });

  it("refuses a forged webhook without telling its sender why", async () => {
    const { handle, onEvent, onError } = handlerOf({ secret: "whsec-other" });
    const answer = await handle(await webhook());
    expect([answer.status, await answer.text()]).toEqual([400, "The webhook could not be verified.\n"]);
    expect(onEvent).not.toHaveBeenCalled();
    expect(onError.mock.calls[0]?.[0].message).toContain("No signature matches");
  });

  it("answers 500 without details when the application throws, and keeps running", async () => {
    const { handle, onError } = handlerOf({ onEvent: () => Promise.reject(new Error("database password wrong")) });
    const answer = await handle(await webhook());
    expect([answer.status, await answer.text()]).toEqual([500, "The webhook could not be handled.\n"]);
    expect(onError).toHaveBeenCalledOnce();
  });

  it("answers the sender also when the application's onError throws", async () => {
    const onError = () => {
      throw new Error("logger broke");
    };
    const { handle } = handlerOf({ secret: "whsec-other", onError });
    expect((await handle(await webhook())).status).toBe(400);
  });

  it("leaves no unhandled rejection when the application's onError is asynchronous and fails", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const onError = (): Promise<void> => Promise.reject(new Error("logger broke"));
    const { handle } = handlerOf({ secret: "whsec-other", onError });
    expect((await handle(await webhook())).status).toBe(400);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each([
    ["a plain object", { ok: true }],
    ["a response of another kind of library", { status: 200, headers: {}, data: "ok" }],
  ])("answers 500 and tells onError what to return when onEvent returns %s", async (_, returned) => {
    const { handle, onError } = handlerOf({ onEvent: () => returned as never });
    const answer = await handle(await webhook());
    expect([answer.status, await answer.text()]).toEqual([500, "The webhook could not be handled.\n"]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(TypeError));
    expect(onError.mock.calls[0]?.[0].message).toContain("onEvent must return nothing or a Response");
  });

  it("treats null from onEvent as nothing", async () => {
    const { handle, onError } = handlerOf({ onEvent: () => null as never });
    expect((await handle(await webhook())).status).toBe(204);
    expect(onError).not.toHaveBeenCalled();
  });

  it("answers 500 and reports to onError when a Response has a status that no server can send", async () => {
    const { handle, onError } = handlerOf({ onEvent: () => Response.error() });
    expect((await handle(await webhook())).status).toBe(500);
    expect(onError.mock.calls[0]?.[0].message).toContain("onEvent must return nothing or a Response");
  });

  it("sends the application's response as it is", async () => {
    const response = new Response("busy");
    const { handle } = handlerOf({ onEvent: () => response });
    expect(await handle(await webhook())).toBe(response);
  });

  it("tells the sender of a refused webhook why, and which method to use", async () => {
    const { handle } = handlerOf();
    const get = await handle(new Request("https://receiver.example.com/offers"));
    const large = await handle(await webhook("x".repeat(1024 * 1024 + 1)));
    const shown = [get, large].map(async (answer) => [answer.status, answer.headers.get("allow"), await answer.text()]);
    expect(await Promise.all(shown)).toEqual([
      [405, "POST", "Webhooks are sent by POST.\n"],
      [413, null, "The body is larger than 1048576 bytes.\n"],
    ]);
  });

  it("accepts a body that arrives in pieces", async () => {
    const { handle, onEvent } = handlerOf();
    const body = new ReadableStream({
      start(controller) {
        for (const character of offer) controller.enqueue(new TextEncoder().encode(character));
        controller.close();
      },
    });
    expect((await handle(await webhook(offer, { body, duplex: "half" } as RequestInit))).status).toBe(204);
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("accepts a body of 1 MiB", async () => {
    const { handle } = handlerOf();
    expect((await handle(await webhook(offer.padEnd(1024 * 1024)))).status).toBe(204);
  });

  it("throws at once for invalid options", () => {
    expect(() => handlerOf({ toleranceMs: 0 })).toThrow(TypeError);
    expect(() => handlerOf({ onEvent: "x" as never })).toThrow("onEvent must be a function");
    expect(() => createWebhookHandler(undefined as never)).toThrow("onEvent must be a function");
  });
});

describe("a secret that is missing while a module is loaded", () => {
  it.each([undefined, "", " ", []])("(%j) is no error then, and one of each webhook", async (missing) => {
    const { handle, onEvent, codes } = handlerOf({ secret: missing as never });
    expect((await handle(await webhook())).status).toBe(500);
    expect([codes, onEvent.mock.calls.length]).toEqual([["secret_lookup_failed"], 0]);
    expect(await handle.checkReadiness()).toMatchObject({ ready: false, problems: [{ code: "secret_lookup_failed" }] });
  });
});

describe("a large body over a stream that does not survive being cancelled, as of h3", () => {
  it.each([
    ["fails", (controller: ReadableStreamDefaultController) => controller.error(new Error("gone"))],
    ["hangs", () => new Promise<void>(() => {})],
    ["never ends", undefined],
  ])("is refused where its rest %s, and at most 17 MiB are read", async (_, end) => {
    const { handle } = handlerOf();
    const cancel = vi.fn();
    let read = 0;
    const body = new ReadableStream({
      pull(controller) {
        read += 65_536;
        if (end && read > 2 * 1024 * 1024) return end(controller);
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel,
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await handle(new Request("https://receiver.example.com", init))).status).toBe(413);
    for (let turn = 0; turn < 2000; turn++) await Promise.resolve();
    expect([read < 18 * 1024 * 1024, cancel.mock.calls]).toEqual([true, []]);
  });
});

describe("the copies of an event", () => {
  it.each([
    ["the same bytes", offer, offer],
    ["the same id in another body", offer, '{"type":"transfer.offer","id":"evt_1","attempt":2}'],
    ["the same body without an id", '{"type":"transfer.offer"}', '{"type":"transfer.offer"}'],
  ])("have %s", async (_, first, second) => {
    const { handle, onEvent } = handlerOf();
    expect((await handle(await webhook(first))).status).toBe(204);
    // A platform signs an event again when it sends it again.
    const headers = { "service-signature": await signWebhook(second, { secret, timestampMs: at + 60_000 }) };
    expect((await handle(await webhook(second, { headers }))).status).toBe(204);
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("are not looked up before the signature is verified", async () => {
    const store = { claim: vi.fn(), complete: vi.fn(), release: vi.fn() };
    const { handle } = handlerOf({ store, secret: "whsec-other" });
    expect((await handle(await webhook())).status).toBe(400);
    expect(store.claim).not.toHaveBeenCalled();
  });
});

describe("options for handling events once", () => {
  it.each([
    [{ store: {} }, "store must be an event store, which has claim(), complete() and release()"],
    [{ store: null }, "store must be an event store, which has claim(), complete() and release()"],
    [{ onStoreError: "throw" }, 'onStoreError must be "handle" or "reject"'],
    [{ leaseDurationMs: 99 }, "leaseDurationMs must be an integer from 100 to 60000"],
    [{ leaseDurationMs: 60_001 }, "leaseDurationMs must be an integer from 100 to 60000"],
    [{ duplicateWaitMs: -1 }, "duplicateWaitMs must be an integer from 0 to 60000"],
    [{ maxAnswers: 0 }, "maxAnswers must be an integer from 1 to 1000000"],
    [
      { store: { ...memoryStore(), retentionMs: 599_999 } },
      "retentionMs must be at least twice toleranceMs (600000), because a delivery stays valid that long",
    ],
    [{ clock: {} }, "clock must have now()"],
    [{ storeTimeoutMs: "1000" }, "storeTimeoutMs must be an integer from 1 to 60000"],
  ])("%j is rejected", (options, message) => {
    expect(() => handlerOf(options as never)).toThrow(new TypeError(message));
  });

  it.each([{ leaseDurationMs: 60_000 }, { maxAnswers: undefined, duplicateWaitMs: null }, { inbox: null }])(
    "%j is accepted",
    (options) => {
      expect(() => handlerOf(options as never)).not.toThrow();
    },
  );
});

describe("toNodeHandler", () => {
  async function post(
    listener: RequestListener,
    body = offer,
    more: Record<string, string | string[]> = {},
  ): Promise<{ status: number; text: string; cookies: string[] }> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const headers = { "service-signature": await signWebhook(body, { secret, timestampMs: at }), ...more };
    try {
      const sent = request({ host: "127.0.0.1", port, path: "/offers", method: "POST", headers }).end(body);
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      const text = Buffer.concat(await answer.toArray()).toString();
      return { status: answer.statusCode ?? 0, text, cookies: answer.headers["set-cookie"] ?? [] };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  /** Reads the body before the adapter does, as a parser would, and keeps what the parser would keep. */
  const afterParser =
    (handle: WebhookHandler, kept: (bytes: Buffer) => object): RequestListener =>
    async (request, response) => {
      const bytes = Buffer.concat(await request.toArray());
      await toNodeHandler(handle)(Object.assign(request, kept(bytes)), response);
    };

  const parsed = (bytes: Buffer): object => ({ body: JSON.parse(bytes.toString()) });

  /** What the adapter does with a request of these members, and with the answer of a handler. */
  async function adapted(request: object, answer = new Response(null, { status: 204 })) {
    const seen: Request[] = [];
    const headers = new Map<string, unknown>();
    const response = { statusCode: 0, setHeader: headers.set.bind(headers), end: vi.fn() };
    const handle: WebhookHandler = async (received) => {
      seen.push(received);
      return answer;
    };
    await toNodeHandler(handle)({ method: "POST", headers: {}, ...request } as never, response);
    return { seen, headers: Object.fromEntries(headers), status: response.statusCode };
  }

  it("passes on the headers, whatever the method, without HTTP/2's own and those without a value", async () => {
    const headers = { ":path": "/offers", "x-line": "7", "x-none": undefined, "x-list": ["a", "b"] };
    for (const method of ["POST", "GET"]) {
      const { seen } = await adapted({ method, headers, body: "" });
      expect(Object.fromEntries(seen[0]?.headers ?? [])).toEqual({ "x-line": "7", "x-list": "a,b" });
    }
  });

  it("closes the connection only after an unread body", async () => {
    expect((await adapted({ readableEnded: true })).headers).toEqual({});
    expect((await adapted({ readableEnded: false })).headers).toEqual({ connection: "close" });
  });

  it("keeps the connection of a request that is no stream, such as Fastify's", async () => {
    expect((await adapted({ body: "{}" })).headers).toEqual({});
  });

  it.each([undefined, null])(
    "takes a body of %s as empty when the request is no stream, as in Fastify",
    async (body) => {
      const { handle, onError } = handlerOf();
      const { response, answered } = responseOf();
      await toNodeHandler(handle)({ method: "POST", headers: {}, body }, response);
      expect(answered()).toMatchObject({ status: 400 });
      expect(onError.mock.calls[0]?.[0].message).toContain("is missing");
    },
  );

  it.each([
    ["partly", { readableDidRead: true, readableEnded: false }],
    ["to its end", { readableDidRead: false, readableEnded: true }],
  ])("refuses a body that was read %s", async (_, read) => {
    const { handle, onError } = handlerOf();
    const response = { statusCode: 0, setHeader() {}, end() {} };
    const request = { method: "POST", headers: {}, ...read, [Symbol.asyncIterator]: async function* () {} };
    await toNodeHandler(handle)(request, response);
    expect(response.statusCode).toBe(500);
    const message = expect.stringContaining("The body was read before verification");
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ message, code: "body_already_read" });
  });

  it("answers 500 for any handler that fails, unless something else has answered", async () => {
    const failing = () => Promise.reject(new Error("broken"));
    for (const headersSent of [false, true]) {
      const response = { statusCode: 0, headersSent, setHeader() {}, end: vi.fn() };
      await toNodeHandler(failing)({ method: "POST", headers: {}, body: "" } as never, response);
      expect([response.statusCode, response.end.mock.calls.length]).toEqual(headersSent ? [0, 0] : [500, 1]);
    }
  });

  it("sends the body of a response of fetch as decoded as it is", async () => {
    const answer = new Response("taken", { headers: { "content-encoding": "gzip", "x-line": "7" } });
    Object.defineProperty(answer, "url", { value: "https://internal.example.com/" });
    expect((await adapted({ body: "" }, answer)).headers).toEqual({
      "content-type": expect.any(String),
      "x-line": "7",
    });
  });

  it("keeps the encoding of a body that the handler encoded, and leaves the length to the server", async () => {
    const headers = { "content-encoding": "gzip", "content-length": "99", "transfer-encoding": "chunked" };
    const answer = new Response(gzipSync("taken"), { headers });
    expect((await adapted({ body: "" }, answer)).headers).toEqual({ "content-encoding": "gzip" });
  });

  it("serves Node's own http server", async () => {
    const { handle, onEvent } = handlerOf();
    expect(await post(toNodeHandler(handle))).toMatchObject({ status: 204, text: "" });
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it.each([
    ["bytes in body, as express.raw() leaves them", (bytes: Buffer) => ({ body: bytes })],
    ["text in body, as express.text() leaves it", (bytes: Buffer) => ({ body: bytes.toString() })],
    ["text in rawBody beside a parsed body", (bytes: Buffer) => ({ ...parsed(bytes), rawBody: bytes.toString() })],
    [
      "a view of a part of a larger buffer",
      (bytes: Buffer) => ({ rawBody: Buffer.concat([Buffer.from("x"), bytes, Buffer.from("y")]).subarray(1, -1) }),
    ],
  ])("reads what an earlier parser kept: %s", async (_, kept) => {
    const { handle, onEvent } = handlerOf();
    expect(await post(afterParser(handle, kept))).toMatchObject({ status: 204 });
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("answers 500 and reports to onError when looking at body throws", async () => {
    const { handle, onError } = handlerOf();
    const lazy: RequestListener = (request, response) => {
      Object.defineProperty(request, "body", {
        get: () => {
          throw new Error("no JSON");
        },
      });
      return toNodeHandler(handle)(request, response);
    };
    expect(await post(lazy)).toMatchObject({ status: 500 });
    expect(onError.mock.calls).toEqual([[new Error("no JSON")]]);
  });

  it.each<[string, object, Record<string, string>]>([
    ["bytes, of which a part is missing", { rawBody: Buffer.from(offer.slice(0, 9)) }, {}],
    ["text, of which all is missing", { rawBody: "" }, {}],
    ["a body, of which a part is missing", { body: offer.slice(0, 9) }, {}],
    ["a body that no parser decodes", { body: offer.slice(0, 9) }, { "content-encoding": "identity" }],
    [
      "bytes of a request without a length that has not ended",
      { rawBody: Buffer.from(offer), complete: false },
      { "content-length": "" },
    ],
  ])("says that %s were kept too early, and not that the secret is wrong", async (_, kept, headers) => {
    const { handle, onEvent, onError, codes } = handlerOf();
    const { response, answered } = responseOf();
    const given = {
      "service-signature": await signWebhook(offer, { secret, timestampMs: at }),
      "content-length": `${offer.length}`,
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
    await toNodeHandler(handle)({ method: "POST", headers: sent, ...kept } as never, response);
    expect([answered().status, codes]).toEqual([500, ["body_already_read"]]);
    expect(onError.mock.calls[0]?.[0].message).toContain("it was still being read");
    expect(onEvent).not.toHaveBeenCalled();
  });

  it("takes a kept body of another length that a parser has decoded, and one of several bytes a character", async () => {
    const umlaut = '{"type":"transfer.offer","id":"ä"}';
    for (const headers of [
      { "content-length": "9", "content-encoding": "gzip" },
      { "content-length": `${Buffer.byteLength(umlaut)}` },
    ]) {
      const { handle, onEvent } = handlerOf();
      const { response } = responseOf();
      const signed = { "service-signature": await signWebhook(umlaut, { secret, timestampMs: at }), ...headers };
      await toNodeHandler(handle)({ method: "POST", headers: signed, rawBody: umlaut } as never, response);
      expect(onEvent).toHaveBeenCalledOnce();
    }
  });

  it("answers through Fastify's reply, and handles nothing where it could not answer", async () => {
    const { handle, onEvent } = handlerOf();
    const { response, answered } = responseOf();
    const hijack = vi.fn();
    const signed = {
      method: "POST",
      headers: { "service-signature": await signWebhook(offer, { secret, timestampMs: at }) },
      body: offer,
    };
    await toNodeHandler(handle)(signed as never, { raw: response, hijack, send() {} } as never);
    expect([answered().status, hijack.mock.calls.length, onEvent.mock.calls.length]).toEqual([204, 1, 1]);
    for (const other of [{ res: response }, () => {}, undefined])
      await expect(toNodeHandler(handle)(signed as never, other as never)).rejects.toThrow(
        "needs Node's request and response",
      );
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it.each([
    ["only an object", parsed],
    ["an object in rawBody too", (bytes: Buffer) => ({ ...parsed(bytes), rawBody: {} })],
  ])("names both fixes when an earlier parser left %s", async (_, kept) => {
    const { handle, onEvent, onError } = handlerOf();
    const answer = await post(afterParser(handle, kept));
    expect(answer.status).toBe(500);
    // The sender gets no advice.
    expect(answer.text).toBe("The webhook could not be handled.\n");
    expect(onError).toHaveBeenCalledOnce();
    for (const advice of ["express.raw", "rawBody", "NestJS", "bodyParser", "Koa", "hapi"])
      expect(onError.mock.calls[0]?.[0].message).toContain(advice);
    expect(onEvent).not.toHaveBeenCalled();
  });

  it("names both fixes for a request that is not a stream, such as Fastify's", async () => {
    const { handle, onError } = handlerOf();
    const { response, answered } = responseOf();
    await toNodeHandler(handle)({ method: "POST", headers: {}, body: {} } as never, response);
    expect(answered()).toMatchObject({ status: 500 });
    const message = expect.stringContaining("rawBody");
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ message, code: "body_already_read" });
  });

  it("reads the stream when Express found nothing to parse", async () => {
    const { handle } = handlerOf();
    const unparsed: RequestListener = (request, response) =>
      toNodeHandler(handle)(Object.assign(request, { body: {} }), response);
    expect((await post(unparsed)).status).toBe(204);
  });

  it("reads a stream with a text encoding", async () => {
    const { handle } = handlerOf();
    const body = JSON.stringify({ type: "transfer.offer", id: "é€" });
    const decoding: RequestListener = (request, response) =>
      toNodeHandler(handle)(request.setEncoding("utf8"), response);
    expect((await post(decoding, body)).status).toBe(204);
  });

  it("refuses a body over 1 MiB in every form", async () => {
    const { handle } = handlerOf();
    const text = "x".repeat(1024 * 1024 + 1);
    const asked = { method: "POST", headers: {} };
    const stream = Object.assign(Readable.from([text]), asked);
    for (const request of [stream, { ...asked, rawBody: text }, { ...asked, body: Buffer.from(text) }]) {
      const { response, answered } = responseOf();
      await toNodeHandler(handle)(request as never, response);
      expect(answered()).toMatchObject({ status: 413 });
    }
  });

  it("refuses a signature that came twice, and reports it to onError", async () => {
    const { handle, onError } = handlerOf();
    const signature = await signWebhook(offer, { secret, timestampMs: at });
    const answer = await post(toNodeHandler(handle), offer, { "service-signature": [signature, signature] });
    expect(answer.status).toBe(400);
    expect(onError).toHaveBeenCalledOnce();
  });

  it("refuses other methods than POST, also those not allowed in a Request, and closes after an unread body", async () => {
    const { handle } = handlerOf();
    for (const method of ["TRACE", "GET"]) {
      const { response, answered } = responseOf();
      const request = Object.assign(new Response("x").body as never as AsyncIterable<Uint8Array>, {
        method,
        headers: {},
      });
      await toNodeHandler(handle)(request, response);
      expect(answered()).toMatchObject({ status: 405, connection: "close" });
    }
  });

  it("answers 500 and reports to onError when the application's answer cannot be read", async () => {
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error("boom")) });
    const { handle, onError } = handlerOf({ onEvent: () => new Response(failing) });
    expect((await post(toNodeHandler(handle))).status).toBe(500);
    expect(onError.mock.calls).toEqual([[new Error("boom")]]);
  });

  it("tells onError and does not reject when something else answered meanwhile, e.g. a time limit", async () => {
    let giveUp = (): void => {};
    const onEvent = () => {
      giveUp();
      return new Response("late", { headers: { "x-line": "7" } });
    };
    const { handle, onError } = handlerOf({ onEvent });
    let adapted: Promise<void> | undefined;
    const limited: RequestListener = (request, response) => {
      giveUp = () => void response.writeHead(503).end("too slow");
      adapted = toNodeHandler(handle)(request, response);
    };
    expect(await post(limited)).toMatchObject({ status: 503, text: "too slow" });
    await expect(adapted).resolves.toBeUndefined();
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "ERR_HTTP_HEADERS_SENT" }));
  });
});

/** A response that only keeps what it was given. */
function responseOf() {
  const headers = new Map<string, unknown>();
  const response = {
    statusCode: 0,
    setHeader: (name: string, value: unknown) => headers.set(name, value),
    end: () => {},
  };
  return { response, answered: () => ({ status: response.statusCode, ...Object.fromEntries(headers) }) };
}
