import { describe, expect, it } from "vitest";
import { assembleBackend, type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { callTransferOperations } from "../../src/http/router.ts";
import { send, type TestRequest } from "../test-client.ts";

const groups = "POST /transfers/destination-groups";
const inAccount = { "x-account-id": demo.accountId };

/** The request log entry of the only request. */
async function entryOf(backend: Backend, target: string, request?: TestRequest) {
  await send(backend, target, request);
  return backend.requests.list().at(-1);
}

describe("the request log tells the step that decided:", () => {
  it.each<[string, string, TestRequest, string, string, string]>([
    ["an unknown path", "GET /nothing", {}, "route", "§4", ""],
    ["another method", "PATCH /roles", {}, "route", "§4", ""],
    ["no credential", "GET /roles", { token: null }, "credentials", "§5.4", ""],
    ["an unknown key", "GET /roles", { token: "svc_live_x" }, "credentials", "§5.3", ""],
    ["a foreign account", "GET /roles", { headers: { "x-account-id": "x" } }, "account", "§7.2", ""],
    ["an id", "GET /transfers/members/x/availability", {}, "path", "§7.2", "parameter memberId is not a UUID."],
    ["the query", "GET /calls?limit=x", {}, "query", "§7.1", "limit must be of type number."],
    ["the body", groups, { body: {} }, "body", "§7.1", "name is required; members is required."],
    ["no JSON", groups, { body: "{" }, "body", "§7.1", ""],
    [
      "a conflict",
      groups,
      { body: { name: demo.groupName, members: [{ destinationId: demo.destinations.app }] } },
      "operation",
      "§4.2",
      "The account has a destination group of this name.",
    ],
  ])("%s", async (_, target, request, step, section, detail) => {
    const entry = await entryOf(createBackend(), target, request);
    expect(entry?.decidedBy).toEqual({ step, section, detail: expect.stringContaining(detail) });
  });

  it("a success has no reason", async () => {
    const entry = await entryOf(createBackend(), "GET /roles");
    expect(entry?.decidedBy).toEqual({ step: "operation", section: "§4.5" });
  });

  it("a role", async () => {
    const backend = createBackend();
    const token = await backend.credentials.createAccessToken({ userId: demo.users.agent });
    expect(await entryOf(backend, groups, { token, headers: inAccount, body: {} })).toMatchObject({
      decidedBy: { step: "account", section: "§5.5" },
      caller: { kind: "user", userId: demo.users.agent, role: "agent", accountId: demo.accountId },
    });
  });

  it("the rate limit", async () => {
    const backend = createBackend({ policies: { rateLimit: { requests: 0, windowSecs: 1 } } });
    expect((await entryOf(backend, "GET /roles"))?.decidedBy).toMatchObject({ step: "rate_limit", section: "§8.1" });
  });

  it("a fault that replaces the response, and not one that damages it", async () => {
    const backend = createBackend();
    backend.faults.add({ match: { operationId: "listRoles" }, do: { status: 503 } });
    backend.faults.add({ match: { operationId: "listRoles" }, do: "wrong_content_type" });
    const replaced = await entryOf(backend, "GET /roles");
    expect(replaced?.decidedBy).toEqual({ step: "fault", detail: "The fault fault-1 replaced the response." });
    const damaged = await entryOf(backend, "GET /roles");
    expect([damaged?.fault, damaged?.decidedBy]).toEqual(["fault-2", { step: "operation", section: "§4.5" }]);
  });

  it("an exception of the operation, with the caller", async () => {
    const listRoles = () => {
      throw new Error(`failed with ${demo.apiKey}`);
    };
    const broken = assembleBackend({}, { table: callTransferOperations, handlers: { listRoles } });
    expect(await entryOf(broken, "GET /roles")).toMatchObject({
      decidedBy: { step: "operation", section: "§4.5" },
      caller: { kind: "key" },
      error: expect.stringContaining("failed with [redacted]"),
    });
  });
});

describe("the request log tells the caller:", () => {
  it("of a key the last 4 characters, its role and its account", async () => {
    const entry = await entryOf(createBackend(), "GET /roles");
    expect(entry?.caller).toEqual({ kind: "key", key: "0001", role: "owner", accountId: demo.accountId });
  });

  it("of a refused account its id, without a role", async () => {
    const headers = { "x-account-id": demo.foreignAccountId };
    const entry = await entryOf(createBackend(), "GET /roles", { headers });
    expect(entry?.caller).toEqual({ kind: "key", key: "0001", accountId: demo.foreignAccountId });
  });

  it("without a credential that was sent as the account", async () => {
    const entry = await entryOf(createBackend(), "GET /roles", { headers: { "x-account-id": demo.apiKey } });
    expect(entry?.caller?.accountId).toBe("[redacted]");
  });

  it("nothing if the credential is refused", async () => {
    expect(await entryOf(createBackend(), "GET /roles", { token: "x" })).not.toHaveProperty("caller");
  });
});
