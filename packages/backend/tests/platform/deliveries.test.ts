import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { inboxUrl } from "../../src/platform/inbox.ts";
import { signatureHeader } from "../../src/platform/signer.ts";
import { demo } from "../../src/testing/demo-seed.ts";

const destinationId = demo.destinations.app;

it("sends a signed offer with the given fields, and records the acceptance", async () => {
  const received: Request[] = [];
  const backend = createBackend({
    fetch: async (input, init) => {
      received.push(new Request(input, init));
      return new Response("thanks");
    },
  });
  const delivery = await backend.deliveries.trigger({ destinationId, callId: "call-1", type: "overridden" });
  expect(await received[0]?.text()).toBe(delivery.body);
  expect(JSON.parse(delivery.body)).toEqual({
    type: "transfer.offer",
    id: delivery.id,
    createdAt: "2026-03-02T12:00:00.000Z",
    destinationId,
    callId: "call-1",
  });
  const expected = signatureHeader(delivery.body, [demo.signingSecret], backend.clock.now());
  expect(received[0]?.headers.get("service-signature")).toBe(expected);
  expect(delivery).toMatchObject({ status: 200, accepted: true, url: "http://127.0.0.1:4011/offers" });
  expect(backend.deliveries.list()).toEqual([delivery]);
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
  expect(await backend.deliveries.trigger({ destinationId })).toMatchObject({ accepted: false });
});

describe("the built-in inbox", () => {
  async function slow(delaySecs: number) {
    const backend = createBackend();
    backend.collections.update("destinations", destinationId, { config: { url: inboxUrl } });
    backend.inbox.answer = { delaySecs };
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
  ["an unknown destination", "nowhere", /^destinationId: no destination/],
  ["a destination of another kind", demo.destinations.phone, /^destinationId: only a destination of kind app/],
])("refuses %s", async (_, id, message) => {
  await expect(createBackend().deliveries.trigger({ destinationId: id })).rejects.toThrow(message);
});

it("refuses a destination without an address, naming the field", async () => {
  const backend = createBackend();
  const destination = backend.state.destinations.get(destinationId);
  if (destination) destination.config = { url: "ftp://example.com" };
  await expect(backend.deliveries.trigger({ destinationId })).rejects.toThrow(/^config\.url: /);
});
