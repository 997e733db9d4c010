// The contract suite with the built packages: the backend as a function, and the mock server over HTTP.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CaseResult, cases } from "@call-transfer/contract";
import { http } from "../../../packages/contract/targets/http.ts";
import { inProcess } from "../../../packages/contract/targets/in-process.ts";

// A row of `check -- runtimes` runs all; `check -- packed` needs one.
for (const target of process.env.MATRIX_NODE === undefined ? [inProcess] : [inProcess, http]) {
  const runs: CaseResult[] = [];
  await target.run(cases, (result) => runs.push(result));
  describe(target.name, () => {
    it("returns a result for each case", () => assert.equal(runs.length, cases.length));
    for (const { resource, name, failure } of runs) it(`${resource}: ${name}`, () => assert.equal(failure, undefined));
  });
}
