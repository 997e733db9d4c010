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

/** Includes each weekday, a leap day, and the ends of a month and of a year. */
const days = ["02-28", "02-29", "03-02", "03-31", "07-01", "10-29", "11-06", "12-31"].map((day) => `2032-${day}`);

describe("a default start", () => {
  it.each(days)("places calls at every hour of %s", async (day) => {
    const { client, moveOn } = await startAt(`${day}T00:30:00Z`);
    const types: string[] = [];
    for (let hour = 0; hour < 24; hour++) {
      types.push((await client.calls.create(call)).type);
      moveOn(hourMs);
    }
    expect(types).toEqual(Array.from({ length: 24 }, () => "initiated"));
  });

  it.each(days)("signs offers that a receiver accepts at every hour of %s", async (day) => {
    const receive = createWebhookHandler({ secret: demo.signingSecret, onEvent: () => undefined });
    const { backend, moveOn } = await startAt(`${day}T00:30:00Z`, {
      fetch: (input, init) => receive(new Request(input, init)),
    });
    const statuses: (number | undefined)[] = [];
    for (let hour = 0; hour < 24; hour++) {
      statuses.push((await backend.deliveries.trigger({ destinationId: demo.destinations.app })).status);
      moveOn(hourMs);
    }
    expect(statuses).toEqual(Array.from({ length: 24 }, () => 204));
  });

  it("refuses calls outside the callable hours of a contact and of an account", async () => {
    // 21:00 in Tokyo, 07:00 in New York.
    const { backend, client } = await startAt("2032-03-01T12:00:00Z");
    const toTokyo = client.calls.create({ ...call, toNumber: demo.recipients.elsewhere });
    await expect(toTokyo).rejects.toMatchObject({ code: "outside_callable_hours" });
    const foreign = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.foreignApiKey, fetch: backend.fetch });
    const fromNewYork = { ...call, flowId: demo.flows.foreign, fromNumber: demo.numbers.foreign };
    await expect(foreign.calls.create(fromNewYork)).rejects.toMatchObject({ code: "outside_callable_hours" });
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
