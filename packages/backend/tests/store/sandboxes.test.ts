import { expect, it } from "vitest";
import { memoryStores } from "../../src/conformance.ts";
import type { SandboxStores } from "../../src/model/store.ts";
import { createSandboxes } from "../../src/sandboxes.ts";
import { demo } from "../../src/testing/demo-seed.ts";
import { control } from "../test-client.ts";

const frozenAt = "2031-07-06T05:04:03.000Z";

it("all sandboxes come back with their names, their order, their state and their options", async () => {
  const stores = memoryStores();
  const first = createSandboxes({ stores });
  await control(first, "POST /sandboxes", { name: "team-b", now: frozenAt, policies: { concurrentCallLimit: 2 } });
  await control(first, "POST /sandboxes", { name: "team-a" });
  await control(first, "PUT /policies", { missedCallLimit: 9 }, { "x-sandbox": "team-a" });
  const second = createSandboxes({ stores });
  expect(second.list()).toEqual(["default", "team-b", "team-a"]);
  expect(second.get("team-a")?.policies.missedCallLimit).toBe(9);
  expect(second.get("default")?.isResumed).toBe(true);
  const frozen = second.get("team-b");
  await frozen?.advance({ by: 60_000 });
  frozen?.reset();
  expect([frozen?.clock.iso(), frozen?.policies.concurrentCallLimit]).toEqual([frozenAt, 2]);
});

it("a deleted sandbox stays deleted, and one of its name begins from the start", async () => {
  const stores = memoryStores();
  const first = createSandboxes({ stores });
  const gone = first.create("gone");
  gone.collections.update("accounts", demo.accountId, { name: "Changed" });
  await gone.saved();
  first.delete("gone");
  expect(createSandboxes({ stores }).list()).toEqual(["default"]);
  const again = createSandboxes({ stores }).create("gone");
  expect([again.isResumed, again.state.accounts.get(demo.accountId)?.name]).not.toContain("Changed");
  expect(again.isResumed).toBe(false);
});

it("a sandbox that could not be created is not stored", () => {
  const stores = memoryStores();
  const sandboxes = createSandboxes({ stores });
  expect(() => sandboxes.create("bad", { clockRate: -1 })).toThrow("clockRate");
  expect(stores.list().map(({ name }) => name)).toEqual(["default"]);
});

it("idle sandboxes that are removed are removed from the stores too", async () => {
  const stores = memoryStores();
  let now = 0;
  const wall = { now: () => now, after: () => () => {} };
  const sandboxes = createSandboxes({ stores, wall, sandboxIdleMs: 1000 });
  sandboxes.create("idle");
  now = 2000;
  expect(sandboxes.list()).toEqual(["default"]);
  expect(stores.list().map(({ name }) => name)).toEqual(["default"]);
});

it("ends the use of every store", () => {
  const stores = memoryStores();
  const closed: string[] = [];
  const watched: SandboxStores = {
    ...stores,
    open: (name, options) => ({ ...stores.open(name, options), close: () => void closed.push(name) }),
    close: () => void closed.push("all"),
  };
  const sandboxes = createSandboxes({ stores: watched });
  sandboxes.create("one");
  sandboxes.close();
  expect(closed).toEqual(["default", "one", "all"]);
});
