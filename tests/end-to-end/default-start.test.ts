import { demo } from "@call-transfer/backend";
import { type MockServer, type MockServerOptions, startMockServer } from "@call-transfer/mock-server";
import { CallTransfer } from "@call-transfer/sdk";
import { createWebhookHandler } from "@call-transfer/sdk/webhooks";
import { afterEach, describe, expect, it, vi } from "vitest";

const hourMs = 3_600_000;
const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
let server: MockServer | undefined;

/** Starts a server with default options at the given time, which is the time of clients and receivers too. */
async function startAt(time: string, options: MockServerOptions = {}) {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
  // The server reads the real time, also while a test fakes it.
  server = await startMockServer({ port: 0, now: time, ...options });
  const { sandboxes, backend } = server;
  const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: sandboxes.fetch });
  const moveOn = (ms: number): void => {
    vi.setSystemTime(Date.now() + ms);
    backend.clock.set({ now: Date.now() });
  };
  return { backend, client, moveOn };
}

afterEach(async () => {
  await server?.close();
  server = undefined;
  vi.useRealTimers();
});

/** A leap day, and the ends of a month and of a year. */
const days = ["2032-02-29", "2032-07-01", "2032-12-31"];

describe("a default start", () => {
  it.each(days)("places calls, and signs offers that a receiver accepts, at every hour of %s", async (day) => {
    const receive = createWebhookHandler({ secret: demo.signingSecret, onEvent: () => undefined });
    const { backend, client, moveOn } = await startAt(`${day}T00:30:00Z`, {
      fetch: (input, init) => receive(new Request(input, init)),
    });
    for (let hour = 0; hour < 24; hour++) {
      const { type } = await client.calls.create(call);
      const { status } = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
      expect([hour, type, status]).toEqual([hour, "initiated", 204]);
      moveOn(hourMs);
    }
  });

  it("sends new offers after a restart to a receiver that remembers those of before, and keeps its tokens", async () => {
    const handled: string[] = [];
    const receive = createWebhookHandler({
      secret: demo.signingSecret,
      onEvent: ({ id }) => void handled.push(String(id)),
    });
    const headers = { authorization: "", "x-account-id": demo.accountId };
    const statuses: number[] = [];
    for (let start = 0; start < 3; start += 1) {
      server = await startMockServer({ port: 0, fetch: (input, init) => receive(new Request(input, init)) });
      const { backend, sandboxes } = server;
      const offer = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
      if (start === 0)
        headers.authorization = `Bearer ${await backend.credentials.createAccessToken({ userId: demo.users.owner })}`;
      const { status } = await sandboxes.fetch("http://localhost/api/v1/roles", { headers });
      statuses.push(offer.status ?? 0, status);
      await server.close();
    }
    expect(statuses).toEqual([204, 200, 204, 200, 204, 200]);
    expect(new Set(handled).size).toBe(3);
  });
});
