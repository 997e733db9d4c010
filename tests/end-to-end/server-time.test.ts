// A lost placement is found although the caller's clock is wrong, with both clocks of the backend (§8.3).
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer, type ClientOptions, OutcomeUnknownError } from "@call-transfer/sdk";
import { describe, expect, it } from "vitest";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const yearMs = 365 * 24 * hourMs;
/** Milliseconds that the caller's clock is ahead. */
const offsets = [0, 6 * minuteMs, -6 * minuteMs, hourMs, -hourMs, yearMs, -yearMs];
const clocks = ["frozen", "running"] as const;
const cases = clocks.flatMap((clock) => offsets.map((offset) => [clock, offset] as const));
const placement = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: "+15550108888" };

/** A backend, and a client whose clock is ahead. `pause` moves the time of the client, and of a running backend. */
function createWorld(mode: (typeof clocks)[number], offsetMs: number, options: Partial<ClientOptions> = {}) {
  const backend = createBackend();
  let passedMs = 0;
  const start = backend.clock.now();
  const clock = {
    now: () => start + passedMs + offsetMs,
    monotonicNow: () => passedMs,
    // Waits of the SDK end at once. Its timeouts do not matter here.
    setTimeout: (run: () => void, delayMs: number) => (delayMs < minuteMs ? setTimeout(run, 0) : undefined),
    clearTimeout: (timer: unknown) => clearTimeout(timer as undefined),
  };
  const credentials = { baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch, clock };
  const client = new CallTransfer({ ...credentials, ...options } as ClientOptions);
  const before = backend.state.calls.size;
  return {
    backend,
    client,
    placed: () => [...backend.state.calls.keys()].slice(before),
    pause: async (byMs: number) => {
      passedMs += byMs;
      if (mode === "running") await backend.clock.advance({ by: byMs });
    },
  };
}

async function lost(placing: Promise<unknown>): Promise<OutcomeUnknownError> {
  const error = await placing.catch((thrown: unknown) => thrown);
  if (!(error instanceof OutcomeUnknownError)) throw new Error(`not lost: ${error}`);
  return error;
}

describe.each([
  ["a client that got an answer ten minutes before", true],
  ["a client without an answer before", false],
])("%s", (_, isWarm) => {
  it.each(cases)("finds its lost call: backend %s, caller %d ms ahead", async (mode, offset) => {
    const { backend, client, placed, pause } = createWorld(mode, offset);
    if (isWarm) await client.roles.list();
    await pause(10 * minuteMs);
    backend.faults.add({ do: "process_then_reset" });
    const error = await lost(client.calls.create(placement));
    expect(error.window.byServerClock).toBe(isWarm);
    await pause(minuteMs);
    const { candidates, complete, window } = await error.reconcile();
    expect([candidates.map(({ id }) => id), complete, window.byServerClock]).toEqual([placed(), true, true]);
    expect(placed()).toHaveLength(1);
  });

  it.each(cases)(
    "dials again with check if no call was placed: backend %s, caller %d ms ahead",
    async (mode, offset) => {
      const { backend, client, placed, pause } = createWorld(mode, offset, { retry: { onUnknownOutcome: "check" } });
      await client.calls.create(placement);
      await pause(10 * minuteMs);
      const current = isWarm ? client : client.withOptions({ baseUrl: "http://other.localhost" });
      // A frozen backend lists the call of before at the same time as a new one, so that check cannot rule it out.
      backend.faults.add({ do: "reset" });
      const placing = current.calls.create({ ...placement, toNumber: "+15550107777" });
      if (mode === "frozen") await lost(placing);
      else await placing;
      expect(placed()).toHaveLength(mode === "frozen" ? 1 : 2);
    },
  );
});

it.each([
  ["moves by an hour after the placement", hourMs],
  ["is set back by an hour after the placement", -hourMs],
])("a client that got an answer before finds its call although the backend's clock %s", async (_, byMs) => {
  const { backend, client, placed, pause } = createWorld("frozen", 0);
  await client.roles.list();
  await pause(10 * minuteMs);
  backend.faults.add({ do: "process_then_reset" });
  const error = await lost(client.calls.create(placement));
  backend.clock.set({ now: backend.clock.now() + byMs });
  const { candidates, complete } = await error.reconcile();
  expect([candidates.map(({ id }) => id), complete]).toEqual([placed(), true]);
});

it("a copy of a client knows the server's clock as its original does, unless it has another server or clock", async () => {
  const { backend, client } = createWorld("frozen", hourMs);
  await client.roles.list();
  const knows = async (options: Partial<ClientOptions>) => {
    backend.faults.add({ do: "process_then_reset" });
    return (await lost(client.withOptions(options).calls.create(placement))).window.byServerClock;
  };
  expect(await knows({ timeoutMs: 5000 })).toBe(true);
  expect(await knows({ baseUrl: "http://127.0.0.1" })).toBe(false);
  const own = { now: () => 0, setTimeout: () => undefined, clearTimeout: () => undefined };
  expect(await knows({ clock: own })).toBe(false);
});

it("nothing is complete while no response has a Date header, and check does not dial again", async () => {
  const backend = createBackend();
  const withoutDate: typeof fetch = async (url, init) => {
    const answer = await backend.fetch(url, init);
    const headers = new Headers(answer.headers);
    headers.delete("date");
    return new Response(answer.body, { status: answer.status, headers });
  };
  const shared = { baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: withoutDate };
  const client = new CallTransfer(shared);
  backend.faults.add({ do: "process_then_reset" });
  const error = await lost(client.calls.create(placement));
  const { complete, explanation, window } = await error.reconcile();
  expect([complete, window.byServerClock]).toEqual([false, false]);
  expect(explanation).toContain("No response had a Date header");
  backend.faults.add({ do: "reset" });
  await lost(new CallTransfer({ ...shared, retry: { onUnknownOutcome: "check" } }).calls.create(placement));
});
