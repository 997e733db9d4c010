import { errorCodes } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { type Backend, type BackendOptions, createBackend } from "../../src/backend.ts";
import { formatTransfer } from "../../src/control/webhook-handlers.ts";
import type { CollectionName, Seed } from "../../src/model/records.ts";
import { ringSecs, send } from "../test-client.ts";

const id = (kind: string, index: number): string => `${kind}0000000-0000-4000-8000-00000000000${index}`;
const accountId = id("a", 1);
const [ann, bob, cat] = [id("c", 1), id("c", 2), id("c", 3)] as const;
const [people, desk, hall, app, off] = [id("d", 1), id("d", 2), id("d", 3), id("d", 4), id("d", 5)] as const;
const key = "svc_live_transfers";
const start = "2026-03-02T12:00:00Z";
const appUrl = "http://127.0.0.1:9/offers";

type Member = NonNullable<Seed["members"]>[number];

function seedOf(changes: Readonly<Record<string, Partial<Member>>> = {}): Seed {
  const members = [ann, bob, cat].map((memberId, index) => ({
    id: memberId,
    accountId,
    userId: id("b", index + 1),
    role: "agent" as const,
    ...changes[memberId],
  }));
  return {
    accounts: [{ id: accountId, name: "A" }],
    users: members.map(({ userId }) => ({ id: userId, name: userId })),
    members,
    destinations: [
      { id: people, accountId, name: "People", kind: "available_humans" },
      { id: desk, accountId, name: "Desk", kind: "phone" },
      { id: hall, accountId, name: "Hall", kind: "phone" },
      { id: app, accountId, name: "App", kind: "app", config: { url: appUrl } },
      { id: off, accountId, name: "Off", kind: "phone", enabled: false },
    ],
    apiKeys: [{ accountId, key }],
  };
}

type GroupMember = { destinationId: string; ringTimeoutSecs?: number };

/** A backend with one group of these members. */
function withGroup(members: readonly GroupMember[], options: BackendOptions & { totalTimeoutSecs?: number } = {}) {
  const { totalTimeoutSecs = ringSecs, seed = seedOf(), ...rest } = options;
  const group = { id: id("e", 1), accountId, name: "All", totalTimeoutSecs, members: [...members] };
  return createBackend({ now: start, ...rest, seed: { ...seed, groups: [group] } });
}

const groupId = id("e", 1);
const advance = (backend: Backend, secs: number) => backend.clock.advance({ by: secs * 1000 });
const only = (backend: Backend) => {
  const [transfer] = backend.transfers.list();
  if (transfer === undefined) throw new Error("no transfer");
  return transfer;
};
const outcomes = (backend: Backend) => only(backend).rings.map(({ outcome }) => outcome);
const secsAfterStart = (at: number | undefined) => ((at ?? Number.NaN) - Date.parse(start)) / 1000;
async function availabilityOf(backend: Backend, memberId: string) {
  return (await send(backend, `GET /transfers/members/${memberId}/availability`, { token: key })).body;
}
/** Lets the people miss a number of transfers in a row. */
async function miss(backend: Backend, times: number) {
  for (let index = 0; index < times; index += 1) {
    backend.transfers.start({ destinationId: people });
    await advance(backend, ringSecs);
  }
}

