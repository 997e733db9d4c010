import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, vi } from "vitest";
import {
  createWebhookHandler,
  memoryReplayStore,
  signWebhook,
  toNodeHandler,
  type WebhookHandlerOptions,
} from "./webhooks.ts";

const secret = "whsec-handler-secret";
const at = Date.parse("2026-03-02T12:00:00Z");
const offer = JSON.stringify({ type: "transfer.offer", id: "evt_1" });

async function webhook(body = offer, init: RequestInit = {}): Promise<Request> {
  const headers = { "Service-Signature": await signWebhook(body, { secret, at }) };
  return new Request("https://receiver.example.com/offers", { method: "POST", body, headers, ...init });
}

function handlerOf(options: Partial<WebhookHandlerOptions> = {}) {
  const onEvent = vi.fn<WebhookHandlerOptions["onEvent"]>();
  const onError = vi.fn();
  return { handle: createWebhookHandler({ secret, now: () => at, onEvent, onError, ...options }), onEvent, onError };
}

describe("createWebhookHandler", () => {
  it("accepts a genuine webhook and hands its event over", async () => {
    const { handle, onEvent } = handlerOf();
    expect((await handle(await webhook())).status).toBe(204);
    expect(onEvent).toHaveBeenCalledExactlyOnceWith({ type: "transfer.offer", id: "evt_1" });
  });

  it("answers what the application answers", async () => {
    const { handle } = handlerOf({ onEvent: () => new Response("busy", { status: 409 }) });
    expect((await handle(await webhook())).status).toBe(409);
  });

  it("refuses a forged webhook without telling its sender why", async () => {
    const { handle, onEvent, onError } = handlerOf({ secret: "whsec-other" });
    const answer = await handle(await webhook());
    expect([answer.status, await answer.text()]).toEqual([400, "The webhook is not genuine.\n"]);
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

  it("refuses other methods and bodies over 1 MiB before verifying", async () => {
    const { handle } = handlerOf();
    const get = await handle(new Request("https://receiver.example.com/offers"));
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await handle(await webhook("x".repeat(1024 * 1024 + 1)))).status).toBe(413);
  });

  it("keeps what it received for as long as the signature may stay valid: twice the tolerance", async () => {
    const setIfAbsent = vi.fn(() => true);
    const { handle } = handlerOf({ replayStore: { setIfAbsent }, toleranceSecs: 100 });
    await handle(await webhook());
    expect(setIfAbsent).toHaveBeenCalledExactlyOnceWith(expect.any(String), 200);
  });

  it("refuses what it received before when it has a replay store, even with a signature less", async () => {
    const { handle, onEvent } = handlerOf({
      replayStore: memoryReplayStore({ now: () => at }),
      secret: [secret, "whsec-old"],
    });
    const both = await signWebhook(offer, { secret: [secret, "whsec-old"], at });
    const [time, , old] = both.split(",");
    expect((await handle(await webhook(offer, { headers: { "service-signature": both } }))).status).toBe(204);
    expect((await handle(await webhook(offer, { headers: { "service-signature": `${time},${old}` } }))).status).toBe(
      409,
    );
    expect((await handle(await webhook('{"type":"transfer.offer","id":"evt_2"}'))).status).toBe(204);
    expect(onEvent).toHaveBeenCalledTimes(2);
  });

  it("is not deceived by parts of a header that only look like its time", async () => {
    const { handle, onEvent } = handlerOf({ replayStore: memoryReplayStore({ now: () => at }) });
    const header = await signWebhook(offer, { secret, at });
    const statuses: number[] = [];
    for (const prefix of ["", "xt=1,", "ct=2,t2=3,"]) {
      statuses.push((await handle(await webhook(offer, { headers: { "service-signature": prefix + header } }))).status);
    }
    expect(statuses).toEqual([204, 409, 409]);
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("lets a webhook come again that could not be handled", async () => {
    const onEvent = vi.fn().mockRejectedValueOnce(new Error("database down"));
    const { handle } = handlerOf({ replayStore: memoryReplayStore({ now: () => at }), onEvent });
    expect((await handle(await webhook())).status).toBe(500);
    expect((await handle(await webhook())).status).toBe(204);
    expect((await handle(await webhook())).status).toBe(409);
  });

  it("throws at once for options that could never verify", () => {
    expect(() => handlerOf({ secret: "" })).toThrow(TypeError);
    expect(() => handlerOf({ toleranceSecs: 0 })).toThrow(TypeError);
    expect(() => handlerOf({ onEvent: "x" as never })).toThrow("onEvent must be a function");
    expect(() => handlerOf({ replayStore: {} as never })).toThrow("replayStore must have setIfAbsent");
    expect(() => createWebhookHandler(undefined as never)).toThrow("onEvent must be a function");
  });
});

describe("memoryReplayStore", () => {
  it("forgets a key when its time is over", () => {
    let time = 0;
    const store = memoryReplayStore({ now: () => time });
    expect([store.setIfAbsent("a", 10), store.setIfAbsent("a", 10)]).toEqual([true, false]);
    time = 10_000;
    expect(store.setIfAbsent("a", 10)).toBe(true);
  });
});

describe("toNodeHandler", () => {
  async function post(
    listener: RequestListener,
    body: string,
  ): Promise<{ status: number; text: string; cookies: string[] }> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const headers = { "service-signature": await signWebhook(body, { secret, at }) };
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/offers`, { method: "POST", body, headers });
      return { status: answer.status, text: await answer.text(), cookies: answer.headers.getSetCookie() };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it("serves Node's own http server", async () => {
    const { handle, onEvent } = handlerOf();
    const adapter = toNodeHandler(handle);
    expect(await post((request, response) => void adapter(request, response), offer)).toMatchObject({
      status: 204,
      text: "",
    });
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("takes raw bytes that a parser before it kept", async () => {
    const { handle } = handlerOf();
    const adapter = toNodeHandler(handle);
    const listener: RequestListener = async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      await adapter(Object.assign(request, { body }), response);
    };
    expect((await post(listener, offer)).status).toBe(204);
  });

  it("refuses what is no POST, also methods that no Request can have, and closes after an unread body", async () => {
    const { handle } = handlerOf();
    const answered: unknown[] = [];
    for (const method of ["TRACE", "GET"]) {
      const headers = new Map<string, string>();
      const response = {
        statusCode: 0,
        setHeader: (name: string, value: string) => headers.set(name, value),
        end: () => {},
      };
      const request = Object.assign(new Response("x").body as never as AsyncIterable<Uint8Array>, {
        method,
        headers: {},
      });
      await toNodeHandler(handle)(request, response);
      answered.push([response.statusCode, headers.get("connection")]);
    }
    expect(answered).toEqual([
      [405, "close"],
      [405, "close"],
    ]);
  });

  it("answers 500 when the application's answer cannot be read, and keeps several cookies apart", async () => {
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error("boom")) });
    const broken = toNodeHandler(handlerOf({ onEvent: () => new Response(failing) }).handle);
    expect((await post((request, response) => void broken(request, response), offer)).status).toBe(500);
    const cookies = [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ] as [string, string][];
    const baking = toNodeHandler(handlerOf({ onEvent: () => new Response(null, { headers: cookies }) }).handle);
    expect((await post((request, response) => void baking(request, response), offer)).cookies).toEqual(["a=1", "b=2"]);
  });

  it("says what to mount when a parser before it left only an object", async () => {
    const { handle, onEvent, onError } = handlerOf();
    const adapter = toNodeHandler(handle);
    const listener: RequestListener = async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
      await adapter(Object.assign(request, { body }), response);
    };
    const answer = await post(listener, offer);
    expect(answer.status).toBe(500);
    expect(answer.text).toContain("express.raw");
    expect(onError).toHaveBeenCalledOnce();
    expect(onEvent).not.toHaveBeenCalled();
  });
});
