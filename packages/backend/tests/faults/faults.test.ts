import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Fault } from "../../src/faults/fault.ts";
import { InputError } from "../../src/utils/input-error.ts";
import { send } from "../test-client.ts";

const unavailable = { code: "service_unavailable" } as const;

function withFaults(...faults: Fault[]): Backend {
  return createBackend({ faults, fetch: async () => new Response() });
}

async function statuses(backend: Backend, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await send(backend, "GET /roles")).status);
  return seen;
}

describe("a fault with a list of steps", () => {
  it("takes one step a request, and is removed after the last", async () => {
    const backend = withFaults({ do: [unavailable, { status: 504 }, "pass", unavailable] });
    expect(await statuses(backend, 5)).toEqual([503, 504, 200, 503, 200]);
    expect(backend.faults.list()).toEqual([]);
  });

  it("starts over as often as times says", async () => {
    const backend = withFaults({ when: { times: 2 }, do: [unavailable, "pass"] });
    expect(await statuses(backend, 5)).toEqual([503, 200, 503, 200, 200]);
    const endless = withFaults({ when: { times: null }, do: [unavailable, "pass"] });
    expect(await statuses(endless, 6)).toEqual([503, 200, 503, 200, 503, 200]);
  });

  it("shows the next step and the rounds that remain", async () => {
    const backend = withFaults({ when: { times: 2, nth: 2 }, do: [unavailable, "pass", unavailable] });
    await statuses(backend, 3);
    expect(backend.faults.list()).toMatchObject([{ when: { nth: 1, times: 2, step: 3 } }]);
    await statuses(backend, 1);
    expect(backend.faults.list()).toMatchObject([{ when: { nth: 1, times: 1, step: 1 } }]);
  });

  it("continues after a snapshot", async () => {
    const backend = withFaults({ do: [unavailable, "pass", unavailable] });
    await statuses(backend, 1);
    const other = createBackend();
    other.restore(JSON.parse(JSON.stringify(backend.snapshot())));
    expect(await statuses(other, 3)).toEqual([200, 503, 200]);
  });

  it("leaves a request that it lets through to the next fault", async () => {
    const backend = withFaults({ do: ["pass", unavailable] }, { when: { times: null }, do: { status: 504 } });
    expect(await statuses(backend, 3)).toEqual([504, 503, 504]);
  });

  it("waits for a step that is a latency", async () => {
    const backend = withFaults({ do: ["pass", { latencyMs: 400 }] });
    expect(await statuses(backend, 1)).toEqual([200]);
    const slow = send(backend, "GET /roles");
    await backend.clock.advance({ by: 400 });
    expect((await slow).status).toBe(200);
    expect(backend.requests.list().at(-1)?.fault).toBe("fault-1");
  });

  it("does the same with deliveries", async () => {
    const backend = withFaults({ webhooks: {}, do: [{ sign: "none" }, "pass", { sign: "reversed" }] });
    const { app } = demo.destinations;
    for (let index = 0; index < 4; index += 1) await backend.deliveries.trigger({ destinationId: app });
    expect(backend.deliveries.list().map(({ faultAction }) => faultAction)).toEqual([
      { sign: "none" },
      undefined,
      { sign: "reversed" },
      undefined,
    ]);
  });

  it.each<[unknown, string]>([
    [[], "do: a list needs at least one step"],
    ["pass", 'do: pass is a step of a list, such as [{ "code": "service_unavailable" }, "pass"]'],
    [["pass", { code: "sevice_unavailable" }], "do[1].code: unknown error code"],
    [["pass", "wait"], "do[1]: must be one of reset, empty"],
    [["pass", { sign: "none" }], "do[1]: sign is for webhook deliveries"],
  ])("%j is refused: %s", (action, message) => {
    expect(() => createBackend().faults.add({ do: action } as Fault)).toThrow(message);
  });

  it("refuses a step beyond the end", () => {
    expect(() => withFaults({ when: { step: 3 }, do: [unavailable, "pass"] })).toThrow("when.step: do has 2 steps");
  });
});

describe("the events of faults", () => {
  const eventsOf = (backend: Backend) =>
    backend.events
      .latest()
      .events.flatMap(({ eventId: _, at: __, type, ...about }) => (type.startsWith("fault.") ? [[type, about]] : []));

  it("say what is added, which request it hits, and that it is used up", async () => {
    const backend = withFaults();
    backend.faults.add({ match: { operationId: "listRoles" }, when: { times: 2 }, do: unavailable });
    await statuses(backend, 3);
    const [first, second] = backend.requests.list();
    expect(eventsOf(backend)).toEqual([
      [
        "fault.added",
        { id: "fault-1", match: { operationId: "listRoles" }, when: { nth: 1, times: 2 }, do: unavailable },
      ],
      ["fault.hit", { id: "fault-1", requestId: first?.requestId }],
      ["fault.hit", { id: "fault-1", requestId: second?.requestId }],
      ["fault.removed", { id: "fault-1", hits: 2, isUsedUp: true }],
    ]);
  });

  it("say what is added without the credentials that it matches", () => {
    const backend = withFaults();
    const authorization = "Bearer ct_live_a1b2c3d4";
    backend.faults.add({ match: { headers: { authorization } }, do: unavailable });
    expect(eventsOf(backend)).toEqual([
      ["fault.added", expect.objectContaining({ match: { headers: { authorization: "[redacted]" } } })],
    ]);
    backend.faults.add(`* header "authorization=${authorization}" 503`);
    expect(JSON.stringify(eventsOf(backend))).not.toContain("a1b2c3d4");
  });

  it("say which delivery it hits, and that it is removed by hand", async () => {
    const backend = withFaults();
    const fault = backend.faults.add({ webhooks: {}, when: { times: null }, do: "truncate" });
    const other = backend.faults.add({ do: unavailable });
    const { id } = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    backend.faults.delete(other);
    backend.faults.delete(other);
    backend.faults.clear();
    expect(eventsOf(backend).slice(2)).toEqual([
      ["fault.hit", { id: fault, deliveryId: id }],
      ["fault.removed", { id: other, hits: 0, isUsedUp: false }],
      ["fault.removed", { id: fault, hits: 1, isUsedUp: false }],
    ]);
  });

  it("count no step that passes, and no match before the first that fails", async () => {
    const backend = withFaults();
    backend.faults.add({ when: { nth: 2 }, do: [unavailable, "pass", unavailable] });
    const hits = async () => {
      await statuses(backend, 1);
      return backend.faults.list()[0]?.hits;
    };
    expect([await hits(), await hits(), await hits()]).toEqual([0, 1, 1]);
  });
});

describe("the counts of faults", () => {
  it("are refused beyond 1000, with the limit and the remedy, until one is removed", () => {
    const backend = withFaults(...Array.from({ length: 1000 }, () => ({ do: unavailable })));
    const limit = "more than 1000 active faults are not allowed. Delete those that are not used.";
    expect(() => backend.faults.add({ do: unavailable })).toThrow(new InputError("", limit));
    expect(backend.faults.list()).toHaveLength(1000);
    backend.faults.delete("fault-500");
    expect(backend.faults.add({ do: unavailable })).toBe("fault-1001");
    const snapshot = backend.snapshot();
    const { waiting } = snapshot.faults;
    const more = { ...snapshot, faults: { ...snapshot.faults, waiting: [...waiting, ...waiting.slice(0, 1)] } };
    expect(() => backend.restore(more)).toThrow(new InputError("faults.waiting", limit));
  });
});
