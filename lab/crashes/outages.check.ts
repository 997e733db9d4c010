// A store that is busy, restarts, is full, forgets or is replaced: what `npm run lab -- outages` runs. check-outages.ts has runs of
// any length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OutageOptions, type OutageResult, runOutage } from "./outage.ts";
import { eventStoreNames } from "./stores.ts";

const usual = {
  seed: 1,
  times: 1,
  atOnce: 40,
  receivers: 1,
  onStoreError: "handle",
  leaseMs: 2000,
  storeTimeoutMs: 1000,
  hangMs: 1000,
} as const;

const counts = ({ errors: _, seconds: _seconds, ...counted }: OutageResult) => JSON.stringify(counted);

async function passes(options: OutageOptions): Promise<OutageResult> {
  const result = await runOutage(options);
  assert.equal(result.unanswered, 0, counts(result));
  assert.equal(result.acts, options.act === "none" ? 0 : options.times, counts(result));
  assert.equal(result.contradicted, 0, `A receiver gave two answers: ${counts(result)}`);
  return result;
}

for (const store of eventStoreNames) {
  test(`a burst waits for its turn in the receiver, and every event is handled once: ${store}`, async () => {
    // Limits that no slow machine reaches: what would have failed by them shows in the number of steps.
    const limits = { storeTimeoutMs: 60_000, leaseMs: 60_000 } as const;
    const result = await passes({ ...usual, ...limits, store, act: "none", events: 200, atOnce: 200 });
    assert.equal(result.handlings, result.events, counts(result));
    assert.equal(result.stepsAtOnce, 100, counts(result));
    assert.deepEqual([...result.errors], []);
  });
}

for (const store of ["redis"] as const) {
  for (const act of ["restart", "full", "flush"] as const) {
    test(`one receiver gives one answer: ${store}, ${act}`, async () => {
      const result = await passes({ ...usual, store, act, events: 80 });
      assert.equal(result.handledAgain, 0, counts(result));
    });
  }

  test(`two receivers do not contradict themselves over a failover: ${store}`, async () => {
    const options = { receivers: 2, onStoreError: "reject", events: 80 } as const;
    await passes({ ...usual, store, act: "promote", ...options });
  });
}

test("a run finds a receiver that knows nothing without the store", async () => {
  const result = await runOutage({ ...usual, store: "redis", act: "full", events: 80, hangMs: 3000, forgets: true });
  assert.ok(result.contradicted > 0, counts(result));
});
