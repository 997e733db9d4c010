// Processes behind one store, killed and stopped at random: a short run with each kind of store. At night runs with planted
// mistakes show that it can fail. check-crashes.ts has the long run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong, leftOut } from "../../scripts/long.ts";
import { missingPython } from "../../tests/receiving/python.ts";
import { checkPlant, checkStore, shortRun } from "./checks.ts";
import { plantNames, storeOfPlant } from "./plants.ts";
import { storeNames } from "./stores.ts";

const withoutPython = missingPython();
/** With Python the runs below have processes of both languages behind Redis and PostgreSQL. */
const usual = withoutPython === undefined ? ["inbox-pg"] : ["redis", "postgres", "inbox-pg"];
const chosen = storeNames.filter((store) => isLong || usual.includes(store));
if (!isLong) leftOut("runs of Node alone with the other stores, and runs with planted mistakes");

for (const store of chosen) {
  test(`processes that crash or stop lose no event and change no answer: ${store}`, async () => {
    assert.ok(await checkStore({ ...shortRun, store, plant: undefined }), "See the findings above.");
  });
}

if (withoutPython !== undefined) console.log(`${withoutPython} Runs with Python processes are left out.`);
/** Starting Python takes longer, so these runs have fewer deliveries. */
const mixed = { receivers: 3, python: 2, deliveries: isLong ? 600 : 300, leaseMs: 1000, pauseMs: 1000 };
for (const store of withoutPython === undefined ? (["redis", "postgres"] as const) : []) {
  test(`Node and Python processes behind one store lose no event and change no answer: ${store}`, async () => {
    assert.ok(await checkStore({ ...shortRun, ...mixed, store, plant: undefined }), "See the findings above.");
  });
}

for (const plant of isLong ? plantNames : []) {
  test(`a run with crashes finds a planted mistake: ${plant}`, async () => {
    assert.ok(await checkPlant(plant, { ...shortRun, store: storeOfPlant(plant), plant }));
  });
}
