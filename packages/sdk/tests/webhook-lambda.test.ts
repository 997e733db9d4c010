import { describe, expect, it, vi } from "vitest";
import {
  createWebhookHandler,
  type LambdaEvent,
  signWebhook,
  toLambdaHandler,
  type WebhookHandlerOptions,
} from "../src/webhooks.ts";
import { functionUrlEvent, httpApiEvent, loadBalancerEvent, type ReceivedRequest, restEvent } from "./lambda-events.ts";

const secret = "whsec-lambda-secret";
const at = Date.parse("2026-03-02T12:00:00Z");
const event = { type: "transfer.offer", id: "evt_1", name: "Zoë €" };
const offer = JSON.stringify(event);

async function request(more: Partial<ReceivedRequest> = {}): Promise<ReceivedRequest> {
  const headers: [string, string][] = [
    ["Content-Type", "application/json"],
    ["Service-Signature", await signWebhook(offer, { secret, timestampMs: at })],
  ];
  return { method: "POST", path: "/offers", headers, body: new TextEncoder().encode(offer), ...more };
}

function functionOf(options: Partial<WebhookHandlerOptions> = {}) {
  const onEvent = vi.fn<WebhookHandlerOptions["onEvent"]>();
  const onError = vi.fn();
  const webhooks = createWebhookHandler({ secret, clock: { now: () => at }, onEvent, onError, ...options });
  return { invoke: toLambdaHandler(webhooks), onEvent, onError };
}

const shapes: [string, (received: ReceivedRequest) => LambdaEvent][] = [
  ["a REST API", (received) => restEvent(received)],
  ["a REST API in base64", (received) => restEvent(received, true)],
  ["an HTTP API", (received) => httpApiEvent(received)],
  ["an HTTP API in base64", (received) => httpApiEvent(received, true)],
  ["a function URL", (received) => functionUrlEvent(received)],
  ["a function URL in base64", (received) => functionUrlEvent(received, true)],
  ["a load balancer", (received) => loadBalancerEvent(received, false)],
  ["a load balancer with lists of headers", (received) => loadBalancerEvent(received, true)],
];

/** A load balancer without lists passes the last of a repeated header on. */
const showingEach = shapes.filter(([name]) => name !== "a load balancer");