describe("ringing", () => {
  it("of a single destination lasts as long as a group by default", async () => {
    const backend = createBackend({ now: start, seed: seedOf() });
    backend.transfers.start({ destinationId: desk });
    await advance(backend, ringSecs - 1);
    expect(only(backend).status).toBe("ringing");
    await advance(backend, 1);
    expect(only(backend)).toMatchObject({ status: "unanswered", rings: [{ outcome: "missed" }] });
  });

  it("ends with the last ring, before the total when all rings are shorter", async () => {
    const backend = withGroup([
      { destinationId: desk, ringTimeoutSecs: 5 },
      { destinationId: hall, ringTimeoutSecs: 8 },
    ]);
    backend.transfers.start({ groupId });
    await advance(backend, ringSecs);
    expect(only(backend).status).toBe("unanswered");
    expect(secsAfterStart(only(backend).endedAt)).toBe(8);
  });

  it("leaves out destinations that are gone from the group", () => {
    const backend = withGroup([{ destinationId: hall }, { destinationId: desk }]);
    backend.state.destinations.delete(hall);
    expect(backend.transfers.start({ groupId }).rings.map(({ destinationId }) => destinationId)).toEqual([desk]);
  });

  it("rings disabled destinations if the policy allows it", () => {
    const backend = withGroup([{ destinationId: off }], { policies: { ringDisabledDestinations: true } });
    expect(backend.transfers.start({ groupId }).rings).toMatchObject([{ outcome: "ringing" }]);
  });

  it("rings a person once, although two destinations lead to them", () => {
    const seed = seedOf();
    const second = { id: hall, accountId, name: "Same people", kind: "available_humans" as const };
    const destinations = seed.destinations?.map((one) => (one.id === hall ? second : one)) ?? [];
    const backend = withGroup([{ destinationId: hall }, { destinationId: people }], {
      seed: { ...seed, destinations },
    });
    expect(backend.transfers.start({ groupId }).rings.map(({ destinationId }) => destinationId)).toEqual([
      hall,
      hall,
      hall,
    ]);
  });
});

