import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { aCall, connectToMock, connectToPlatform } from "./connect.ts";

describe("the tools of a mock", () => {
  it("move time, so that a call is completed", async () => {
    const { call } = await connectToMock();
    const { data: placed } = await call("create_call", aCall);
    const latest = async () => (await call("list_calls", { limit: 1 })).data.calls;
    expect(await latest()).toMatchObject([{ id: placed.callId, status: "in_progress" }]);
    const { data: moved } = await call("mock_advance_clock", { by: 60_000 });
    expect(moved.effects).toMatchObject([{ type: "call.completed", id: placed.callId }]);
    expect(await latest()).toMatchObject([{ id: placed.callId, status: "completed", duration: 60 }]);
    expect(await call("mock_update_clock", { mode: "running" })).toMatchObject({ data: { mode: "running" } });
    expect(await call("mock_update_clock", { mode: "frozen" })).toMatchObject({ data: { mode: "frozen" } });
  });

  it("make requests fail, show what was asked and decide who answers", async () => {
    const { call } = await connectToMock();
    const { data: added } = await call("mock_add_fault", { text: "listRoles conflict always" });
    expect(await call("mock_list_faults")).toMatchObject({ data: { faults: [{ id: added.id }] } });
    expect(await call("list_roles")).toMatchObject({ isError: true });
    expect(await call("mock_delete_faults", { id: added.id })).toMatchObject({ isError: false });
    expect(await call("list_roles")).toMatchObject({ isError: false });
    const { data: listed } = await call("mock_list_requests", { operationId: "listRoles" });
    expect(listed.requests).toMatchObject([{ status: 409 }, { status: 200 }]);

    const { data: ringing } = await call("mock_start_transfer", { destinationId: demo.destinations.phone });
    expect(ringing).toMatchObject({ status: "ringing" });
    const answer = { id: ringing.id, destinationId: demo.destinations.phone };
    expect(await call("mock_answer_transfer", answer)).toMatchObject({ data: { status: "connected" } });
    expect(await call("mock_decline_transfer", answer)).toMatchObject({ isError: true });
  });

  it("save the state without showing it, and return to it", async () => {
    const { call, backend } = await connectToMock();
    expect(await call("mock_restore_snapshot")).toMatchObject({ isError: true });
    const saved = await call("mock_save_snapshot");
    expect(saved.text).not.toContain(demo.signingSecret);
    await call("create_call", aCall);
    const { size } = backend.state.calls;
    await call("mock_restore_snapshot");
    expect(backend.state.calls.size).toBe(size - 1);
    await call("mock_advance_clock", { by: 1000 });
    await call("mock_reset_sandbox");
    expect(backend.clock.now()).toBe(Date.parse("2026-03-02T12:00:00Z"));
  });

  it("show no key, token or secret", async () => {
    const { call } = await connectToMock();
    const { data } = await call("rotate_destination_secret", { id: demo.destinations.app });
    const rotated = String(data.signingSecret);
    expect(rotated).toMatch(/^\S{20,}$/);
    const texts = [
      await call("mock_list_records", { collection: "apiKeys" }),
      await call("mock_list_records", { collection: "destinations" }),
      await call("mock_get_request", { id: "1" }),
    ];
    for (const { isError, text } of texts) {
      expect(isError).toBe(false);
      expect(text).toContain("[redacted]");
      for (const secret of [demo.apiKey, demo.foreignApiKey, demo.signingSecret, rotated])
        expect(text).not.toContain(secret);
    }
  });

  it("list few entries unless the call says more", async () => {
    const { call } = await connectToMock();
    for (let count = 0; count < 25; count++) await call("list_roles");
    expect((await call("mock_list_requests")).data.requests).toHaveLength(20);
    expect((await call("mock_list_requests", { limit: 24 })).data.requests).toHaveLength(24);
  });

  it("say why the mock refused", async () => {
    const { call } = await connectToMock();
    const answer = await call("mock_add_fault", { text: "createCall explode" });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^The mock refused\. .*explode/) });
    expect((await call("mock_advance_clock", { by: 1, to: 2 })).isError).toBe(true);
  });

  it("do not exist for a real platform", async () => {
    const { tools } = await connectToPlatform({ allowCalls: true, allowChanges: true });
    expect((await tools()).filter(({ name }) => name.startsWith("mock_"))).toEqual([]);
  });

  it("are read-only where they read, and destructive where they discard", async () => {
    const { tools } = await connectToMock();
    const named = (hint: "readOnlyHint" | "destructiveHint") => async () =>
      (await tools()).flatMap(({ name, annotations }) =>
        name.startsWith("mock_") && annotations?.[hint] ? [name.slice("mock_".length)] : [],
      );
    for (const name of await named("readOnlyHint")()) expect(name).toMatch(/^(?:get|list)/);
    expect((await named("destructiveHint")()).sort()).toEqual(["delete_faults", "reset_sandbox", "restore_snapshot"]);
  });
});
