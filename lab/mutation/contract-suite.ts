// The contract suite as Vitest tests, one per case, so that StrykerJS runs only the cases that reach a mutant.
// `npm run test:contract` runs the same cases without StrykerJS.
import { cases } from "@call-transfer/contract";
import { expect, it } from "vitest";
import { inProcess } from "../../packages/contract/targets/in-process.ts";

// These wait for real time, and repeat what the SDK's unit tests check.
const slowNouns = ["retries", "broken responses"];

for (const one of cases.filter(({ resource }) => !slowNouns.includes(resource))) {
  it(`${one.resource}: ${one.name}`, async () => {
    await inProcess.run([one], ({ failure }) => expect(failure).toBeUndefined());
  });
}
