import { expect, it } from "vitest";
import { demo } from "../../src/data/demo-seed.ts";
import type { SandboxStorage } from "../../src/model/store.ts";
import { createSandboxRegistry } from "../../src/sandboxes.ts";
import { control } from "../test-client.ts";
import { createMemoryStorage } from "./cases.ts";

const frozenAt = "2031-07-06T05:04:03.000Z";

it("all sandboxes come back with their names, their order, their state and their options", async () => {
  const stores = createMemoryStorage();
  const first = createSandboxRegistry({ stores });
  await control(first, "POST /sandboxes", { name: "team-b", now: frozenAt, policies: { concurrentCallLimit: 2 } });
  await control(first, "POST /sandboxes", { name: "team-a" });
  await control(first, "PATCH /policies", { missedCallLimit: 9 }, { "x-sandbox": "team-a" });
  const second = createSandboxRegistry({ stores });
  expect(second.list()).toEqual(["default", "team-b", "team-a"]);
  expect(second.get("team-a")?.policies.missedCallLimit).toBe(9);
  expect(second.get("default")?.resumed).toBe(true);
  const frozen = second.get("team-b");
  await frozen?.advance({ by: 60_000 });
  frozen?.reset();
  expect([frozen?.clock.iso(), frozen?.policies.concurrentCallLimit]).toEqual([frozenAt, 2]);
});

it("a deleted sandbox stays deleted, and one of its name begins from the start", async () => {
  const stores = createMemoryStorage();
  const first = createSandboxRegistry({ stores });
  const gone = first.create("gone");
  gone.collections.update("accounts", demo.accountId, { name: "Changed" });
  await gone.flush();
  first.delete("gone");
  expect(createSandboxRegistry({ stores }).list()).toEqual(["default"]);
  const again = createSandboxRegistry({ stores }).create("gone");
  expect([again.resumed, again.state.accounts.get(demo.accountId)?.name]).not.toContain("Changed");
  expect(again.resumed).toBe(false);
});

it("a sandbox that could not be created is not stored", () => {
  const stores = createMemoryStorage();
  const sandboxes = createSandboxRegistry({ stores });
  expect(() => sandboxes.create("bad", { clockRate: -1 })).toThrow("clockRate");
  expect(stores.list().map(({ name }) => name)).toEqual(["default"]);
});

/** Stores that refuse some work as long as their disk is full. */
function fillable() {
  const stores = createMemoryStorage();
  let isFull = false;
  const refuse = (): void => {
    if (isFull) throw new Error("the disk is full");
  };
  const watched: SandboxStorage = {
    ...stores,
    open(name, options) {
      if (!stores.list().some((stored) => stored.name === name)) refuse();
      return stores.open(name, options);
    },
    delete(name) {
      refuse();
      stores.delete(name);
    },
  };
  return {
    stores: watched,
    fill(full: boolean) {
      isFull = full;
    },
  };
}

it("a sandbox that could not be deleted stays, and goes on storing", async () => {
  const { stores, fill } = fillable();
  const sandboxes = createSandboxRegistry({ stores });
  sandboxes.create("kept", { policies: { concurrentCallLimit: 2 } });
  fill(true);
  const refused = await control(sandboxes, "DELETE /sandboxes/kept");
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([500, expect.stringContaining("the disk is full")]);
  await control(sandboxes, "PATCH /policies", { missedCallLimit: 9 }, { "x-sandbox": "kept" });
  const { policies } = createSandboxRegistry({ stores }).get("kept") ?? {};
  expect(policies).toMatchObject({ missedCallLimit: 9, concurrentCallLimit: 2 });
  fill(false);
  expect((await control(sandboxes, "DELETE /sandboxes/kept")).status).toBe(204);
  expect(createSandboxRegistry({ stores }).list()).toEqual(["default"]);
});

it("a request that cannot create its sandbox says why", async () => {
  const { stores, fill } = fillable();
  const sandboxes = createSandboxRegistry({ stores, autoSandboxes: true });
  fill(true);
  const { status, body } = await control(sandboxes, "GET /policies", undefined, { "x-sandbox": "new" });
  expect(status).toBe(500);
  expect(JSON.stringify(body)).toContain('Sandbox \\"new\\" could not be created: the disk is full');
});

it("a stored sandbox that cannot be loaded is named, and the clocks of the others stop", async () => {
  const stores = createMemoryStorage();
  const first = createSandboxRegistry({ stores, clockMode: "running" });
  first.default.transfers.start({ destinationId: demo.destinations.phone });
  first.create("newer");
  await first.default.flush();
  first.close();
  stores.open("newer", "{}").commit([{ table: "sandbox", key: "version", text: "2" }]);
  const planned = new Set<() => void>();
  const after = (_: number, task: () => void) => {
    planned.add(task);
    return () => void planned.delete(task);
  };
  const create = () => createSandboxRegistry({ stores, wall: { now: Date.now, after } });
  expect(create).toThrow('Sandbox "newer": The stored sandbox has version 2');
  expect(planned.size).toBe(0);
});

it("ends the use of every store", () => {
  const stores = createMemoryStorage();
  const closed: string[] = [];
  const watched: SandboxStorage = {
    ...stores,
    open: (name, options) => ({ ...stores.open(name, options), close: () => void closed.push(name) }),
    close: () => void closed.push("all"),
  };
  const sandboxes = createSandboxRegistry({ stores: watched });
  sandboxes.create("one");
  sandboxes.close();
  expect(closed).toEqual(["default", "one", "all"]);
});
