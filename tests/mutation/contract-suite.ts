// The contract suite as Vitest tests, for StrykerJS: each case is a test of its own, so that a mutant meets only the
// cases that reach it. Outside of mutation runs `npm run test:contract` runs the same cases.
import { cases } from "@call-transfer/contract";
import { expect, it } from "vitest";
import { inProcess } from "../../packages/contract/targets/in-process.ts";

for (const one of cases) {
  it(`${one.noun}: ${one.name}`, async () => {
    await inProcess.run([one], ({ failure }) => expect(failure).toBeUndefined());
  });
}
