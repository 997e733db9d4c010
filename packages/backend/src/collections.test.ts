import { describe, expect, it } from "vitest";
import { createBackend } from "./backend.ts";
import { asSeed, type CollectionName } from "./collections.ts";
import { demo, demoSeed } from "./demo-seed.ts";
import type { Seed } from "./seed.ts";
import { send } from "./test-client.ts";

const { accountId, members, destinations } = demo;
const newId = "99999999-0000-4000-8000-000000000001";
const names = Object.keys(demoSeed) as CollectionName[];

describe("the state as a seed", () => {
  it("makes a backend that knows the same", () => {
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
  it("that is created takes part at once", async () => {
    const backend = createBackend();
    const created = backend.collections.create("destinations", { id: newId, accountId, name: "New", kind: "app" });
    expect(created).toMatchObject({ id: newId, enabled: true, signingSecret: expect.any(String) });
    const answer = await send(backend, `POST /transfers/destinations/${newId}/rotate-secret`);
    expect(answer.status).toBe(200);
  });

  it("of an API key is found by the id that it was given", () => {
    const { collections } = createBackend();
    const { id } = collections.create("apiKeys", { accountId });
    expect(collections.get("apiKeys", String(id))).toMatchObject({ accountId, role: "owner" });
  });

  it("that is changed keeps what is not mentioned, and loses what is null", async () => {
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

  it("that is changed keeps its place in the list", () => {
    const { collections } = createBackend();
    const before = collections.list("members").map(({ id }) => id);
    collections.update("members", members.admin, { role: "agent" });
    expect(collections.list("members").map(({ id }) => id)).toEqual(before);
  });

  it("of a call that is put in progress ends like any other", async () => {
    const backend = createBackend();
    const startedAt = backend.clock.iso();
    backend.collections.update("calls", demo.calls.failed, { status: "in_progress", startedAt });
    await backend.clock.advance({ by: 60_000 });
    expect(backend.collections.get("calls", demo.calls.failed)).toMatchObject({ status: "completed", duration: 60 });
  });

  it("that nothing refers to can be removed", () => {
    const { collections } = createBackend();
    expect(collections.delete("destinations", destinations.disabled)).toBe(true);
    expect(collections.get("destinations", destinations.disabled)).toBeUndefined();
    expect(collections.delete("destinations", destinations.disabled)).toBe(false);
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
    ["an unknown field", "nmae", (it) => it.update("accounts", accountId, { nmae: "x" })],
    [
      "a value of the wrong form",
      "availability.status",
      (it) => it.update("members", members.agent, { availability: { status: "gone" } }),
    ],
    ["a dangling reference", "userId", (it) => it.update("members", members.agent, { userId: newId })],
    ["a taken id", "id", (it) => it.create("users", { id: demo.users.owner, name: "x" })],
    [
      "a taken name",
      "name",
      (it) =>
        it.create("groups", {
          id: newId,
          accountId,
          name: demo.groupName,
          members: [{ destinationId: destinations.phone }],
        }),
    ],
    [
      "hours that are none",
      "hours.monday[0].to",
      (it) => it.update("members", members.agent, { hours: { monday: [{ from: "10:00", to: "09:00" }] } }),
    ],
    ["another id", "id", (it) => it.update("users", demo.users.owner, { id: newId })],
    [
      "a reference to what is removed",
      "seed.groups[0].members[0].destinationId",
      (it) => it.delete("destinations", destinations.phone),
    ],
  ])("with %s is refused by its field, and nothing changes", (_, field, act) => {
    const { collections, state } = createBackend();
    const before = structuredClone(state);
    expect(() => act(collections)).toThrow(expect.objectContaining({ field }));
    expect(state).toEqual(before);
  });
});
