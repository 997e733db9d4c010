import { describe, expect, it, vi } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { WebhookFaultAction } from "../../src/generated/models.gen.ts";
import { sign } from "../../src/platform/delivery-plan.ts";
import { inboxUrl } from "../../src/platform/inbox.ts";
import { send } from "../test-client.ts";

const destinationId = demo.destinations.app;

it("sends a signed offer with the given fields, and records the acceptance", async () => {
  const received: Request[] = [];
  const backend = createBackend({
    fetch: async (input, init) => {
      received.push(new Request(input, init));
      return new Response("thanks");
    },
  });
  const delivery = await backend.deliveries.trigger({ destinationId, callId: "call-1" });
  expect(await received[0]?.text()).toBe(delivery.body);
  expect(JSON.parse(delivery.body)).toEqual({
    type: "transfer.offer",
    id: delivery.id,
    createdAt: "2026-03-02T12:00:00.000Z",
    destinationId,
    callId: "call-1",
  });
  const expected = sign(delivery.body, [demo.signingSecret], backend.clock.now(), {}, false).header;
  expect(received[0]?.headers.get("service-signature")).toBe(expected);
  expect(delivery).toMatchObject({ status: 200, accepted: true, url: "http://127.0.0.1:4011/offers" });
  expect(backend.deliveries.list()).toEqual([delivery]);
});

it("names the address that a delivery was sent to, in the delivery and in its events", async () => {
  const forwardWebhooksTo = "http://127.0.0.1:9999/forwarded";
  const urls: string[] = [];
  const backend = createBackend({
    forwardWebhooksTo,
    fetch: async (input) => {
      urls.push(String(input));
      return new Response();
    },
  });
  const announced: unknown[] = [];
  backend.events.follow(({ url }) => void announced.push(url));
  const sent = await backend.deliveries.trigger({ destinationId });
  const again = await backend.deliveries.redeliver(sent.id);
  backend.collections.update("destinations", destinationId, { config: { url: inboxUrl } });
  const inner = await backend.deliveries.trigger({ destinationId });
  expect(urls).toEqual([forwardWebhooksTo, forwardWebhooksTo]);
  expect([sent.url, again.url, inner.url]).toEqual([forwardWebhooksTo, forwardWebhooksTo, inboxUrl]);
  expect(announced.filter((url) => url !== undefined)).toEqual([
    ...Array.from({ length: 4 }, () => forwardWebhooksTo),
    ...Array.from({ length: 2 }, () => inboxUrl),
  ]);
  expect(backend.inbox.list()).toHaveLength(1);
  expect(() => createBackend({ forwardWebhooksTo: "ftp://127.0.0.1" })).toThrow("forwardWebhooksTo: must be an http");
});

it("lets a trigger replace the event's own createdAt, and sends the same body again", async () => {
  const backend = createBackend({ fetch: async () => new Response() });
  const createdAt = "2020-01-01T00:00:00.000Z";
  const { id, body, headers } = await backend.deliveries.trigger({ destinationId, createdAt, nested: { a: [1] } });
  expect(JSON.parse(body)).toEqual({ type: "transfer.offer", id, createdAt, destinationId, nested: { a: [1] } });
  const expected = sign(body, [demo.signingSecret], backend.clock.now(), {}, false).header;
  expect(headers["Service-Signature"]).toBe(expected);
  expect(await backend.deliveries.redeliver(id)).toMatchObject({ body });
});

it.each(["id", "type"])("refuses a trigger with the field %s, and sends nothing", async (name) => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const backend = createBackend({ fetch });
  const triggered = backend.deliveries.trigger({ destinationId, [name]: "own" });
  await expect(triggered).rejects.toThrow(`${name}: is set by the platform and cannot be replaced. Remove it`);
  expect(fetch).not.toHaveBeenCalled();
});

