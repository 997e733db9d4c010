import { createBackend, demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { CallTransfer } from "@call-transfer/sdk";
import { expect, it } from "vitest";
import { sampleCallOf } from "../src/data/records/sample-call.ts";

const { accounts = [], flows = [], numbers = [] } = demoSeed;

it("the sample of the demo data is a call that is placed", async () => {
  const call = sampleCallOf(accounts, flows, numbers);
  if (call === undefined) throw new Error("There is no sample.");
  const client = new CallTransfer({
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    fetch: createBackend().fetch,
  });
  expect((await client.calls.create(call)).type).toBe("initiated");
});

it("records that a placement would refuse, or of another account, are no sample", () => {
  const own = { accountId: "a" };
  const flow = { ...own, id: "f" };
  const number = { ...own, number: "+1" };
  const sample = (one: object, other: object) => sampleCallOf([{ id: "a" }], [{ ...one }], [{ ...other }]);
  expect(sample(flow, number)).toMatchObject({ flowId: "f", fromNumber: "+1" });
  expect(sample({ ...flow, published: false }, number)).toBeUndefined();
  expect(sample({ ...flow, accountId: "b" }, number)).toBeUndefined();
  for (const flag of ["active", "verified", "canInitiateCalls"])
    expect(sample(flow, { ...number, [flag]: false }), flag).toBeUndefined();
});

it("a seed without flows or numbers has no sample", () => {
  expect(sampleCallOf(accounts, [], numbers)).toBeUndefined();
  expect(sampleCallOf(accounts, flows, [])).toBeUndefined();
  expect(sampleCallOf([], flows, numbers)).toBeUndefined();
});