describe("toLambdaHandler", () => {
  it.each(shapes)("accepts a webhook from %s", async (_, shape) => {
    const { invoke, onEvent, onError } = functionOf();
    const result = await invoke(shape(await request()));
    expect(onError).not.toHaveBeenCalled();
    expect(result).toMatchObject({ statusCode: 204, body: "", isBase64Encoded: false });
    expect(onEvent).toHaveBeenCalledExactlyOnceWith(event);
  });

  it.each(showingEach)("refuses a signature that came twice from %s", async (_, shape) => {
    const { invoke } = functionOf();
    const { headers, ...received } = await request();
    const repeated = [...headers, ...headers.filter(([name]) => name === "Service-Signature")];
    expect((await invoke(shape({ ...received, headers: repeated }))).statusCode).toBe(400);
  });

  it.each(shapes)("refuses other methods than POST from %s", async (_, shape) => {
    const { invoke } = functionOf();
    for (const method of ["GET", "TRACE"]) {
      expect(await invoke(shape(await request({ method })))).toMatchObject({ statusCode: 405 });
    }
  });

  const answer = () => new Response("busy", { status: 409, headers: { "x-line": "7" } });

  it.each(shapes)("answers in the form of %s", async (_, shape) => {
    const { invoke } = functionOf({ onEvent: answer });
    const sent = shape(await request());
    const single = { "content-type": "text/plain;charset=UTF-8", "x-line": "7" };
    const lists = { "content-type": ["text/plain;charset=UTF-8"], "x-line": ["7"] };
    const form = sent.multiValueHeaders ? { multiValueHeaders: lists } : { headers: single };
    expect(await invoke(sent)).toEqual({ statusCode: 409, ...form, body: "busy", isBase64Encoded: false });
  });

  it("leaves the length of the body to the gateway", async () => {
    const { invoke } = functionOf({ onEvent: () => new Response("busy", { headers: { "content-length": "99" } }) });
    const { headers } = await invoke(httpApiEvent(await request()));
    expect(headers).toEqual({ "content-type": "text/plain;charset=UTF-8" });
  });

  it("answers bytes that are not UTF-8 in base64, and text as it is", async () => {
    const bytes = Uint8Array.of(0xff, 0x00, 0xfe);
    const binary = functionOf({ onEvent: () => new Response(bytes) });
    const sent = httpApiEvent(await request());
    expect(await binary.invoke(sent)).toMatchObject({ body: "/wD+", isBase64Encoded: true });
    const text = functionOf({ onEvent: () => new Response("\uFEFFZoë €") });
    expect(await text.invoke(sent)).toMatchObject({ body: "\uFEFFZoë €", isBase64Encoded: false });
  });

  it("says how to write a test event whose body is an object", async () => {
    const { invoke, onEvent, onError } = functionOf();
    const result = await invoke({ ...httpApiEvent(await request()), body: event as never });
    expect([result.statusCode, onEvent.mock.calls]).toEqual([500, []]);
    const [error, code] = onError.mock.calls[0] ?? [];
    expect(code).toBe("body_already_read");
    expect(error.message).toContain("The event's body is not text");
    expect(error.message).toContain('"body": "{\\"type\\":\\"transfer.offer\\"}"');
  });

  it.each([
    ["the offer itself, as without a proxy integration", event],
    ["null", null],
  ])("says how to invoke the function when the event is %s", async (_, sent) => {
    const { invoke, onError } = functionOf();
    expect((await invoke(sent as never)).statusCode).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
    expect(onError.mock.calls[0]?.[0].message).toContain("proxy integration");
    expect(onError.mock.calls[0]?.[1]).toBe("invalid_request");
  });

  it.each<[string, (signature: string) => Partial<LambdaEvent>]>([
    [
      "null among the several",
      (signature) => ({
        headers: { "service-signature": signature },
        multiValueHeaders: { "service-signature": [null] } as never,
      }),
    ],
    [
      "several values alone",
      (signature) => ({ headers: { "x-a": "1" }, multiValueHeaders: { "Service-Signature": [signature] } }),
    ],
    [
      "both, in another case",
      (signature) => ({
        headers: { "service-signature": signature },
        multiValueHeaders: { "SERVICE-SIGNATURE": [signature] },
      }),
    ],
  ])("finds the signature in an event with %s", async (_, headersOf) => {
    const { invoke, onEvent } = functionOf();
    const body = '{"type":"transfer.offer","id":"evt_half"}';
    const signed = headersOf(await signWebhook(body, { secret, timestampMs: at }));
    expect((await invoke({ httpMethod: "POST", body, ...signed })).statusCode).toBe(204);
    expect(onEvent).toHaveBeenCalledOnce();
  });

  it("refuses an event without headers or body, as a test in the console sends it", async () => {
    const { invoke, onError } = functionOf();
    const result = await invoke({ ...restEvent(await request()), headers: null, multiValueHeaders: null, body: null });
    expect(result).toMatchObject({ statusCode: 400, headers: { "content-type": "text/plain;charset=UTF-8" } });
    expect(onError.mock.calls[0]?.[0].message).toContain("is missing");
  });

  it("answers 500 when another handler fails", async () => {
    const invoke = toLambdaHandler(() => Promise.reject(new Error("boom")));
    expect((await invoke(httpApiEvent(await request()))).statusCode).toBe(500);
  });

  it("answers 500 and reports to onError when base64 is damaged", async () => {
    const { invoke, onError } = functionOf();
    const result = await invoke({ ...restEvent(await request()), body: "%", isBase64Encoded: true });
    expect(result.statusCode).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each([["a value that is not Latin-1", { "x-city": "東京" }]])(
    "leaves out a header with %s, which a Request cannot have",
    async (_, header) => {
      const { invoke, onEvent } = functionOf();
      const sent = httpApiEvent(await request());
      expect(await invoke({ ...sent, headers: { ...header, ...sent.headers } })).toMatchObject({ statusCode: 204 });
      expect(onEvent).toHaveBeenCalledExactlyOnceWith(event);
    },
  );
});