describe("the first to answer", () => {
  it("wins a tie against an app that comes later in ring order, and loses one to an earlier app", async () => {
    for (const [members, winner] of [
      [[desk, app], desk],
      [[app, desk], app],
    ] as const) {
      const backend = withGroup(
        members.map((destinationId) => ({ destinationId })),
        { fetch: async () => new Response() },
      );
      backend.transfers.start({ groupId, script: [{ destinationId: desk, answerAfterSecs: 0 }] });
      await advance(backend, 0);
      expect(formatTransfer(only(backend)).answeredBy).toEqual({ destinationId: winner });
    }
  });

  it("stops ringing elsewhere without a missed call", async () => {
    const backend = createBackend({ now: start, seed: seedOf(), policies: { missedCallLimit: 1 } });
    backend.transfers.start({ destinationId: people, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    backend.transfers.start({ destinationId: people });
    await advance(backend, ringSecs);
    expect(backend.transfers.list()[1]?.rings.map(({ outcome }) => outcome)).toEqual(["busy", "missed", "missed"]);
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available" });
    expect(await availabilityOf(backend, bob)).toMatchObject({ status: "away" });
  });
});

it("an unanswered transfer leaves no timer for the end of its call", async () => {
  const call = {
    id: id("f", 1),
    accountId,
    direction: "inbound",
    duration: 0,
    status: "in_progress",
    createdAt: start,
  };
  const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
  backend.transfers.start({
    destinationId: desk,
    callId: call.id,
    script: [{ destinationId: desk, declineAfterSecs: 3 }],
  });
  await advance(backend, 3);
  expect(backend.upcomingTimers().map(({ kind }) => kind)).toEqual(["call.ends"]);
});

it("the end of a transfer leaves the timers of others", async () => {
  const backend = createBackend({ now: start, seed: seedOf() });
  backend.transfers.start({ destinationId: desk, script: [{ destinationId: desk, declineAfterSecs: 3 }] });
  backend.transfers.start({ destinationId: hall });
  await advance(backend, ringSecs);
  expect(backend.transfers.list().map(({ status }) => status)).toEqual(["unanswered", "unanswered"]);
});

it("timers of a transfer or a call that is gone have no effect", async () => {
  const call = { id: id("f", 1), accountId, direction: "inbound", duration: 0, status: "in_progress" };
  const calls = [call, { ...call, id: id("f", 2) }].map((one) => ({ ...one, createdAt: start }));
  const backend = createBackend({ now: start, seed: { ...seedOf(), calls } });
  const callId = id("f", 1);
  const script = [{ destinationId: desk, answerAfterSecs: 1 }];
  for (const transfer of [{ callId }, { script }, { script: [{ destinationId: desk, declineAfterSecs: 1 }] }])
    backend.transfers.start({ destinationId: desk, ...transfer });
  const answered = backend.transfers.start({ destinationId: desk });
  const answer = backend.transfers.answer(answered.id, { destinationId: desk });
  backend.state.transfers.clear();
  expect(await answer).toBeUndefined();
  backend.state.calls.delete(id("f", 1));
  const failed = { ...backend.state.calls.get(id("f", 2)), status: "failed" };
  backend.state.calls.set(id("f", 2), failed as never);
  await advance(backend, 60);
  expect([...backend.state.calls.values()]).toEqual([failed]);
  expect(backend.transfers.list()).toEqual([]);
});

describe("an app", () => {
  /** A receiver that answers with `status` after `delaySecs` on the backend's clock. */
  function receiver(status: number, delaySecs = 0) {
    const offers: unknown[] = [];
    const world: { backend?: Backend } = {};
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      offers.push(JSON.parse(String(init?.body)));
      if (delaySecs > 0) await world.backend?.clock.sleep(delaySecs * 1000);
      return new Response(null, { status });
    };
    return { offers, fetch, world };
  }

  it("wins by a 2xx response to its signed offer", async () => {
    const { offers, fetch } = receiver(204);
    const backend = withGroup([{ destinationId: desk }, { destinationId: app, ringTimeoutSecs: 20 }], { fetch });
    const { id: transferId } = backend.transfers.start({ groupId });
    await advance(backend, 1);
    expect(outcomes(backend)).toEqual(["taken", "answered"]);
    const [delivery] = backend.deliveries.list();
    expect(delivery?.headers["Service-Signature"]).toMatch(/^t=1772452800,v1=[0-9a-f]{64}$/);
    expect(only(backend).rings[1]?.deliveryId).toBe(delivery?.id);
    expect(offers).toEqual([
      {
        type: "transfer.offer",
        id: delivery?.id,
        createdAt: "2026-03-02T12:00:00.000Z",
        destinationId: app,
        transferId,
        groupId,
        expiresAt: "2026-03-02T12:00:20.000Z",
      },
    ]);
  });

  it("loses to a faster callee", async () => {
    const { fetch, world } = receiver(200, 10);
    const backend = withGroup([{ destinationId: desk }, { destinationId: app }], { fetch });
    world.backend = backend;
    backend.transfers.start({ groupId, script: [{ destinationId: desk, answerAfterSecs: 9 }] });
    await advance(backend, 20);
    expect(outcomes(backend)).toEqual(["answered", "taken"]);
    expect(only(backend).rings[1]?.lateAnswers).toEqual([{ at: Date.parse(start) + 10_000, code: "offer_taken" }]);
  });

  it("that declines after another callee answered changes nothing", async () => {
    const { fetch, world } = receiver(409, 10);
    const backend = withGroup([{ destinationId: desk }, { destinationId: app }], { fetch });
    world.backend = backend;
    backend.transfers.start({ groupId, script: [{ destinationId: desk, answerAfterSecs: 9 }] });
    await advance(backend, 20);
    expect(outcomes(backend)).toEqual(["answered", "taken"]);
    expect(only(backend).rings[1]).not.toHaveProperty("reason");
  });

  it("misses an offer if it accepts too late", async () => {
    const { fetch, world } = receiver(200, ringSecs);
    const backend = withGroup([{ destinationId: app, ringTimeoutSecs: 15 }], { fetch });
    world.backend = backend;
    backend.transfers.start({ groupId });
    await advance(backend, ringSecs);
    expect(only(backend)).toMatchObject({
      status: "unanswered",
      rings: [{ outcome: "missed", lateAnswers: [{ code: "offer_expired" }] }],
    });
  });

  it.each([
    ["a status that accepts nothing", async () => new Response(null, { status: 409 }), "the app answered 409"],
    ["no answer at all", () => Promise.reject(new Error("connection refused")), "connection refused"],
  ])("declines by %s", async (_, fetch, reason) => {
    const backend = withGroup([{ destinationId: app }], { fetch });
    backend.transfers.start({ groupId });
    await advance(backend, 0);
    expect(only(backend)).toMatchObject({ status: "unanswered", rings: [{ outcome: "declined", reason }] });
  });

  it("without an address declines at once, and the others ring on", () => {
    const seed = seedOf();
    const destinations = seed.destinations?.map((one) => (one.id === app ? { ...one, config: {} } : one)) ?? [];
    const backend = withGroup([{ destinationId: app }, { destinationId: desk }], { seed: { ...seed, destinations } });
    backend.transfers.start({ groupId });
    expect(only(backend)).toMatchObject({
      status: "ringing",
      rings: [
        {
          outcome: "declined",
          reason: "config.url: the destination has no http or https address to deliver to",
        },
        { outcome: "ringing" },
      ],
    });
  });

  it("whose url is the inbox's answers on the backend's clock", async () => {
    const backend = createBackend({ now: start, seed: seedOf(), controlPlane: true });
    backend.collections.update("destinations", app, { config: { url: "http://inbox.invalid/offers" } });
    backend.inbox.response = { delaySecs: 3 };
    backend.transfers.start({ destinationId: app });
    await advance(backend, 10);
    expect(secsAfterStart(only(backend).answeredAt)).toBe(3);
  });
});

describe("missed calls", () => {
  it("are shown in the ring of each, with those before", async () => {
    const backend = createBackend({ now: start, seed: seedOf({ [bob]: { busy: true } }) });
    await miss(backend, 4);
    const shown = backend.transfers.list().map((transfer) => {
      const { rings } = formatTransfer(transfer);
      return rings.map(({ memberId, missedCalls }) => [memberId, missedCalls]);
    });
    // After the third, both are away.
    expect(shown.slice(1)).toEqual([
      [
        [ann, 2],
        [bob, undefined],
        [cat, 2],
      ],
      [
        [ann, 3],
        [bob, undefined],
        [cat, 3],
      ],
      [
        [ann, undefined],
        [bob, undefined],
        [cat, undefined],
      ],
    ]);
    expect(() => createBackend().restore(JSON.parse(JSON.stringify(backend.snapshot())))).not.toThrow();
  });

  it("count only for members who rang to the end", async () => {
    const backend = createBackend({
      now: start,
      seed: seedOf({ [bob]: { busy: true } }),
      policies: { missedCallLimit: 1 },
    });
    backend.transfers.start({ destinationId: people, script: [{ memberId: cat, declineAfterSecs: 3 }] });
    await advance(backend, ringSecs);
    const statuses = [...backend.state.members.values()].map(({ availability }) => availability.status);
    expect(statuses).toEqual(["away", "available", "available"]);
  });

  it("change nothing for a member who went away while it rang", async () => {
    const backend = createBackend({ now: start, seed: seedOf(), policies: { missedCallLimit: 1 } });
    backend.transfers.start({ destinationId: people });
    backend.collections.update("members", ann, { availability: { status: "offline", source: "member" } });
    await advance(backend, ringSecs);
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "offline", source: "member", until: null });
  });

  it("do not count if another callee answered", async () => {
    const backend = createBackend({ now: start, seed: seedOf(), policies: { missedCallLimit: 1 } });
    backend.transfers.start({ destinationId: people, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    await advance(backend, ringSecs);
    expect(await availabilityOf(backend, bob)).toMatchObject({ status: "available" });
  });

  it("start again after a manual change", async () => {
    const backend = createBackend({ now: start, seed: seedOf() });
    await miss(backend, 2);
    backend.collections.update("members", ann, { availability: { status: "available", source: "member" } });
    await miss(backend, 1);
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available" });
    expect(await availabilityOf(backend, bob)).toMatchObject({ status: "away" });
  });
});

describe("a transfer of a call", () => {
  const callId = id("f", 1);
  const call = { id: callId, accountId, direction: "inbound", duration: 0, status: "in_progress", createdAt: start };

  it("connects for as long as the call lasts", async () => {
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
    await advance(backend, 20);
    backend.transfers.start({ destinationId: people, callId, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    await advance(backend, 39);
    expect(backend.upcomingTimers().filter(({ kind }) => kind === "transfer.call_ends")).toHaveLength(1);
    expect(await availabilityOf(backend, ann)).toMatchObject({ busy: true });
    await advance(backend, 1);
    expect(await availabilityOf(backend, ann)).toMatchObject({ busy: false });
    expect(backend.state.calls.get(callId)).toMatchObject({ status: "completed", duration: 60 });
  });

  it.each<[string, (backend: Backend) => unknown]>([
    ["is completed", (backend) => backend.collections.update("calls", callId, { status: "completed" })],
    ["is removed", (backend) => backend.collections.delete("calls", callId)],
  ])("ends when the call %s, and the member is free again", async (_, act) => {
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
    backend.transfers.start({ destinationId: people, callId, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    await advance(backend, 20);
    act(backend);
    expect(only(backend)).toMatchObject({ status: "ended", endedAt: Date.parse(start) + 20_000 });
    expect(await availabilityOf(backend, ann)).toMatchObject({ busy: false });
    expect(backend.upcomingTimers()).toEqual([]);
  });

  it("stops ringing without a missed call when the call is completed", async () => {
    const backend = createBackend({
      now: start,
      seed: { ...seedOf(), calls: [call] },
      policies: { missedCallLimit: 1 },
    });
    const { id: transferId } = backend.transfers.start({ destinationId: people, callId });
    backend.collections.update("calls", callId, { status: "completed" });
    expect(only(backend)).toMatchObject({ status: "abandoned", rings: [{ outcome: "abandoned" }, {}, {}] });
    expect(await backend.transfers.answer(transferId, { memberId: ann })).toBe("offer_expired");
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available", busy: false });
  });

  it("lasts longer if the call's start is moved later", async () => {
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
    backend.transfers.start({ destinationId: people, callId, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    await advance(backend, 20);
    backend.collections.update("calls", callId, { startedAt: backend.clock.iso() });
    await advance(backend, 59);
    expect(only(backend).status).toBe("connected");
    await advance(backend, 1);
    expect(only(backend).status).toBe("ended");
  });

  it("shows the end of its own call, not of another", () => {
    const second = { ...call, id: id("f", 2), startedAt: "2026-03-02T11:59:30Z" };
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call, second] } });
    expect(backend.transfers.start({ destinationId: desk, callId }).callEndsAt).toBe(Date.parse(start) + 60_000);
    const { callEndsAt } = backend.transfers.start({ destinationId: desk, callId: second.id });
    expect(callEndsAt).toBe(Date.parse(start) + 30_000);
  });

  it("follows its call while it is under way only, and no other transfer does", async () => {
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
    backend.transfers.start({ destinationId: hall });
    const script = [{ destinationId: desk, declineAfterSecs: 1 }];
    const { id: over } = backend.transfers.start({ destinationId: desk, callId, script });
    await advance(backend, 2);
    const before = backend.transfers.list();
    expect(backend.transfers.get(over)?.status).toBe("unanswered");
    backend.collections.update("calls", callId, { startedAt: backend.clock.iso() });
    expect(backend.transfers.list()).toEqual(before);
  });

  it("ends with its call, also if that call began under another policy", async () => {
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [call] } });
    backend.updatePolicies({ callDurationSecs: 600 });
    backend.transfers.start({ destinationId: people, callId, script: [{ memberId: ann, answerAfterSecs: 5 }] });
    await advance(backend, 60);
    expect([only(backend).status, backend.state.calls.get(callId)?.status]).toEqual(["ended", "completed"]);
  });

  it("shows and offers a ring only until the call ends, if that is first", () => {
    const bodies: string[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      bodies.push(String(init?.body));
      return new Promise(() => {});
    };
    const late = { ...call, startedAt: "2026-03-02T11:59:10Z" };
    const backend = createBackend({ now: start, seed: { ...seedOf(), calls: [late] }, fetch });
    const transfer = backend.transfers.start({ destinationId: app, callId });
    expect(formatTransfer(transfer).rings[0]?.endsAt).toBe("2026-03-02T12:00:10.000Z");
    const offer = JSON.parse(bodies[0] ?? "");
    expect(offer).toMatchObject({ callId, expiresAt: "2026-03-02T12:00:10.000Z" });
    expect(offer).not.toHaveProperty("groupId");
  });

  it("that ends while it rings is abandoned without a missed call", async () => {
    const backend = createBackend({
      now: start,
      seed: { ...seedOf(), calls: [call] },
      policies: { missedCallLimit: 1 },
    });
    await advance(backend, 50);
    backend.transfers.start({ destinationId: people, callId });
    await advance(backend, 10);
    expect(only(backend)).toMatchObject({ status: "abandoned", rings: [{ outcome: "abandoned" }, {}, {}] });
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available" });
  });

  it("that ends at the same instant as a ring has no missed call", async () => {
    const backend = withGroup([{ destinationId: people, ringTimeoutSecs: 10 }], {
      seed: { ...seedOf(), calls: [call] },
      policies: { missedCallLimit: 1 },
    });
    await advance(backend, 50);
    backend.transfers.start({ groupId, callId });
    await advance(backend, 10);
    expect(outcomes(backend)).toEqual(["abandoned", "abandoned", "abandoned"]);
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available" });
  });

  it("that ends after some rings ended unanswered has no missed calls either", async () => {
    const backend = withGroup([{ destinationId: people, ringTimeoutSecs: 5 }, { destinationId: desk }], {
      seed: { ...seedOf(), calls: [call] },
      policies: { missedCallLimit: 1 },
    });
    await advance(backend, 50);
    backend.transfers.start({ groupId, callId });
    await advance(backend, 10);
    expect(outcomes(backend)).toEqual(["missed", "missed", "missed", "abandoned"]);
    expect(await availabilityOf(backend, ann)).toMatchObject({ status: "available" });
  });
});

