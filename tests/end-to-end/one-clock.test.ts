// The backend's clock given to the SDK: what it waits before retries moves the platform's time, and no test waits for it.
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer, type ClientOptions, RateLimitError } from "@call-transfer/sdk";
import { createWebhookHandler } from "@call-transfer/sdk/webhooks";
import { limits } from "@call-transfer/spec";
import { afterEach, describe, expect, it, vi } from "vitest";

function createWorld(options: Parameters<typeof createBackend>[0] = {}, own: Partial<ClientOptions> = {}) {
  const backend = createBackend(options);
  const delays: number[] = [];
  const client = new CallTransfer({
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    fetch: backend.fetch,
    clock: backend.clock,
    logLevel: "off",
    onRetry: ({ attempt }) => delays.push(attempt.delayMs ?? Number.NaN),
    ...own,
  } as ClientOptions);
  return { backend, client, delays };
}

afterEach(() => void vi.restoreAllMocks());

describe("a frozen clock", () => {
  it("moves by the waits of two retries, without a timer of the machine", async () => {
    const { backend, client, delays } = createWorld({}, { maxRetries: 2 });
    const [timers, start] = [vi.spyOn(globalThis, "setTimeout"), backend.clock.now()];
    backend.faults.add({ when: { times: 2 }, do: { status: 503 } });
    await client.roles.list();
    expect(delays).toHaveLength(2);
    expect(backend.clock.now() - start).toBeCloseTo(
      delays.reduce((sum, ms) => sum + ms),
      6,
    );
    const waits = timers.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms > 0);
    // The limit of each attempt is a timer.
    expect(waits.filter((ms) => ms < limits.clientTimeoutSecs * 1000)).toEqual([]);
  });

  it("moves by the wait that the platform asks for, and lets happen what is due on the way", async () => {
    const { backend, client } = createWorld();
    const start = backend.clock.now();
    const { id } = await client.calls
      .create({
        flowId: demo.flows.published,
        fromNumber: demo.numbers.working,
        toNumber: demo.recipients.anyone,
      })
      .then((placed) => ("callId" in placed ? { id: placed.callId } : { id: "" }));
    expect(backend.state.calls.get(id)?.status).toBe("in_progress");
    backend.faults.add({ when: { times: 1 }, do: { rateLimit: { retryAfterSecs: 59 } } });
    await client.roles.list();
    expect(backend.clock.now() - start).toBeGreaterThan(59_000);
    await backend.clock.advance({ by: 2000 });
    expect(backend.state.calls.get(id)?.status).toBe("completed");
  });

  it("counts the waits towards totalTimeoutMs", async () => {
    const { backend, client, delays } = createWorld({}, { maxRetries: 2 });
    backend.faults.add({ when: { times: 2 }, do: { rateLimit: { retryAfterSecs: 30 } } });
    const error = await client.roles.list({ totalTimeoutMs: 40_000 }).catch((thrown: unknown) => thrown);
    expect([error instanceof RateLimitError && error.retrySkippedReason, delays.length]).toEqual(["total_timeout", 1]);
  });

  it("does not wait for the receiver of a webhook that retries while a step of the clock delivers to it", async () => {
    const statuses: number[] = [];
    const receive = createWebhookHandler({
      secret: demo.signingSecret,
      clock: { now: () => world.backend.clock.now() },
      onEvent: async () => void statuses.push((await world.client.roles.list().withResponse()).response.status),
    });
    const world = createWorld({ fetch: (url, init) => receive(new Request(url, init)) });
    world.backend.faults.add({ when: { times: 1 }, match: { operationId: "listRoles" }, do: { status: 503 } });
    world.backend.transfers.start({ destinationId: demo.destinations.app });
    await world.backend.advance({ by: 30_000 });
    expect([statuses, world.delays.length]).toEqual([[200], 1]);
  });
});

it("a running clock is waited for, as fast as it flows", async () => {
  const { backend, client, delays } = createWorld({ clockMode: "running", clockRate: 10_000 });
  const start = backend.clock.now();
  backend.faults.add({ when: { times: 1 }, do: { rateLimit: { retryAfterSecs: 20 } } });
  await client.roles.list();
  expect(backend.clock.now() - start).toBeGreaterThanOrEqual(delays[0] ?? Number.NaN);
});
