import { describe, expect, expectTypeOf, it } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import type { CreateCallRequest, CreateDestinationGroupRequest } from "../src/generated/models.gen.ts";
import { clientOf, json } from "./test-server.ts";

type GroupBody = Parameters<CallTransfer["destinationGroups"]["create"]>[0];
type CallBody = Parameters<CallTransfer["calls"]["create"]>[0];

interface Placement {
  flowId: string;
  fromNumber: string;
  toNumber: string;
}

describe("a body", () => {
  it("may be of its exported type", () => {
    expectTypeOf<CreateCallRequest>().toExtend<CallBody>();
    expectTypeOf<CreateDestinationGroupRequest>().toExtend<GroupBody>();
  });

  it("may have a read-only list of read-only items", () => {
    const body = { name: "Front desk", members: [{ destinationId: "d", ringTimeoutSecs: 20 }] } as const;
    expectTypeOf(body).toExtend<GroupBody>();
    expectTypeOf<Omit<GroupBody, "members"> & { members: readonly string[] }>().not.toExtend<GroupBody>();
  });

  it("may have fields without a name, unless it is written on the spot", async () => {
    expectTypeOf<Placement>().toExtend<CallBody>();
    expectTypeOf<Placement & { campaign: string }>().toExtend<CallBody>();
    expectTypeOf<Omit<Placement, "flowId">>().not.toExtend<CallBody>();
    expectTypeOf<Omit<Placement, "flowId"> & { flowId: number }>().not.toExtend<CallBody>();
    const { client, sent } = clientOf([json(201, { callId: "c" }), json(201, { callId: "c" })]);
    const campaign = { flowId: "f", fromNumber: "+15550100", toNumber: "+15550101", campaign: "spring" };
    await client.calls.create(campaign);
    // @ts-expect-error a call has no such field
    await client.calls.create({ flowId: "f", fromNumber: "+15550100", toNumber: "+15550101", campain: "spring" });
    expect(sent.map(({ init }) => String(init.body))).toEqual([
      expect.stringContaining('"campaign":"spring"'),
      expect.stringContaining('"campain":"spring"'),
    ]);
  });
});