describe("a record in a transfer under way", () => {
  it.each<[string, CollectionName, string]>([
    ["a member who rings", "members", bob],
    ["a member who talks", "members", ann],
    ["the destination", "destinations", people],
    ["the group", "groups", groupId],
  ])("stays until it is over: %s", async (_, collection, id) => {
    const backend = withGroup([{ destinationId: people }]);
    const memberId = id === ann ? ann : cat;
    const { id: transferId } = backend.transfers.start({ groupId, script: [{ memberId, answerAfterSecs: 5 }] });
    await advance(backend, id === bob ? 0 : 5);
    // A group refers to its destinations, also when they do not ring.
    if (collection === "destinations") backend.state.groups.clear();
    expect(() => backend.collections.delete(collection, id)).toThrow(`transfer ${transferId} is under way with it`);
    await advance(backend, 65);
    expect(only(backend).status).toBe("ended");
    expect(backend.collections.delete(collection, id)).toBe(true);
  });

  it("can be removed if it did not ring", () => {
    const backend = createBackend({ now: start, seed: seedOf({ [bob]: { busy: true } }) });
    backend.transfers.start({ destinationId: people });
    expect(backend.collections.delete("members", bob)).toBe(true);
  });
});

describe("the kept transfers", () => {
  it("are those under way and the latest of the others", () => {
    const backend = createBackend({ now: start, seed: seedOf() });
    const { id: ringing } = backend.transfers.start({ destinationId: desk });
    const script = [{ destinationId: off, answerAfterSecs: 60 }];
    const { id: first } = backend.transfers.start({ destinationId: off, script });
    for (let count = 0; count < 1000; count += 1) backend.transfers.start({ destinationId: off });
    const kept = backend.transfers.list().map(({ id }) => id);
    expect([kept.length, kept.includes(ringing), kept.includes(first)]).toEqual([1000, true, false]);
    expect(backend.upcomingTimers().map(({ id }) => id)).toEqual([ringing]);
  });

  it("are at most a thousand under way", () => {
    const backend = createBackend({ now: start, seed: seedOf() });
    for (let count = 0; count < 1000; count += 1) backend.transfers.start({ destinationId: desk });
    expect(() => backend.transfers.start({ destinationId: desk })).toThrow(/^1000 transfers are under way/);
  });

  it("have at most the latest two hundred late answers per ring", async () => {
    const backend = createBackend({ now: start, seed: seedOf() });
    const { id: transferId } = backend.transfers.start({ destinationId: desk });
    await advance(backend, ringSecs);
    for (let count = 0; count < 201; count += 1) await backend.transfers.answer(transferId, { destinationId: desk });
    expect(only(backend).rings[0]?.lateAnswers).toHaveLength(200);
  });

  it("leave no timers once they are over", async () => {
    const backend = withGroup([{ destinationId: desk }, { destinationId: people }]);
    const script = [
      { memberId: ann, answerAfterSecs: 5 },
      { memberId: bob, declineAfterSecs: 8 },
    ];
    backend.transfers.start({ groupId, script });
    await advance(backend, 5);
    expect(backend.upcomingTimers().map(({ kind }) => kind)).toEqual(["transfer.call_ends"]);
  });
});

