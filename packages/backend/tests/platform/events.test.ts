import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Seed } from "../../src/model/records.ts";
import { overlapEnd, overlapMs, ringEnd, ringSecs, send } from "../test-client.ts";

const id = (kind: string, index: number): string => `${kind}0000000-0000-4000-8000-00000000000${index}`;
const accountId = id("a", 1);
const [ann, bob] = [id("c", 1), id("c", 2)] as const;
const [people, desk, hall] = [id("d", 1), id("d", 2), id("d", 3)] as const;
const groupId = id("e", 1);
const callId = id("f", 1);
const start = "2026-03-02T12:00:00.000Z";

const seed: Seed = {
  accounts: [{ id: accountId, name: "A" }],
  users: [ann, bob].map((userId) => ({ id: userId, name: userId })),
  members: [ann, bob].map((userId) => ({ id: userId, accountId, userId, role: "agent" as const })),
  destinations: [
    { id: people, accountId, name: "People", kind: "available_humans" },
    { id: desk, accountId, name: "Desk", kind: "phone" },
    { id: hall, accountId, name: "Hall", kind: "phone" },
  ],
  groups: [
    {
      id: groupId,
      accountId,
      name: "All",
      totalTimeoutSecs: 20,
      members: [{ destinationId: desk, ringTimeoutSecs: 10 }, { destinationId: hall }],
    },
  ],
  calls: [{ id: callId, accountId, direction: "inbound", duration: 0, status: "in_progress", createdAt: start }],
};

const isOfClock = (type: string): boolean => type === "clock.changed" || type.startsWith("timer.");

/**
 * The events that the backend's stream sends while `act` runs, as [seconds since the start, type, details]: those of the
 * clock or the others.
 */
async function eventsOf(backend: Backend, act: (backend: Backend) => unknown, which: "clock" | "others" = "others") {
  const { body } = await backend.fetch("http://mock.test/_control/v1/events/stream");
  const text = new Response(body).text();
  await act(backend);
  backend.close();
  return [...(await text).matchAll(/data: (.*)/g)].flatMap(([, data = ""]) => {
    const { eventId: _, at, type, ...about } = JSON.parse(data);
    if (isOfClock(type) !== (which === "clock")) return [];
    return [[(Date.parse(at) - Date.parse(start)) / 1000, type, about]];
  });
}
/** An ISO 8601 timestamp this many seconds after the start. */
const later = (secs: number): string => new Date(Date.parse(start) + secs * 1000).toISOString();
const backendOf = (policies = {}) => createBackend({ now: start, seed, policies, controlPlane: true });
const seconds = (backend: Backend, count: number) => backend.clock.advance({ by: count * 1000 });

