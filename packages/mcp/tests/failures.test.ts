import { demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { aCall, connectToMock, connectToPlatform } from "./connect.ts";

describe("a placement whose answer was lost", () => {
  it("is reported as perhaps placed with the call that it became, and is sent once", async () => {
    const { call, backend } = await connectToMock();
    backend.faults.add("createCall process_then_reset");
    const before = backend.state.calls.size;
    const { isError, text } = await call("create_call", aCall);
    expect(isError).toBe(true);
    expect(text).toContain("Outcome: unknown. The call may have been placed.");
    expect(text).toContain("Do not call create_call again on your own.");
    expect(backend.state.calls.size).toBe(before + 1);
    expect([...backend.state.calls.keys()].filter((id) => text.includes(id))).toHaveLength(1);
    expect(backend.requests.list({ operationId: "createCall" })).toHaveLength(1);
  });
});

describe("an error of the API", () => {
  it("says code, meaning, outcome and what to do", async () => {
    const { call } = await connectToMock();
    const { isError, text } = await call("create_call", { ...aCall, toNumber: demo.recipients.doNotCall });
    expect(isError).toBe(true);
    expect(text.split("\n")).toEqual([
      expect.stringMatching(/^createCall answered 422 contact_on_dnc_list/),
      "Code: contact_on_dnc_list (status 422)",
      "Meaning: The contact is on the do-not-call list.",
      "Outcome: rejected. Nothing was carried out.",
      expect.stringMatching(/^What to do: Do not repeat the call unchanged\./),
    ]);
  });

  it.each([
    ["createCall insufficient_permissions", "It needs the scope calls:write and one of the roles owner, admin"],
    ["createCall api_key_expired", "check the credential"],
    ["createCall conflict", "Read the present state"],
    ["createCall queue_full always", "Wait 1 s before the next call"],
    ["createCall internal_error", "Do not call create_call again on your own"],
  ])("has advice of its own: %s", async (fault, advice) => {
    const { call, backend } = await connectToMock();
    backend.faults.add(fault);
    expect((await call("create_call", aCall)).text).toContain(advice);
  });

  it("names the fields that are wrong", async () => {
    const { call, backend } = await connectToMock();
    backend.faults.add({
      match: { operationId: "createDestinationGroup" },
      do: { code: "validation_failed", errors: [{ field: "members[0].destinationId", code: "required" }] },
    });
    const given = { name: "Front desk", members: [{ destinationId: demo.destinations.phone }] };
    expect((await call("create_destination_group", given)).text).toContain("Field members[0].destinationId: required");
  });

  it("never shows the credential, also when a server repeats it", async () => {
    const answer = async () => Response.json({ code: "forbidden", detail: `no: ${demo.apiKey}` }, { status: 403 });
    const { call } = await connectToPlatform({ client: { fetch: answer } });
    const { text } = await call("list_roles");
    expect(text).toContain("no: [redacted]");
    expect(text).not.toContain(demo.apiKey);
  });
});

describe("other failures", () => {
  it("arguments that do not fit are refused before anything is sent", async () => {
    const { call, backend } = await connectToMock();
    const { isError, text } = await call("create_call", { ...aCall, toNumber: "12" });
    expect(isError).toBe(true);
    expect(text).toContain("toNumber must match pattern");
    expect(backend.requests.list()).toEqual([]);
  });

  it("an argument that the SDK refuses is not sent", async () => {
    const { call, backend } = await connectToMock();
    const { isError, text } = await call("get_member_availability", { memberId: ".." });
    expect(isError).toBe(true);
    expect(text).toContain("Outcome: not sent.");
    expect(backend.requests.list()).toEqual([]);
  });

  it("a server that is not there was not reached", async () => {
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
    };
    const { call } = await connectToPlatform({ allowCalls: true, client: { fetch, maxRetries: 0 } });
    const { isError, text } = await call("create_call", aCall);
    expect(isError).toBe(true);
    expect(text).toContain("Outcome: not sent. Nothing was carried out.");
    expect(text).toContain("Check that the server can be reached");
  });

  it("an answer of a newer platform is no failure, and one of another form says that the call was placed", async () => {
    const answering = (body: object) => ({ fetch: async () => Response.json(body, { status: 201 }) });
    const newer = await connectToPlatform({ allowCalls: true, client: answering({ type: "held", since: 5 }) });
    expect(await newer.call("create_call", aCall)).toMatchObject({ isError: false, data: { type: "held", since: 5 } });
    const other = await connectToPlatform({ allowCalls: true, client: answering({ type: 7 }) });
    const { isError, text } = await other.call("create_call", aCall);
    expect(isError).toBe(true);
    expect(text).toContain("Outcome: applied. The request was carried out");
  });

  it("an answer that nests deeply says that the call was placed", async () => {
    const body = `{"type":"initiated","callId":"c-1","more":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const headers = { "content-type": "application/json" };
    const client = { fetch: async () => new Response(body, { status: 201, headers }) };
    const { call } = await connectToPlatform({ allowCalls: true, client });
    const { isError, text } = await call("create_call", aCall);
    expect(isError).toBe(true);
    expect(text).toContain("the answer nests deeper than 64 levels");
    expect(text).toContain("Outcome: applied. The request was carried out");
  });
});