describe("an impossible transfer", () => {
  it.each([
    ["of an unknown destination", { destinationId: "x" }, "destinationId: no destination has the id x"],
    ["of an unknown group", { groupId: "x" }, "groupId: no group has the id x"],
    [
      "of two targets",
      { destinationId: desk, groupId },
      "destinationId: give a destinationId or a groupId, and not both",
    ],
    ["of no target", {}, "destinationId: give a destinationId or a groupId, and not both"],
    [
      "of a call that is not in progress",
      { destinationId: desk, callId: "x" },
      "callId: must be a call of the account that is in progress",
    ],
    [
      "with an answer from elsewhere",
      { destinationId: desk, script: [{ destinationId: hall, answerAfterSecs: 1 }] },
      "script[0].destinationId: is not part of the transfer",
    ],
    [
      "with a member's answer from elsewhere",
      { destinationId: desk, script: [{ memberId: ann, answerAfterSecs: 1 }] },
      "script[0].memberId: is not part of the transfer",
    ],
    [
      "with an answer for an app",
      { destinationId: app, script: [{ destinationId: app, answerAfterSecs: 1 }] },
      "script[0].destinationId: an app answers by its HTTP response",
    ],
    [
      "with an answer that names no callee",
      { destinationId: people, script: [{ destinationId: people, answerAfterSecs: 1 }] },
      "script[0].memberId: say which member answers",
    ],
    [
      "with a script that does nothing",
      { destinationId: desk, script: [{ destinationId: desk, answerAfterSecs: 1 }, { destinationId: desk }] },
      "script[1].answerAfterSecs: give answerAfterSecs or declineAfterSecs, and not both",
    ],
    [
      "with a script that does two things",
      { destinationId: desk, script: [{ destinationId: desk, answerAfterSecs: 1, declineAfterSecs: 1 }] },
      "script[0].answerAfterSecs: give answerAfterSecs or declineAfterSecs, and not both",
    ],
  ])("%s is refused with its field, and nothing rings", (_, input, message) => {
    const backend = withGroup([{ destinationId: desk }]);
    expect(() => backend.transfers.start(input)).toThrow(expect.objectContaining({ message }));
    expect(backend.transfers.list()).toEqual([]);
  });
});