describe("the headers for forwarded webhooks", () => {
  const forwardWebhooksTo = "http://127.0.0.1:9999/forwarded";
  const secret = "Bearer hidden-0123456789";
  const forwardHeaders = { Authorization: secret, "ngrok-skip-browser-warning": "1" };

  it("are sent to the forwarding URL only, beside those of the delivery", async () => {
    const received: Request[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      received.push(new Request(input, init));
      return new Response();
    };
    const backend = createBackend({ forwardWebhooksTo, forwardHeaders, fetch });
    const { id } = await backend.deliveries.trigger({ destinationId });
    await backend.deliveries.redeliver(id);
    const sent = received.map(({ url, headers }) => [url, headers.get("authorization"), headers.get("content-type")]);
    expect(sent).toEqual(Array.from({ length: 2 }, () => [forwardWebhooksTo, secret, "application/json"]));
    expect(received.map(({ headers }) => headers.get("ngrok-skip-browser-warning"))).toEqual(["1", "1"]);
    expect(received[0]?.headers.get("service-signature")).toMatch(/^t=/);
    backend.collections.update("destinations", destinationId, { config: { url: inboxUrl } });
    await backend.deliveries.trigger({ destinationId });
    expect(backend.inbox.list().map(({ headers }) => Object.keys(headers).toSorted())).toEqual([
      ["content-type", "service-signature"],
    ]);
  });

  it("are not in deliveries, events, snapshots and errors", async () => {
    const fetch = () => Promise.reject(new Error(`the proxy refused ${secret}`));
    const backend = createBackend({ forwardWebhooksTo, forwardHeaders, fetch, controlPlane: true });
    const delivery = await backend.deliveries.trigger({ destinationId });
    expect(delivery.error).toBe("the proxy refused [redacted]");
    expect(Object.keys(delivery.headers)).toEqual(["content-type", "Service-Signature"]);
    const shown = [delivery, backend.deliveries.list(), backend.events.latest(), backend.snapshot()];
    expect(JSON.stringify(shown)).not.toContain("hidden-");
  });

  it.each<[Record<string, unknown> | string, string]>([
    [{ "Content-type": "text/hidden" }, "forwardHeaders.Content-type: is set by the delivery and cannot be replaced."],
    [{ "content-length": "hidden" }, "forwardHeaders.content-length: is set by the delivery"],
    [{ "Transfer-Encoding": "hidden" }, "forwardHeaders.Transfer-Encoding: is set by the delivery"],
    [{ Host: "hidden.test" }, "forwardHeaders.Host: is set by the delivery"],
    [{ "service-signature": "hidden" }, "forwardHeaders.service-signature: is set by the delivery"],
    [{ "X-One": "hidden\r\nX-Two: 2" }, "forwardHeaders.X-One: must be a text in one line"],
    [{ "X-One": "hidden…" }, "forwardHeaders.X-One: must be a text in one line"],
    [{ "X-One": ["hidden"] }, "forwardHeaders.X-One: must be a text in one line"],
    [{ "Bearer hidden": "x" }, "forwardHeaders: has a name that no header can have"],
    [{ "": "hidden" }, "forwardHeaders: has a name that no header can have"],
    ["hidden", "forwardHeaders: must be an object"],
  ])("cannot be %j", (wrong, message) => {
    let thrown: unknown;
    try {
      createBackend({ forwardWebhooksTo, forwardHeaders: wrong as Record<string, string> });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: "InputError", message: expect.stringContaining(message) });
    expect(String(thrown)).not.toContain("hidden");
  });

  it("require the URL", () => {
    expect(() => createBackend({ forwardHeaders })).toThrow("forwardHeaders: requires the option forwardWebhooksTo");
    expect(() => createBackend({ forwardHeaders: {} }).close()).not.toThrow();
  });
});

it.each([
  [302, false],
  [204, true],
  [500, false],
])("counts an answer of %i as accepted: %s", async (status, accepted) => {
  const backend = createBackend({ fetch: async () => new Response(null, { status }) });
  expect(await backend.deliveries.trigger({ destinationId })).toMatchObject({ status, accepted });
});

it("records a receiver that cannot be reached", async () => {
  const backend = createBackend({ fetch: () => Promise.reject(new Error("refused")) });
  const delivery = await backend.deliveries.trigger({ destinationId });
  expect(delivery).toMatchObject({ accepted: false, error: "refused" });
  expect(delivery).not.toHaveProperty("status");
});

it("gives up on a receiver that does not answer", async () => {
  const backend = createBackend({
    policies: { deliveryTimeoutSecs: 0.01 },
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
  });
  const error = "no answer within 0.01 s (policy deliveryTimeoutSecs)";
  expect(await backend.deliveries.trigger({ destinationId })).toMatchObject({ accepted: false, error });
});

it("gives up on a receiver that neither answers nor watches the signal", async () => {
  const backend = createBackend({ policies: { deliveryTimeoutSecs: 0.01 }, fetch: () => new Promise(() => {}) });
  expect(await backend.deliveries.trigger({ destinationId })).toMatchObject({ accepted: false });
});

