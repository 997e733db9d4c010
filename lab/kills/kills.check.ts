// A mock server that keeps its data is killed while clients write: what `npm run lab -- kills` runs. Planted mistakes show that
// it can fail. check-kills.ts has runs of any length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAccidents, checkKind, checkPlant, usualRun } from "./checks.ts";
import type { PlantName } from "./servers/plants.ts";
import { kindNames } from "./servers/server.ts";

for (const kind of kindNames) {
  test(`a server that is killed at any moment loses no acknowledged write and no offer: ${kind}`, async () => {
    assert.ok(await checkKind({ ...usualRun, kind, minutes: undefined }), "See the findings above.");
  });
}

test("no accident of a data file loses an acknowledged write without a word", async () => {
  assert.ok(await checkAccidents(usualRun.seed), "See the findings above.");
});

const plants = ["dropped-commit", "new-event-ids", "repeated-request-ids"] as const satisfies PlantName[];
for (const plant of plants) {
  test(`a run with kills finds a planted mistake: ${plant}`, async () => {
    assert.ok(await checkPlant(plant, usualRun.seed));
  });
}