describe("the events of a transfer", () => {
  it("name the winner, the others, the end and late answers", async () => {
    const backend = backendOf();
    let transferId = "";
    const events = await eventsOf(backend, async () => {
      const script = [
        { destinationId: hall, answerAfterSecs: 4 },
        { destinationId: desk, answerAfterSecs: 5 },
      ];
      ({ id: transferId } = backend.transfers.start({ groupId, callId, script }));
      await seconds(backend, 60);
    });
    expect(events).toEqual([
      [0, "transfer.started", { id: transferId }],
      [0, "transfer.ring_started", { id: transferId, ringIndex: 0, destinationId: desk, endsAt: later(10) }],
      [0, "transfer.ring_started", { id: transferId, ringIndex: 1, destinationId: hall, endsAt: later(20) }],
      [4, "transfer.ring_ended", { id: transferId, destinationId: hall, outcome: "answered" }],
      [4, "transfer.ring_ended", { id: transferId, destinationId: desk, outcome: "taken", takenBy: hall }],
      [4, "transfer.connected", { id: transferId, destinationId: hall }],
      [5, "transfer.answered_late", { id: transferId, destinationId: desk, code: "offer_taken" }],
      [60, "call.completed", { id: callId }],
      [60, "transfer.ended", { id: transferId }],
    ]);
  });

  it("name declined, missed and unanswered rings", async () => {
    const backend = backendOf();
    let transferId = "";
    const events = await eventsOf(backend, async () => {
      const script = [{ destinationId: hall, declineAfterSecs: 3 }];
      ({ id: transferId } = backend.transfers.start({ groupId, script }));
      await seconds(backend, 20);
    });
    expect(events).toEqual([
      [0, "transfer.started", { id: transferId }],
      [0, "transfer.ring_started", expect.objectContaining({ destinationId: desk })],
      [0, "transfer.ring_started", expect.objectContaining({ destinationId: hall })],
      [3, "transfer.ring_ended", { id: transferId, destinationId: hall, outcome: "declined" }],
      [10, "transfer.ring_ended", { id: transferId, destinationId: desk, outcome: "missed" }],
      [10, "transfer.unanswered", { id: transferId }],
    ]);
  });

  it("name an app as the winner although the clock is frozen and no further request arrives", async () => {
    const app = { id: id("d", 4), accountId, name: "App", kind: "app" as const, config: { url: "http://app.example" } };
    const destinations = [...(seed.destinations ?? []), app];
    const fetch = async () => new Response(null, { status: 204 });
    const backend = createBackend({ now: start, seed: { ...seed, destinations }, controlPlane: true, fetch });
    const connected = new Promise((resolve) =>
      backend.events.follow((event) => event.type === "transfer.connected" && resolve(event)),
    );
    backend.transfers.start({ destinationId: app.id });
    expect(await connected).toMatchObject({ destinationId: app.id });
  });

  it("end with a reset, whatever an app answers afterwards", async () => {
    let answer = (_: Response): void => {};
    const fetch = () =>
      new Promise<Response>((resolve) => {
        answer = resolve;
      });
    const app = { id: id("d", 4), accountId, name: "App", kind: "app" as const, config: { url: "http://app.test" } };
    const destinations = [...(seed.destinations ?? []), app];
    const backend = createBackend({ now: start, seed: { ...seed, destinations }, controlPlane: true, fetch });
    backend.transfers.start({ destinationId: app.id });
    backend.reset();
    const events = await eventsOf(backend, async () => {
      answer(new Response(null, { status: 409 }));
      await seconds(backend, 1);
    });
    expect(events).toEqual([]);
  });

  it("name the people who rang, and one who becomes away", async () => {
    const backend = backendOf({ missedCallLimit: 1 });
    let transferId = "";
    const events = await eventsOf(backend, async () => {
      const script = [{ memberId: bob, declineAfterSecs: 1 }];
      ({ id: transferId } = backend.transfers.start({ destinationId: people, script }));
      await seconds(backend, ringSecs);
    });
    expect(events).toEqual([
      [0, "transfer.started", { id: transferId }],
      [
        0,
        "transfer.ring_started",
        { id: transferId, ringIndex: 0, destinationId: people, memberId: ann, endsAt: later(ringSecs) },
      ],
      [0, "transfer.ring_started", expect.objectContaining({ ringIndex: 1, memberId: bob })],
      [1, "transfer.ring_ended", { id: transferId, destinationId: people, memberId: bob, outcome: "declined" }],
      [ringSecs, "transfer.ring_ended", { id: transferId, destinationId: people, memberId: ann, outcome: "missed" }],
      [ringSecs, "transfer.unanswered", { id: transferId }],
      [
        ringSecs,
        "member.availability_changed",
        {
          id: ann,
          status: "away",
          source: "auto",
          reason: "missed_calls",
          until: later(ringSecs + 900),
          updatedAt: ringEnd,
        },
      ],
    ]);
  });
});

