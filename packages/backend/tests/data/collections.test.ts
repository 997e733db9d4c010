import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { asSeed, type Collections } from "../../src/data/collections.ts";
import { demo, demoSeed } from "../../src/data/demo-seed.ts";
import type { CollectionName, Seed } from "../../src/model/records.ts";
import { InUseError } from "../../src/utils/input-error.ts";
import { send } from "../test-client.ts";

const { accountId, members, destinations } = demo;
const newId = "99999999-0000-4000-8000-000000000001";
const [first, second] = ["99999999-0000-4000-8000-00000000000a", "99999999-0000-4000-8000-00000000000b"] as const;
const names = Object.keys(demoSeed) as CollectionName[];

describe("the state as a seed", () => {
  it("makes a backend with the same state", () => {
    const { state } = createBackend();
    expect(createBackend({ seed: asSeed(state) as Seed }).state).toEqual(state);
  });

  it.each([...names, "roles" as const])("finds each of the %s by its id", (name) => {
    const { collections } = createBackend();
    const records = collections.list(name);
    expect(records.length).toBeGreaterThan(0);
    const idOf = (record: Record<string, unknown>): string =>
      name === "contacts" ? `${record.accountId}:${record.number}` : String(record.id ?? record.number ?? record.role);
    for (const record of records) expect(collections.get(name, idOf(record))).toEqual(record);
    expect(collections.get(name, "nothing")).toBeUndefined();
  });
});

describe("a record", () => {
  it("that is created takes effect at once", async () => {
    const backend = createBackend();
    const created = backend.collections.create("destinations", { id: newId, accountId, name: "New", kind: "app" });
    expect(created).toMatchObject({ id: newId, enabled: true, signingSecret: expect.any(String) });
    const answer = await send(backend, `POST /transfers/destinations/${newId}/rotate-secret`);
    expect(answer.status).toBe(200);
  });

  it("that is changed keeps fields that are absent, and loses fields that are null", async () => {
    const backend = createBackend();
    const changed = backend.collections.update("members", members.agent, {
      hours: null,
      availability: { status: "away", source: "admin" },
    });
    expect(changed).not.toHaveProperty("hours");
    expect(changed).toMatchObject({ role: "agent", availability: { status: "away" } });
    const { body } = await send(backend, `GET /transfers/members/${members.agent}/availability`);
    expect(body).toMatchObject({ status: "away", source: "admin", until: null });
  });

  it("of a call in progress has one end, which moves with its start", async () => {
    const backend = createBackend();
    const id = demo.calls.failed;
    backend.collections.update("calls", id, { status: "in_progress", startedAt: backend.clock.iso() });
    await backend.clock.advance({ by: 30_000 });
    backend.collections.update("calls", id, { startedAt: backend.clock.iso() });
    expect(backend.upcomingTimers().filter((one) => one.id === id)).toHaveLength(1);
    await backend.clock.advance({ by: 59_000 });
    expect(backend.collections.get("calls", id)).toMatchObject({ status: "in_progress" });
    await backend.clock.advance({ by: 1000 });
    expect(backend.collections.get("calls", id)).toMatchObject({ status: "completed", duration: 60 });
  });

  it("of a call in progress that is removed makes room for the next in the queue", () => {
    const call = { accountId, direction: "outbound", duration: 0, createdAt: "2026-03-02T12:00:00Z" };
    const backend = createBackend({ policies: { concurrentCallLimit: 1 } });
    backend.collections.create("calls", { ...call, id: first, status: "in_progress" });
    backend.collections.create("calls", { ...call, id: second, status: "queued" });
    backend.collections.delete("calls", first);
    expect(backend.collections.get("calls", second)).toMatchObject({ status: "in_progress" });
    expect(backend.upcomingTimers().map(({ id }) => id)).not.toContain(first);
  });

  it.each<[string, string, (it: Collections) => unknown]>([
    ["an account", "account", (it) => it.delete("accounts", accountId)],
    ["a user", `members ${members.agent} (userId)`, (it) => it.delete("users", demo.users.agent)],
    [
      "a destination",
      `groups ${demo.groups.existing} (members[0].destinationId)`,
      (it) => it.delete("destinations", destinations.phone),
    ],
    [
      "a destination's account",
      `groups ${demo.groups.existing} (members[0].destinationId)`,
      (it) => it.update("destinations", destinations.phone, { accountId: demo.foreignAccountId }),
    ],
    ["a built-in role", "is built in", (it) => it.delete("roles", "agent")],
  ])("that is in use stays: %s, naming what refers to it", (_, name, act) => {
    const { collections, state } = createBackend();
    const before = asSeed(state);
    expect(() => act(collections)).toThrow(InUseError);
    expect(() => act(collections)).toThrow(name);
    expect(asSeed(state)).toEqual(before);
  });

  it("of a destination in a group changes all but its account", () => {
    const { collections } = createBackend();
    const changed = collections.update("destinations", destinations.phone, { accountId, name: "Renamed" });
    expect(changed).toMatchObject({ name: "Renamed" });
  });

  it("of an API key that gets another key has this one alone", async () => {
    const backend = createBackend();
    const { id } = backend.collections.create("apiKeys", { accountId, key: "svc_live_before" });
    backend.collections.update("apiKeys", String(id), { key: "svc_live_after" });
    expect((await send(backend, "GET /roles", { token: "svc_live_before" })).status).toBe(401);
    expect((await send(backend, "GET /roles", { token: "svc_live_after" })).status).toBe(200);
    expect(backend.collections.delete("apiKeys", String(id))).toBe(true);
    expect((await send(backend, "GET /roles", { token: "svc_live_after" })).status).toBe(401);
  });

  it.each([
    ["apiKeys", (list: readonly Record<string, unknown>[]) => String(list[0]?.id)],
    ["contacts", () => `${accountId}:${demo.recipients.doNotCall}`],
    ["numbers", () => demo.numbers.inactive],
    ["groups", () => demo.groups.existing],
  ] as const)("of the %s is removed by its id", (name, pick) => {
    const { collections } = createBackend();
    const before = collections.list(name).length;
    expect(collections.delete(name, pick(collections.list(name)))).toBe(true);
    expect(collections.list(name)).toHaveLength(before - 1);
  });

  it.each<[string, string, (collections: ReturnType<typeof createBackend>["collections"]) => unknown]>([
    [
      "hours that are none",
      "hours.monday[0].to",
      (it) => it.update("members", members.agent, { hours: { monday: [{ from: "10:00", to: "09:00" }] } }),
    ],
    ["another id", "id", (it) => it.update("users", demo.users.owner, { id: newId })],
    ["the role of another", "role", (it) => it.create("roles", { role: "agent", permissions: [] })],
    ["a taken name, though the other comes later", "name", (it) => it.update("groups", first, { name: "Later" })],
  ])("with %s is refused by its field, and nothing changes", (_, field, act) => {
    const { collections, state } = createBackend();
    const group = { accountId, members: [{ destinationId: destinations.phone }] };
    collections.create("groups", { ...group, id: first, name: "First" });
    collections.create("groups", { ...group, id: second, name: "Later" });
    const before = asSeed(state);
    expect(() => act(collections)).toThrow(expect.objectContaining({ field }));
    expect(asSeed(state)).toEqual(before);
  });
});