it.each([
  ["a destination", { destinationId: hall }, "destinationId"],
  ["a member", { memberId: ann }, "memberId"],
])("%s outside a transfer cannot answer it", async (_, callee, field) => {
  const backend = withGroup([{ destinationId: desk }]);
  const { id: transferId } = backend.transfers.start({ groupId });
  await expect(backend.transfers.answer(transferId, callee)).rejects.toMatchObject({
    field,
    message: expect.stringContaining("is not part of the transfer"),
  });
  expect(outcomes(backend)).toEqual(["ringing"]);
});

describe("the transfers' routes", () => {
  const url = "http://mock.test/_control/v1/transfers";
  const post = (backend: Backend, path: string, body: unknown) =>
    backend.fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("start a transfer, show it and answer it", async () => {
    const backend = withGroup([{ destinationId: desk }, { destinationId: hall }], { controlPlane: true });
    const started = await post(backend, "", { groupId });
    const transfer = (await started.json()) as { id: string };
    expect([started.status, transfer]).toEqual([201, expect.objectContaining({ status: "ringing", groupId })]);
    const picked = await post(backend, `/${transfer.id}/answer`, { destinationId: hall });
    expect(await picked.json()).toMatchObject({ status: "connected", answeredBy: { destinationId: hall } });
    expect(await (await backend.fetch(url)).json()).toMatchObject({ transfers: [{ id: transfer.id }] });
    expect(await (await backend.fetch(`${url}?id=${transfer.id.toUpperCase()}`)).json()).toMatchObject({
      transfers: [{ id: transfer.id, status: "connected" }],
    });
    const late = await post(backend, `/${transfer.id}/answer`, { destinationId: desk });
    expect([late.status, await late.json()]).toEqual([
      409,
      { error: { code: "offer_taken", message: errorCodes.offer_taken.meaning } },
    ]);
    expect(await (await backend.fetch(`${url}?limit=1`)).json()).toMatchObject({ transfers: [{ id: transfer.id }] });
    expect(await (await backend.fetch(`${url}?id=nothing`)).json()).toEqual({ transfers: [] });
  });

  it("decline for one who rings, and for nobody else", async () => {
    const backend = withGroup([{ destinationId: desk }, { destinationId: hall }], { controlPlane: true });
    const { id: transferId } = backend.transfers.start({ groupId });
    const decline = async (destinationId: string, of = transferId) => {
      const answer = await post(backend, `/${of}/decline`, { destinationId });
      const { status, error } = (await answer.json()) as { status?: string; error?: { code: string; field?: string } };
      return [answer.status, status ?? error?.code, ...(error?.field ? [error.field] : [])];
    };
    expect(await decline(desk)).toEqual([200, "ringing"]);
    expect(outcomes(backend)).toEqual(["declined", "ringing"]);
    expect(await decline(desk)).toEqual([409, "conflict"]);
    expect(await decline(off)).toEqual([400, "invalid_input", "destinationId"]);
    expect(await decline(hall)).toEqual([200, "unanswered"]);
    expect(await decline(hall, "nothing")).toEqual([404, "not_found", "id"]);
  });

  it("decline nothing that has stopped ringing by the present time", async () => {
    const backend = withGroup([{ destinationId: desk }], { controlPlane: true });
    const { id: transferId } = backend.transfers.start({ groupId });
    backend.clock.set({ now: "2026-03-02T15:00:00Z" });
    expect((await post(backend, `/${transferId}/decline`, { destinationId: desk })).status).toBe(409);
    expect(outcomes(backend)).toEqual(["missed"]);
  });
});