describe("the events of the clock", () => {
  it("say which timers are set, fire and are cancelled, and what the time is after a step", async () => {
    let transferId = "";
    const events = await eventsOf(
      backendOf(),
      async (backend) => {
        const script = [{ destinationId: desk, declineAfterSecs: 3 }];
        ({ id: transferId } = backend.transfers.start({ destinationId: desk, script }));
        await seconds(backend, 5);
      },
      "clock",
    );
    const ring = { id: transferId, ringIndex: 0, destinationId: desk };
    expect(events).toEqual([
      [0, "timer.set", { ...ring, kind: "transfer.declines", timerAt: later(3) }],
      [0, "timer.set", { ...ring, kind: "transfer.ring_ends", timerAt: later(ringSecs) }],
      [3, "timer.fired", { ...ring, kind: "transfer.declines", timerAt: later(3) }],
      [3, "timer.cancelled", { ...ring, kind: "transfer.ring_ends", timerAt: later(ringSecs) }],
      [5, "clock.changed", { now: later(5), mode: "frozen", rate: 1, by: 5000 }],
    ]);
  });

  it("say what was set, and nothing about the waits of deliveries and requests", async () => {
    const events = await eventsOf(
      backendOf(),
      async (backend) => {
        backend.clock.set({ now: later(10), rate: 60 });
        const waited = backend.clock.sleep(1000, "inbox");
        await seconds(backend, 1);
        await waited;
      },
      "clock",
    );
    expect(events).toEqual([
      [10, "clock.changed", { now: later(10), mode: "frozen", rate: 60 }],
      [11, "clock.changed", { now: later(11), mode: "frozen", rate: 60, by: 1000 }],
    ]);
  });
});

it("the events of calls name the start and the end of each, and the next one in the queue", async () => {
  const backend = createBackend({ policies: { concurrentCallLimit: 1 }, controlPlane: true });
  const body = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  const events = await eventsOf(backend, async () => {
    await send(backend, "POST /calls", { body });
    await send(backend, "POST /calls", { body });
    await seconds(backend, 60);
  });
  const [first, second] = [...backend.state.calls.values()].slice(-2).map((call) => call.id);
  expect(events.filter(([, type]) => String(type).startsWith("call."))).toEqual([
    [0, "call.started", { id: first }],
    [60, "call.completed", { id: first }],
    [60, "call.started", { id: second }],
  ]);
});

it("a change of the policies is announced before the calls that it starts", async () => {
  const backend = createBackend({ policies: { concurrentCallLimit: 0 } });
  const body = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  await send(backend, "POST /calls", { body });
  const before = backend.events.lastId;
  backend.updatePolicies({ concurrentCallLimit: 1 });
  const types = backend.events.latest({ after: before }).events.map(({ type }) => type);
  expect(types).toEqual(["policies.changed", "call.started", "timer.set"]);
});

describe("what is coming", () => {
  const { app } = demo.destinations;

  it("has timers, ends of a status and ends of a secret, soonest first", async () => {
    const backend = createBackend();
    await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
    backend.transfers.start({ destinationId: demo.destinations.phone });
    const coming = backend.upcomingTimers().filter(({ id: about }) => about !== demo.members.member);
    expect(coming.map(({ at, kind }) => [new Date(at).toISOString(), kind])).toEqual([
      [ringEnd, "transfer.ring_ends"],
      ["2026-03-02T12:15:00.000Z", "availability.ends"],
      [overlapEnd, "secret.expires"],
    ]);
  });

  it("happens in a step up to its very end, in order, and not again in the next step", async () => {
    const backend = createBackend();
    await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
    backend.transfers.start({ destinationId: demo.destinations.phone });
    const first = await backend.advance({ by: 15 * 60_000 });
    expect(first.map(({ at, type }) => [at, type])).toEqual([
      [ringEnd, "transfer.ring_ended"],
      [ringEnd, "transfer.unanswered"],
      ["2026-03-02T12:15:00.000Z", "availability.ended"],
    ]);
    const second = await backend.advance({ by: overlapMs });
    expect(second.map(({ at, type, id: about }) => [at, type, about])).toEqual([
      ["2026-03-02T13:00:00.000Z", "availability.ended", demo.members.member],
      [overlapEnd, "secret.expired", app],
    ]);
  });
});