describe("the built-in inbox", () => {
  async function slow(delaySecs: number) {
    const backend = createBackend();
    backend.collections.update("destinations", destinationId, { config: { url: inboxUrl } });
    backend.inbox.response = { delaySecs };
    const delivery = backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 60_000 });
    return delivery;
  }

  it("times out on the backend's clock if its delay reaches the timeout", async () => {
    expect(await slow(10)).toMatchObject({ accepted: false, error: "No answer within 10 s." });
  });

  it("answers within the timeout", async () => {
    expect(await slow(9.999)).toMatchObject({ accepted: true, status: 204 });
  });
});

it("a delivery in flight during a reset is not listed afterwards", async () => {
  let answer = (_: Response): void => {};
  const backend = createBackend({
    fetch: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const delivery = backend.deliveries.trigger({ destinationId });
  backend.reset();
  answer(new Response());
  await delivery;
  expect(backend.deliveries.list()).toEqual([]);
});

it("the clock waits for a triggered delivery before it moves", async () => {
  const backend = createBackend({ fetch: () => new Promise((resolve) => setTimeout(resolve, 20, new Response())) });
  void backend.deliveries.trigger({ destinationId });
  await backend.advance({ by: 1000 });
  expect(backend.deliveries.list()).toHaveLength(1);
});

it.each([
  ["an unknown destination", "nowhere", "destinationId: no destination has the id nowhere"],
  [
    "a destination of another kind",
    demo.destinations.phone,
    "destinationId: only a destination of kind app receives webhooks",
  ],
])("refuses %s", async (_, id, message) => {
  await expect(createBackend().deliveries.trigger({ destinationId: id })).rejects.toMatchObject({ message });
});

it.each([undefined, 7, "nowhere", "ftp://example.com", "httpx://example.com", "xhttp://example.com"])(
  "refuses a destination with the address %j, naming the field",
  async (url) => {
    const backend = createBackend();
    const app = backend.state.destinations.get(destinationId);
    // As untyped code may: records and seeds are checked.
    if (app !== undefined) backend.state.destinations.set(destinationId, { ...app, config: { url } });
    await expect(backend.deliveries.trigger({ destinationId })).rejects.toMatchObject({
      message: "config.url: the destination has no http or https address to deliver to",
    });
  },
);

it("refuses to send an unknown delivery again", async () => {
  await expect(createBackend().deliveries.redeliver("nothing")).rejects.toMatchObject({
    message: "id: no delivery has the id nothing",
  });
});

it("posts JSON and follows no redirect", async () => {
  const sent: RequestInit[] = [];
  const backend = createBackend({
    fetch: async (_, init) => {
      sent.push(init ?? {});
      return new Response();
    },
  });
  const { headers } = await backend.deliveries.trigger({ destinationId });
  expect(sent).toMatchObject([{ method: "POST", redirect: "manual" }]);
  expect(headers).toMatchObject({ "content-type": "application/json" });
});

describe("the response of a receiver", () => {
  /** Sends an offer to a receiver. Returns the delivery, the event about its answer, and the backend. */
  async function answered(
    receiver: (request: Request) => Response | Promise<Response>,
    { url, timeoutSecs = 600 }: { readonly url?: string; readonly timeoutSecs?: number } = {},
  ) {
    const backend = createBackend({
      policies: { deliveryTimeoutSecs: timeoutSecs },
      fetch: async (input, init) => receiver(new Request(input, init)),
    });
    if (url !== undefined) backend.collections.update("destinations", destinationId, { config: { url } });
    const delivery = await backend.deliveries.trigger({ destinationId });
    return { backend, delivery, response: delivery.response, event: backend.events.latest().events.at(-1) };
  }
  const textType = "text/plain;charset=UTF-8";
  const withType = (type: string) => ({ headers: { "content-type": type } });
  const streamOf = (pull: (controller: ReadableStreamDefaultController) => void, cancel = () => {}) =>
    new ReadableStream({ pull, cancel });

  it.each<[string, Response, object]>([
    [
      "text",
      new Response("queue full\n", { status: 409 }),
      { status: 409, contentType: textType, body: "queue full\n" },
    ],
    ["JSON", Response.json({ error: "ü" }), { contentType: "application/json", body: '{"error":"ü"}', bodyBytes: 14 }],
    ["a problem in JSON", new Response("{}", withType("application/problem+json")), { body: "{}", bodyBytes: 2 }],
    ["text without a type", new Response(new TextEncoder().encode("no")), { body: "no", bodyBytes: 2 }],
    ["nothing", new Response(null, { status: 204, headers: { "x-a": "1" } }), { status: 204, bodyBytes: 0 }],
  ])("is recorded: %s", async (_, given, expected) => {
    const headers = Object.fromEntries(given.headers);
    const { delivery, response, backend } = await answered(() => given);
    expect(response).toMatchObject({ status: given.status, headers, truncated: false, ...expected });
    expect(delivery.status).toBe(given.status);
    expect(backend.deliveries.list()[0]?.response).toEqual(response);
  });

  it.each<[string, Response, object]>([
    ["a picture", new Response(new Uint8Array([137, 80, 78, 71]), withType("image/png")), { contentType: "image/png" }],
    ["text of another type", new Response("abcd", withType("application/octet-stream")), {}],
    ["bytes that are not UTF-8", new Response(new Uint8Array([99, 97, 102, 233]), withType("text/plain")), {}],
    ["compressed text", new Response(new Uint8Array([31, 139, 8, 0])), {}],
    ["text with NUL", new Response("a\0bc"), {}],
  ])("has a size, and no body if that is not text: %s", async (_, given, expected) => {
    const { response } = await answered(() => given);
    expect(response).toMatchObject({ bodyBytes: 4, truncated: false, ...expected });
    expect(response).not.toHaveProperty("body");
  });

  it.each([
    [16_384, 16_384, false],
    [16_385, 16_384, true],
    [100_000, 16_384, true],
  ])("keeps 16 KiB of a body: of %i bytes %i (truncated: %s)", async (sent, bodyBytes, truncated) => {
    const { response } = await answered(() => new Response("x".repeat(sent)));
    expect(response).toMatchObject({ body: "x".repeat(bodyBytes), bodyBytes, truncated });
  });

  it.each<[string, (controller: ReadableStreamDefaultController) => void]>([
    ["of many bytes", (controller) => controller.enqueue(new Uint8Array(1000).fill(120))],
    ["of chunks without bytes", (controller) => controller.enqueue(new Uint8Array())],
  ])("ends an endless stream %s", async (_, pull) => {
    let isCancelled = false;
    const stream = streamOf(pull, () => {
      isCancelled = true;
    });
    const { delivery, response } = await answered(() => new Response(stream));
    expect(delivery).toMatchObject({ status: 200, accepted: true });
    expect([response?.truncated, isCancelled]).toEqual([true, true]);
  });

  it("counts by its status when the body does not end in time, with what came", async () => {
    let isFirst = true;
    const { delivery, response } = await answered(
      () =>
        new Response(
          streamOf((controller) => {
            if (isFirst) controller.enqueue(new TextEncoder().encode("busy"));
            isFirst = false;
          }),
          { status: 503 },
        ),
      { timeoutSecs: 0.01 },
    );
    expect(delivery).toMatchObject({ status: 503, accepted: false });
    expect(delivery).not.toHaveProperty("error");
    expect(response).toMatchObject({ body: "busy", bodyBytes: 4, truncated: true });
  });

  it("counts by its status when the body breaks off", async () => {
    const { delivery, response } = await answered(
      () => new Response(streamOf((controller) => controller.error(new Error("reset")))),
    );
    expect(delivery).toMatchObject({ status: 200, accepted: true });
    expect(response).toMatchObject({ bodyBytes: 0, truncated: true });
  });

  const { signingSecret, apiKey } = demo;

  it("shows no field named like a secret, also of JSON that is cut off", async () => {
    const fields = `{"accessToken":"opaque-value-123","nested":{"password":"hunter2 \\" more"},"note":"shown",`;
    const { response, event } = await answered(
      () =>
        new Response(`${fields}"secret":"${"s".repeat(20_000)}"}`, { status: 500, ...withType("application/json") }),
    );
    expect(response?.body).toBe(
      '{"accessToken":"[redacted]","nested":{"password":"[redacted]"},"note":"shown","secret":"[redacted]"',
    );
    expect(JSON.stringify(event)).not.toMatch(/opaque|hunter2|sss/);
  });

  it("shows no signature that the receiver repeats as a content type", async () => {
    const { response, event } = await answered(
      (request) => new Response(new Uint8Array([0]), withType(request.headers.get("service-signature") ?? "")),
    );
    expect(response?.contentType).toContain("[redacted]");
    expect(JSON.stringify([response, event])).not.toMatch(/v1=[0-9a-f]{64}/);
  });

  it("shows no secret that the receiver repeats, in the delivery and its event", async () => {
    const url = "http://127.0.0.1:4011/offers?token=hidden-token";
    const { backend, delivery, response, event } = await answered(
      async (request) => {
        const signature = request.headers.get("service-signature") ?? "";
        const texts = [signingSecret, signature.split("v1=")[1], apiKey, new URL(request.url).search];
        return new Response(`wrong: ${texts.join(" ")}`, {
          status: 401,
          headers: { "x-secret-used": signingSecret, "x-debug": `a ${signingSecret}`, "set-cookie": "sid=hidden-sid" },
        });
      },
      { url },
    );
    const shown = "wrong: [redacted] [redacted] [redacted] ?[redacted]";
    expect(response?.body).toBe(shown);
    expect(response?.headers).toMatchObject({ "x-debug": "a [redacted]", "set-cookie": "[redacted]" });
    expect(event).toMatchObject({ type: "delivery.completed", responseText: shown });
    const text = JSON.stringify([delivery.response, event, backend.events.latest()]);
    for (const secret of [signingSecret, apiKey, "hidden-", delivery.signature?.v1[0]?.value])
      expect(text).not.toContain(secret);
  });

  it("shows no part of a secret that the limit cuts", async () => {
    const text = "x".repeat(16_384 - 20) + signingSecret;
    const { response } = await answered(() => new Response(text));
    expect(response?.body).toBe(`${"x".repeat(16_384 - 20)}[redacted]`);
  });

  it("shows neither secret of a rotation while the delivery was in flight", async () => {
    const rotate = async (): Promise<Response> => {
      await send(backend, `POST /transfers/destinations/${destinationId}/rotate-secret`);
      return new Response(`${signingSecret} ${backend.state.destinations.get(destinationId)?.signingSecret}`);
    };
    const backend = createBackend({ fetch: rotate });
    const { response } = await backend.deliveries.trigger({ destinationId });
    expect(response?.body).toBe("[redacted] [redacted]");
  });

  it.each<[string, Response, string | undefined]>([
    ["text", new Response("queue full\nat line 1"), "queue full"],
    ["JSON in lines", new Response('{\n  "error": "busy"\n}'), '{ "error": "busy" }'],
    ["markup", new Response("<html>\n<pre>Cannot POST</pre>"), "<html> <pre>Cannot POST</pre>"],
    ["a picture", new Response(new Uint8Array([137, 80]), withType("image/png")), "image/png, 2 bytes"],
    ["a phone number", new Response("no call to +14155550167"), "no call to +1415*****67"],
    ["a long line", new Response("x".repeat(300)), `${"x".repeat(199)}…`],
    ["nothing", new Response(), undefined],
  ])("is in the event of a refusal as one line: %s", async (_, given, expected) => {
    const { event } = await answered(() => new Response(given.body, { status: 500, headers: given.headers }));
    expect(event?.responseText).toBe(expected);
  });
});

describe("a delivery shows", () => {
  /** The parts of the latest delivery's signature, compared with those of the header. */
  async function signed(fault?: WebhookFaultAction, rotated = false) {
    const backend = createBackend({ fetch: async () => new Response() });
    if (rotated) await send(backend, `POST /transfers/destinations/${destinationId}/rotate-secret`);
    if (fault !== undefined) backend.faults.add({ webhooks: {}, do: fault });
    const { signature, headers } = await backend.deliveries.trigger({ destinationId });
    const header = headers["Service-Signature"] ?? "";
    for (const { value } of signature?.v1 ?? []) expect(header).toContain(`v1=${value}`);
    if (signature !== undefined) expect(header).toContain(`t=${signature.t}`);
    return signature && [signature.t - 1_772_452_800, ...signature.v1.map(({ secret }) => secret)];
  }

  it("the time of its signature, and which secret made each part", async () => {
    expect(await signed()).toEqual([0, "current"]);
    expect(await signed(undefined, true)).toEqual([0, "current", "previous"]);
    expect(await signed({ sign: "reversed" }, true)).toEqual([0, "previous", "current"]);
    expect(await signed({ sign: "wrong_first" }, true)).toEqual([0, "other", "current", "previous"]);
    expect(await signed({ sign: "previous_secret" }, true)).toEqual([0, "previous"]);
    expect(await signed({ sign: "previous_secret" })).toEqual([0, "other"]);
    expect(await signed({ sign: "wrong_secret" })).toEqual([0, "other"]);
    expect(await signed({ sign: "wrong_secret" }, true)).toEqual([0, "other"]);
    expect(await signed({ signatureAgeSecs: 600 })).toEqual([-600, "current"]);
    expect(await signed("truncate")).toEqual([0, "current"]);
    expect(await signed({ sign: "none" })).toBeUndefined();
  });

  it("how long the receiver took in real time, and the transfer that it is about, also when it is sent again", async () => {
    const backend = createBackend({ fetch: async () => new Response() });
    const { id } = backend.transfers.start({ destinationId });
    await backend.advance({ by: 0 });
    const [first] = backend.deliveries.list();
    expect(first).toMatchObject({ transferId: id, durationMs: expect.any(Number) });
    expect(await backend.deliveries.redeliver(first?.id ?? "")).toMatchObject({ transferId: id });
    expect(await backend.deliveries.trigger({ destinationId })).not.toHaveProperty("transferId");
  });
});

it("announces a delivery before and after the answer", async () => {
  const backend = createBackend({ fetch: async () => new Response(null, { status: 503 }) });
  const { id } = await backend.deliveries.trigger({ destinationId, transferId: "t-1" });
  const about = { id, destinationId, transferId: "t-1", url: "http://127.0.0.1:4011/offers" };
  const signature = { t: 1_772_452_800, v1: 1, secrets: ["current"] };
  const [eventId, at] = [expect.any(String), "2026-03-02T12:00:00.000Z"];
  expect(backend.events.latest().events).toEqual([
    { eventId, at, type: "delivery.started", ...about, signature },
    {
      ...{ eventId, at, type: "delivery.completed", ...about, signature },
      ...{ status: 503, accepted: false, durationMs: expect.any(Number) },
    },
  ]);
});

it("announces which delivery was sent again, and the fault that matched it", async () => {
  const backend = createBackend({ faults: [{ webhooks: {}, do: "truncate" }], fetch: async () => new Response() });
  const { id } = await backend.deliveries.trigger({ destinationId });
  await backend.deliveries.redeliver(id);
  const announced = backend.events.latest().events.filter(({ type }) => type === "delivery.completed");
  expect(announced.map(({ redeliveryOf, fault }) => [redeliveryOf, fault])).toEqual([
    [undefined, "fault-1"],
    [id, undefined],
  ]);
});

it("announces why there was no answer, and no secret, not even that of an address", async () => {
  const backend = createBackend({ fetch: async (url) => Promise.reject(new Error(`no way to ${String(url)}`)) });
  backend.collections.update("destinations", destinationId, {
    config: { url: "http://me:pass@127.0.0.1/offers?key=1" },
  });
  await backend.deliveries.trigger({ destinationId });
  const events = backend.events.latest().events;
  const error = "no way to http://127.0.0.1/offers";
  expect(events.at(-1)).toMatchObject({ type: "delivery.completed", accepted: false, error });
  expect(JSON.stringify(events)).not.toContain(demo.signingSecret);
});

it("announces what the inbox receives, also a body that is cut off", async () => {
  const backend = createBackend();
  backend.collections.update("destinations", destinationId, { config: { url: inboxUrl } });
  const { id } = await backend.deliveries.trigger({ destinationId });
  backend.faults.add({ webhooks: {}, do: "truncate" });
  await backend.deliveries.trigger({ destinationId });
  const received = backend.events.latest().events.filter(({ type }) => type === "inbox.received");
  expect(received.map(({ id: event, destinationId: to }) => [event, to])).toEqual([
    [id, destinationId],
    [undefined, undefined],
  ]);
});

// printf '1772452800.{"type":"transfer.offer"}' | openssl dgst -sha256 -hmac first
const signedAt = 1_772_452_800_999;
const signedBody = '{"type":"transfer.offer"}';
const firstSignature = "ec068648dcfc2b4c5bf71d94007945c1feaf7a16642b5284fbed0f43c347eec6";

it("signs the timestamp in seconds and the body as openssl does", () => {
  expect(sign(signedBody, ["first"], signedAt, {}, false).header).toBe(`t=1772452800,v1=${firstSignature}`);
});
