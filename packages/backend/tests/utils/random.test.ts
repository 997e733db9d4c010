import { expect, it } from "vitest";
import { createRandom } from "../../src/utils/random.ts";

it("gives ids in the form of UUID version 4", () => {
  expect(createRandom(1).uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("gives the same sequence for the same seed, also after a reset", () => {
  const [one, two] = [createRandom(7), createRandom(7)];
  const first = [one.uuid(), one.text(8), one.next()];
  expect([two.uuid(), two.text(8), two.next()]).toEqual(first);
  one.reset();
  expect([one.uuid(), one.text(8), one.next()]).toEqual(first);
});

it("gives another sequence for another seed", () => {
  expect(createRandom(1).uuid()).not.toBe(createRandom(2).uuid());
});
