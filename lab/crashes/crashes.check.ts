// Processes behind one store, killed and stopped at random: what `npm run lab -- crashes` runs, with each store. Planted mistakes
// show that it can fail. check-crashes.ts has runs of any length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPython } from "../../tests/receiving/python.ts";
import { checkPlant, checkStore, usualRun } from "./checks.ts";
import { plantNames, storeOfPlant } from "./plants.ts";
import { storeNames } from "./stores.ts";

for (const store of storeNames) {
  test(`processes that crash or stop lose no event and change no answer: ${store}`, async () => {
    assert.ok(await checkStore({ ...usualRun, store, plant: undefined }), "See the findings above.");
  });
}

const withoutPython = missingPython();
if (withoutPython !== undefined) console.log(`${withoutPython} Runs with Python processes are left out.`);
/** Starting Python takes longer, so these runs have fewer deliveries. */
const mixed = { receivers: 3, python: 2, deliveries: 600, leaseMs: 1000, pauseMs: 1000 };
for (const store of withoutPython === undefined ? (["redis", "inbox-pg"] as const) : []) {
  test(`Node and Python processes behind one store lose no event and change no answer: ${store}`, async () => {
    assert.ok(await checkStore({ ...usualRun, ...mixed, store, plant: undefined }), "See the findings above.");
  });
}

for (const plant of plantNames) {
  test(`a run with crashes finds a planted mistake: ${plant}`, async () => {
    assert.ok(await checkPlant(plant, { ...usualRun, store: storeOfPlant(plant), plant }));
  });
}
