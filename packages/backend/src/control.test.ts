import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "./backend.ts";
import { demo } from "./demo-seed.ts";
import { send } from "./test-client.ts";

function newBackend(): Backend {
  return createBackend({ controlPlane: true, fetch: async () => new Response() });
}

async function control(backend: Backend, target: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = "GET", path = ""] = target.split(" ");
  const response = await backend.fetch(`http://mock.test/_control/v1${path}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

describe("the control plane", () => {
  it("is not there unless asked for", async () => {
    const response = await createBackend().fetch("http://mock.test/_control/v1/health");
    expect(await response.json()).toMatchObject({ code: "not_found" });
  });

  it("says that it is ready", async () => {
    expect(await control(newBackend(), "GET /health")).toEqual({ status: 200, body: { status: "ok" } });
  });

  it("moves time", async () => {
    const backend = newBackend();
    expect((await control(backend, "PUT /clock", { now: "2026-03-02T10:00:00Z" })).body).toEqual({
      now: "2026-03-02T10:00:00.000Z",
      mode: "frozen",
      pending: 0,
    });
    await control(backend, "POST /clock/advance", { by: 60_000 });
    await control(backend, "POST /clock/advance", { to: "2026-03-02T11:00:00Z" });
    await control(backend, "POST /clock/advance", { nextTimer: true });
    expect((await control(backend, "GET /clock")).body).toMatchObject({ now: "2026-03-02T11:00:00.000Z" });
  });

  it("adds, lists and clears faults", async () => {
    const backend = newBackend();
    const added = await control(backend, "POST /faults", { do: { code: "region_saturated" }, times: 2 });
    expect(added.status).toBe(201);
    expect((await send(backend, "GET /roles")).status).toBe(503);
    expect((await control(backend, "GET /faults")).body).toMatchObject({ faults: [{ id: added.body.id, times: 1 }] });
    expect((await control(backend, "DELETE /faults")).status).toBe(204);
    expect((await send(backend, "GET /roles")).status).toBe(200);
  });

  it("triggers and lists deliveries", async () => {
    const backend = newBackend();
    const delivery = await control(backend, "POST /webhooks/trigger", {
      destinationId: demo.destinations.app,
      callId: "c",
    });
    expect(delivery.body).toMatchObject({ accepted: true, status: 200 });
    expect((await control(backend, "GET /webhooks/deliveries")).body).toEqual({ deliveries: [delivery.body] });
  });

  it("issues credentials", async () => {
    const backend = newBackend();
    const { body: issued } = await control(backend, "POST /auth/api-keys", { scopes: ["roles:read"] });
    expect((await send(backend, "GET /roles", { token: issued.key })).status).toBe(200);
    const { body } = await control(backend, "POST /auth/tokens", { userId: demo.users.agent, expiresInSecs: 5 });
    expect((await send(backend, "GET /accounts", { token: body.token })).status).toBe(200);
  });

  it("seeds and resets", async () => {
    const backend = newBackend();
    const account = { id: "a0000000-0000-4000-8000-00000000000a", name: "New" };
    expect((await control(backend, "POST /seed", { accounts: [account] })).status).toBe(204);
    expect(backend.state.accounts.has(account.id)).toBe(true);
    expect((await control(backend, "POST /reset")).status).toBe(204);
    expect(backend.state.accounts.has(account.id)).toBe(false);
  });

  it("reads and changes policies", async () => {
    const backend = newBackend();
    await control(backend, "PUT /policies", { queuedCallsListed: false });
    expect((await control(backend, "GET /policies")).body).toMatchObject({
      queuedCallsListed: false,
      dailyCallLimit: 10_000,
    });
  });

  it("shows the requests to the API, not those to itself", async () => {
    const backend = newBackend();
    await send(backend, "GET /roles");
    expect((await control(backend, "GET /requests")).body).toMatchObject({ requests: [{ operationId: "listRoles" }] });
  });

  it.each([
    ["PUT /clock", { now: "x" }, "now: "],
    ["PUT /clock", { mood: "frozen" }, "body.mood: "],
    ["POST /clock/advance", { by: "1" }, "body.by: "],
    ["POST /clock/advance", { to: "2020-01-01T00:00:00Z" }, "to: "],
    ["POST /faults", { do: { code: "nope" } }, "fault.do.code: "],
    ["POST /webhooks/trigger", {}, "body.destinationId: "],
    ["POST /webhooks/trigger", { destinationId: "x" }, "destinationId: "],
    ["POST /auth/tokens", { userId: "x" }, "userId: "],
    ["POST /auth/api-keys", { role: "boss" }, "role: "],
    ["POST /seed", { accounts: [{}] }, "seed.accounts[0].id: "],
    ["PUT /policies", { nope: 1 }, "policies.nope: "],
  ])("answers %s with %j by naming the field", async (target, body, field) => {
    const answer = await control(newBackend(), target, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toEqual({ code: "invalid_input", message: expect.stringContaining(field) });
  });

  it("answers a body that is not JSON with 400, and an unknown route with 404", async () => {
    expect((await control(newBackend(), "POST /faults")).status).toBe(400);
    expect((await control(newBackend(), "GET /nothing")).body).toMatchObject({ error: { code: "not_found" } });
  });

  it("refuses other sites", async () => {
    const backend = newBackend();
    expect((await control(backend, "POST /reset", undefined, { origin: "http://evil.test" })).status).toBe(403);
    expect((await control(backend, "POST /reset", undefined, { origin: "http://mock.test" })).status).toBe(204);
  });
});
