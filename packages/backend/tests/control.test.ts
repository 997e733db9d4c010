import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../src/backend.ts";
import { bodyLimit } from "../src/control/control.ts";
import { demo } from "../src/data/demo-seed.ts";
import { scenarios } from "../src/data/scenarios.ts";
import { controlDocument } from "../src/generated/document.gen.ts";
import { createSandboxRegistry } from "../src/sandboxes.ts";
import { control, ringEnd, send } from "./test-client.ts";

function newBackend(): Backend {
  return createBackend({ controlPlane: true, fetch: async () => new Response() });
}

describe("the control plane", () => {
  it("is off by default", async () => {
    const response = await createBackend().fetch("http://mock.test/_control/v1/health");
    expect(await response.json()).toMatchObject({ code: "not_found" });
  });

  it("serves health, versions and its OpenAPI document", async () => {
    const backend = newBackend();
    const health = { status: "ok", control: "1.0.0", api: "v1" };
    expect(await control(backend, "GET /health")).toEqual({ status: 200, body: health });
    expect((await control(backend, "GET /openapi.json")).body).toEqual(controlDocument());
  });

  it("refuses an unknown query parameter, and says how to select a sandbox", async () => {
    const backend = newBackend();
    const { status, body } = await control(backend, "POST /faults?sandbox=two", { text: "createCall 503" });
    expect([status, body.error.field]).toEqual([400, "sandbox"]);
    expect(body.error.message).toContain("Select a sandbox with the header X-Sandbox");
    expect(backend.faults.list()).toEqual([]);
    const { body: typo } = await control(backend, "GET /requests?statu=200");
    expect(typo.error.message).toBe("statu: is not a query parameter of this operation. Did you mean status?");
  });

  it("refuses to list requests to an unknown operation", async () => {
    const backend = newBackend();
    const message = 'operationId: unknown operation "listRole". Did you mean listRoles?';
    expect((await control(backend, "GET /requests?operationId=listRole")).body.error.message).toBe(message);
  });

  it("refuses a snapshot of another version, and what is no snapshot", async () => {
    const backend = newBackend();
    const { body } = await control(backend, "PUT /snapshot", { ...backend.snapshot(), version: 2 });
    expect(body.error.message).toBe(
      "version: must be 1, not 2. Take the snapshot again, with a server of this version.",
    );
    expect((await control(backend, "PUT /snapshot", { accounts: [] })).body.error.message).toContain("is no snapshot");
  });

  it("adds and lists faults, and deletes one or all", async () => {
    const backend = newBackend();
    const fault = { do: { code: "region_saturated" }, when: { times: 2 } };
    const { status, body } = await control(backend, "POST /faults", fault);
    expect(status).toBe(201);
    expect((await send(backend, "GET /roles")).status).toBe(503);
    expect((await control(backend, "GET /faults")).body).toEqual({
      faults: [{ id: body.id, do: fault.do, when: { nth: 1, times: 1 }, hits: 1 }],
    });
    await control(backend, "POST /faults", fault);
    expect((await control(backend, `DELETE /faults?id=${body.id}`)).status).toBe(204);
    expect((await control(backend, `DELETE /faults?id=${body.id}`)).status).toBe(404);
    expect(backend.faults.list()).toHaveLength(1);
    await control(backend, "POST /faults", fault);
    expect((await control(backend, "DELETE /faults")).status).toBe(204);
    expect((await send(backend, "GET /roles")).status).toBe(200);
  });

  it("lists the text of a fault that was written as one, also after its first step and a snapshot", async () => {
    const backend = newBackend();
    const text = "listRoles 503, pass";
    await control(backend, "POST /faults", { text });
    await control(backend, "POST /faults", { do: { status: 503, body: "x" } });
    const texts = async () =>
      (await control(backend, "GET /faults")).body.faults.map((fault: { text?: string }) => fault.text);
    expect(await texts()).toEqual([text, undefined]);
    await send(backend, "GET /roles");
    backend.restore(backend.snapshot());
    expect(await texts()).toEqual([text, undefined]);
  });

  it("lists no text that has a secret where secrets are left out", async () => {
    const backend = newBackend();
    await control(backend, "POST /faults", { text: `* header "authorization=Bearer ${demo.apiKey}" 503` });
    const { faults } = (await control(backend, "GET /faults?redact=true")).body;
    expect(faults).toMatchObject([{ match: { headers: { authorization: "[redacted]" } } }]);
    expect(JSON.stringify(faults)).not.toContain(demo.apiKey);
  });

  it("describes each scenario in its document, and applies one", async () => {
    const backend = newBackend();
    const { components } = (await control(backend, "GET /openapi.json")).body;
    const { oneOf } = components.schemas.ScenarioName;
    expect(oneOf.map((one: { const: string }) => one.const)).toEqual(Object.keys(scenarios));
    expect(oneOf).toContainEqual({
      const: "queue-full",
      description: "No call may start and none may wait, so each call is refused with queue_full (§8.2).",
    });
    expect((await control(backend, "POST /scenarios/queue-full")).status).toBe(204);
    expect(backend.policies.callQueueLimit).toBe(0);
  });

  it("says which scenarios there are, or what the sandbox lacks", async () => {
    const unknown = await control(newBackend(), "POST /scenarios/queue-fill");
    expect([unknown.status, unknown.body.error]).toEqual([
      400,
      {
        code: "invalid_input",
        message: `name: must be one of ${Object.keys(scenarios).join(", ")}`,
        field: "name",
      },
    ]);
    const lacking = await control(createBackend({ seed: {}, controlPlane: true }), "POST /scenarios/all-members-away");
    expect([lacking.status, lacking.body.error.code, lacking.body.error.field]).toEqual([400, "invalid_input", "name"]);
  });

  it("includes the reason in an internal error", async () => {
    const backend = newBackend();
    backend.state.users.set("broken", null as never);
    const { status, body } = await control(backend, "GET /records/users");
    expect([status, body.error.code]).toEqual([500, "internal_error"]);
    expect(body.error.message).toBe("The control plane failed: Cannot convert undefined or null to object");
  });

  it("seeds and resets", async () => {
    const backend = newBackend();
    const account = { id: "a0000000-0000-4000-8000-00000000000a", name: "New" };
    expect((await control(backend, "POST /seed", { accounts: [account] })).status).toBe(204);
    expect(backend.state.accounts.has(account.id)).toBe(true);
    expect((await control(backend, "POST /reset")).status).toBe(204);
    expect(backend.state.accounts.has(account.id)).toBe(false);
  });

  it("describes each policy, with its value and the assumption that it belongs to", async () => {
    const backend = newBackend();
    backend.updatePolicies({ callDurationSecs: 5 });
    const { policies } = (await control(backend, "GET /policies")).body;
    expect(policies.map(({ name }: { name: string }) => name)).toEqual(Object.keys(backend.policies));
    expect(policies).toContainEqual({
      name: "callDurationSecs",
      description: "The duration of a call, in seconds.",
      assumption: "A-25",
      value: 5,
      default: 60,
      unit: "seconds",
    });
    expect(policies).toContainEqual(
      expect.objectContaining({ name: "secondRotation", default: "replace", choices: ["replace", "reject"] }),
    );
    for (const { description, assumption } of policies) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(assumption).toMatch(/^A-\d+$/);
    }
  });

  it("reads and changes policies", async () => {
    const backend = newBackend();
    const { body } = await control(backend, "PATCH /policies", { includeQueuedCalls: false });
    expect(body.policies).toContainEqual(expect.objectContaining({ name: "includeQueuedCalls", value: false }));
    expect(body.policies).toContainEqual(expect.objectContaining({ name: "dailyCallLimit", value: 10_000 }));
    expect((await control(backend, "GET /policies")).body).toEqual(body);
  });

  it.each([
    ["PATCH /clock", { now: "x" }, "now"],
    ["PATCH /clock", { mood: "frozen" }, "mood"],
    ["POST /clock/advance", { by: "1" }, "by"],
    ["POST /clock/advance", { to: "2020-01-01T00:00:00Z" }, "to"],
    ["POST /faults", { do: { code: "nope" } }, "do.code"],
    ["POST /faults", { do: { code: "conflict" }, when: { nth: 0 } }, "when.nth"],
    ["POST /faults", [], "body"],
    ["POST /faults", { text: "creatCall 503" }, "text"],
    ["POST /faults", { text: "createCall 503", do: "reset" }, "do"],
    ["POST /faults", { text: 503 }, "text"],
    ["POST /faults", { webhooks: {}, match: {}, do: "truncate" }, "webhooks"],
    ["POST /faults", { webhooks: {}, do: { sign: "badly" } }, "do.sign"],
    ["POST /faults", { do: { code: "conflict" }, match: { operationId: "nope" } }, "match.operationId"],
    ["POST /faults", { do: { code: "conflict" }, match: { method: "FOO" } }, "match.method"],
    ["POST /faults", { do: { status: 200, headers: { "Content-Length": "5" } } }, "do.headers.Content-Length"],
    ["POST /faults", { do: { status: 200, headers: { "transfer-encoding": "x" } } }, "do.headers.transfer-encoding"],
    ["POST /webhooks/trigger", {}, "destinationId"],
    ["POST /webhooks/trigger", { destinationId: "x" }, "destinationId"],
    ["PATCH /webhooks/inbox", { response: { status: 99 } }, "response.status"],
    ["PATCH /webhooks/inbox", { received: [{}] }, "received"],
    ["POST /credentials/access-tokens", { userId: "x" }, "userId"],
    ["POST /credentials/access-tokens", {}, "role"],
    ["POST /credentials/access-tokens", { role: "owner", expiresInSecs: 1e300 }, "expiresInSecs"],
    ["POST /credentials/access-tokens", { role: "owner", accountId: demo.users.owner }, "accountId"],
    ["POST /credentials/api-keys", { role: "boss" }, "role"],
    ["POST /seed", { accounts: [{}] }, "accounts[0].id"],
    ["POST /seed", [], "body"],
    ["PATCH /policies", { nope: 1 }, "nope"],
    ["POST /sandboxes", { name: "a", policies: { nope: 1 } }, "policies.nope"],
    ["POST /sandboxes", { name: "a", seed: { accounts: [{}] } }, "seed.accounts[0].id"],
    ["PUT /snapshot", { version: 2, seed: {} }, "version"],
    ["PUT /snapshot", { version: 1, seed: {} }, "now"],
    ["POST /records/destinations", { id: "x" }, "id"],
    ["POST /records/nothing", {}, "collection"],
    ["POST /transfers", {}, "destinationId"],
    ["POST /transfers", { groupId: "x" }, "groupId"],
    ["POST /sandboxes", { name: "B A D" }, "name"],
    ["GET /requests?status=many", undefined, "status"],
    ["DELETE /records/numbers/%zz", undefined, "id"],
  ])("rejects %s with %j and names the field", async (target, body, field) => {
    const answer = await control(createSandboxRegistry().default, target, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toEqual({ code: "invalid_input", message: expect.any(String), field });
  });

  it("rejects the deletion of a record in use with 409 and names what refers to it", async () => {
    const { status, body } = await control(newBackend(), `DELETE /records/users/${demo.users.agent}`);
    expect(status).toBe(409);
    expect(body.error).toEqual({
      code: "conflict",
      field: "id",
      message: `id: is in use: members ${demo.members.agent} (userId) refers to it`,
    });
  });

  it.each([
    "PATCH /records/users/unknown",
    "DELETE /records/users/unknown",
    "POST /transfers/unknown/answer",
    "DELETE /faults?id=unknown",
    "POST /webhooks/deliveries/unknown/redeliver",
  ])("responds to %s with 404", async (target) => {
    const { status, body } = await control(newBackend(), target, {});
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  });

  it.each([
    ["number", `numbers/${demo.numbers.working}`],
    ["encoded number", `numbers/${encodeURIComponent(demo.numbers.working)}`],
    ["encoded contact", `contacts/${encodeURIComponent(`${demo.accountId}:${demo.recipients.doNotCall}`)}`],
  ])("finds a record by its %s in the path", async (_, path) => {
    const [collection, id = ""] = path.split("/").map(decodeURIComponent);
    expect((await control(newBackend(), `PATCH /records/${path}`, {})).status).toBe(200);
    expect(
      (await control(newBackend(), `GET /records/${collection}?id=${encodeURIComponent(id)}`)).body.records,
    ).toHaveLength(1);
  });

  it("responds with 400 to a body that is not JSON, and with 404 to an unknown route", async () => {
    expect((await control(newBackend(), "POST /faults")).status).toBe(400);
    expect((await control(newBackend(), "GET /nothing")).body).toMatchObject({ error: { code: "not_found" } });
    expect((await control(newBackend(), "PUT /faults")).body.error.message).toContain(
      "Allowed methods: GET, HEAD, POST, DELETE.",
    );
  });

  it("answers HEAD as GET without a body, also for a stream", async () => {
    const backend = newBackend();
    for (const path of ["clock", "events/stream", "nothing"]) {
      const answers = ["GET", "HEAD"].map((method) =>
        backend.fetch(`http://mock.test/_control/v1/${path}`, { method }),
      );
      const [got, asked] = await Promise.all(answers);
      expect([asked?.status, asked?.headers.get("content-type")]).toEqual([
        got?.status,
        got?.headers.get("content-type"),
      ]);
      expect(await asked?.text()).toBe("");
      await got?.body?.cancel();
    }
  });

  it("accepts more than 1 MiB only for operations that take a whole state", async () => {
    const backend = newBackend();
    const large = { accounts: [{ id: "a0000000-0000-4000-8000-00000000000a", name: "x".repeat(2 ** 20) }] };
    expect((await control(backend, "POST /seed", large)).status).toBe(204);
    const { body: snapshot } = await control(backend, "GET /snapshot");
    const other = newBackend();
    expect((await control(other, "PUT /snapshot", snapshot)).status).toBe(204);
    expect((await control(other, "GET /snapshot")).body).toEqual(snapshot);
    const sandboxes = createSandboxRegistry({ autoSandboxes: true }).default;
    expect((await control(sandboxes, "POST /sandboxes", { name: "large", seed: snapshot.seed })).status).toBe(201);
    const { body } = await control(backend, "PATCH /policies", { note: "x".repeat(2 ** 20) });
    expect(body.error).toMatchObject({
      code: "bad_request",
      message: "The request body exceeds 1 MiB. Send a smaller one.",
    });
  });

  it.each([
    ["PUT /_control/v1/snapshot", 64],
    ["POST /_sandbox/one/_control/v1/seed", 64],
    ["POST /_control/v1/sandboxes", 64],
    ["POST /_control/v1/snapshot", 1],
    ["PATCH /_control/v1/policies", 1],
    ["POST /api/v1/calls", 1],
    ["PUT /api/v1/_control/v1/snapshot", 1],
  ])("limits the body of %s to %i MiB", (target, mebibytes) => {
    const [method = "", path = ""] = target.split(" ");
    expect(bodyLimit(method, path)).toBe(mebibytes * 2 ** 20);
  });

  it.each([
    ["another origin", { origin: "http://evil.test" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["another site, by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }, 403],
    ["its own origin", { origin: "http://mock.test" }, 204],
  ])("responds to a page of %s (%j) with %i", async (_, headers, status) => {
    expect((await control(newBackend(), "POST /reset", undefined, headers)).status).toBe(status);
  });
});

describe("credentials", () => {
  it.each(["owner", "admin", "member", "agent"])("are issued for the role %s", async (role) => {
    const backend = newBackend();
    const { body } = await control(backend, "POST /credentials/access-tokens", { role });
    expect(body).toMatchObject({ accountId: demo.accountId, accessToken: expect.any(String) });
    const headers = { "x-account-id": body.accountId };
    expect((await send(backend, "GET /roles", { token: body.accessToken, headers })).status).toBe(200);
  });

  it("are issued for a user, with a lifetime", async () => {
    const backend = newBackend();
    const { body } = await control(backend, "POST /credentials/access-tokens", {
      userId: demo.users.agent,
      expiresInSecs: 5,
    });
    expect(body.expiresAt).toBe("2026-03-02T12:00:05.000Z");
    expect((await send(backend, "GET /accounts", { token: body.accessToken })).status).toBe(200);
    await backend.clock.advance({ by: 5000 });
    expect((await send(backend, "GET /accounts", { token: body.accessToken })).body).toMatchObject({
      code: "token_expired",
    });
  });

  it.each([
    ["valid", "listRoles"],
    ["expired", "api_key_expired"],
    ["revoked", "api_key_revoked"],
    ["ip_restricted", "api_key_ip_restricted"],
    ["insufficient_scope", "api_key_insufficient_scope"],
  ])("of an API key can be %s", async (state, seen) => {
    const backend = newBackend();
    const { body } = await control(backend, "POST /credentials/api-keys", { state });
    await send(backend, "GET /roles", { token: body.key });
    const [entry] = backend.requests.list();
    expect(entry?.code ?? entry?.operationId).toBe(seen);
  });
});

describe("the request log's routes", () => {
  it("list the requests to the API, not those to the control plane", async () => {
    const backend = newBackend();
    await send(backend, "GET /roles");
    expect((await control(backend, "GET /requests")).body.requests).toMatchObject([{ operationId: "listRoles" }]);
    expect((await control(backend, "GET /requests?operationId=listCalls")).body).toEqual({ requests: [] });
    expect((await control(backend, "DELETE /requests")).status).toBe(204);
    expect((await control(backend, "GET /requests")).body).toEqual({ requests: [] });
  });

  it("show a request and its response without secrets", async () => {
    const backend = newBackend();
    await send(backend, `POST /transfers/destinations/${demo.destinations.app}/rotate-secret?token=t1`);
    const { body } = await control(backend, "GET /requests/1");
    expect(body.headers.authorization).toBe("Bearer [redacted]");
    expect(body.query).toEqual({ token: "[redacted]" });
    expect(body.responseBody).toMatchObject({ id: demo.destinations.app, signingSecret: "[redacted]" });
    expect(JSON.stringify(body)).not.toContain(backend.state.destinations.get(demo.destinations.app)?.signingSecret);
  });

  it("show the unvalidated request body", async () => {
    const backend = newBackend();
    const sent = { name: "A", members: [{ destinationId: demo.destinations.app, nickname: "x" }] };
    await send(backend, "POST /transfers/destination-groups", { body: sent });
    expect((await control(backend, "GET /requests/1")).body).toMatchObject({ requestBody: sent, status: 201 });
    expect((await control(backend, "GET /requests/2")).status).toBe(404);
  });

  it("list the operations closest to a request that matches none", async () => {
    const backend = newBackend();
    await send(backend, "GET /role");
    const [request] = (await control(backend, "GET /requests?unmatched=true")).body.requests;
    expect(request.closestOperations[0]).toEqual({ operationId: "listRoles", method: "GET", path: "/api/v1/roles" });
  });

  it("count responses by operation and status, documented or not", async () => {
    const backend = newBackend();
    backend.faults.add({ match: { operationId: "listRoles" }, do: { status: 418 } });
    await send(backend, "GET /roles");
    await send(backend, "GET /roles");
    const { body } = await control(backend, "GET /coverage");
    expect(body.operations).toHaveLength(Object.keys(operations).length);
    const roles = body.operations.find((row: { operationId: string }) => row.operationId === "listRoles").statuses;
    expect(roles).toContainEqual({ status: 200, documented: true, count: 1 });
    expect(roles).toContainEqual({ status: 418, documented: false, count: 1 });
    expect(roles).toContainEqual({ status: 403, documented: true, count: 0 });
  });

  it("count responses by error code, over all operations", async () => {
    const backend = newBackend();
    await send(backend, "GET /roles", { token: null });
    await send(backend, "GET /accounts", { token: null });
    backend.faults.add("listRoles region_saturated");
    await send(backend, "GET /roles");
    const { codes } = (await control(backend, "GET /coverage")).body;
    const ofCode = (code: string) => codes.find((row: { code: string }) => row.code === code);
    expect(ofCode("token_missing")).toMatchObject({ status: 401, documented: true, count: 2 });
    expect(ofCode("region_saturated")).toMatchObject({ status: 503, documented: false, count: 1 });
    expect(ofCode("queue_full")).toMatchObject({ documented: true, count: 0, meaning: expect.any(String) });
    expect(ofCode("coupon_not_found")).toBeUndefined();
  });
});

describe("the clock's routes", () => {
  it("read and set time and mode", async () => {
    const backend = newBackend();
    const { body } = await control(backend, "PATCH /clock", { now: "2026-03-02T10:00:00Z" });
    expect(body).toMatchObject({ now: "2026-03-02T10:00:00.000Z", mode: "frozen", pendingTimers: 0 });
    expect((await control(backend, "PATCH /clock", { mode: "running" })).body.mode).toBe("running");
    backend.close();
  });

  it("read and set the rate, which snapshots keep", async () => {
    const backend = newBackend();
    expect((await control(backend, "GET /clock")).body.rate).toBe(1);
    expect((await control(backend, "PATCH /clock", { rate: 60 })).body).toMatchObject({ mode: "frozen", rate: 60 });
    const snapshot = backend.snapshot();
    backend.reset();
    expect(backend.clock.rate).toBe(1);
    backend.restore(snapshot);
    expect(backend.clock.rate).toBe(60);
    expect(() => backend.restore({ ...snapshot, rate: 0 })).toThrow("rate: must be a number above 0");
    expect(await control(backend, "PATCH /clock", { rate: 0 })).toMatchObject({
      status: 400,
      body: { error: { field: "rate" } },
    });
  });

  it("show whom a timer of a ring rings, and how many timers there are", async () => {
    const backend = newBackend();
    const { id } = backend.transfers.start({ destinationId: demo.destinations.availableHumans });
    const { upcomingTimers, upcomingTimerCount } = (await control(backend, "GET /clock")).body;
    const ringIndex = backend.transfers.get(id)?.rings.findIndex(({ outcome }) => outcome === "ringing") ?? -1;
    const { memberId } = backend.transfers.get(id)?.rings[ringIndex] ?? {};
    const [at, kind] = [ringEnd, "transfer.ring_ends"];
    expect(upcomingTimers[0]).toEqual({
      at,
      kind,
      id,
      ringIndex,
      destinationId: demo.destinations.availableHumans,
      memberId,
    });
    expect([upcomingTimers.length, memberId]).toEqual([upcomingTimerCount, expect.any(String)]);
  });

  it("list upcoming timers, and the events of a step in order", async () => {
    const backend = newBackend();
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
    await send(backend, "POST /calls", { body: call });
    const [callId] = [...backend.state.calls.keys()].slice(-1);
    expect((await control(backend, "GET /clock")).body.upcomingTimers).toEqual([
      { at: "2026-03-02T12:01:00.000Z", kind: "call.ends", id: callId },
      { at: "2026-03-02T12:15:00.000Z", kind: "availability.ends", id: demo.members.agent },
      { at: "2026-03-02T13:00:00.000Z", kind: "availability.ends", id: demo.members.member },
    ]);
    const { body } = await control(backend, "POST /clock/advance", { by: 900_000 });
    expect(body).toMatchObject({
      now: "2026-03-02T12:15:00.000Z",
      effects: [
        { at: "2026-03-02T12:01:00.000Z", type: "call.completed", id: callId },
        { at: "2026-03-02T12:15:00.000Z", type: "availability.ended", id: demo.members.agent },
      ],
    });
    expect((await control(backend, "POST /clock/advance", { nextTimer: true })).body).toMatchObject({
      now: "2026-03-02T13:00:00.000Z",
      effects: [{ type: "availability.ended", id: demo.members.member }],
      upcomingTimers: [],
    });
  });
});

describe("webhooks", () => {
  it("are triggered, listed and sent again with a new signature", async () => {
    const backend = newBackend();
    const { body: first } = await control(backend, "POST /webhooks/trigger", {
      destinationId: demo.destinations.app,
      callId: "c",
    });
    expect(first).toMatchObject({ accepted: true, status: 200 });
    await backend.clock.advance({ by: 1000 });
    const { body: second } = await control(backend, `POST /webhooks/deliveries/${first.id}/redeliver`);
    expect(second).toMatchObject({ redeliveryOf: first.id, body: first.body, accepted: true });
    expect(second.headers).not.toEqual(first.headers);
    expect((await control(backend, "GET /webhooks/deliveries")).body).toEqual({ deliveries: [first, second] });
  });

  it("reach the built-in inbox, which responds as configured", async () => {
    const backend = newBackend();
    const { url } = (await control(backend, "GET /webhooks/inbox")).body;
    const path = `/records/destinations/${demo.destinations.app}`;
    expect((await control(backend, `PATCH ${path}`, { config: { url } })).status).toBe(200);
    await control(backend, "PATCH /webhooks/inbox", { response: { status: 503 } });
    const delivery = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    expect(delivery).toMatchObject({ status: 503, accepted: false });
    const { received } = (await control(backend, "GET /webhooks/inbox")).body;
    expect(received).toEqual([{ at: delivery.at, headers: expect.any(Object), body: delivery.body }]);
    expect(received[0].headers["service-signature"]).toBe(delivery.headers["Service-Signature"]);
    await control(backend, "PATCH /webhooks/inbox", { response: {}, received: [] });
    expect((await control(backend, "GET /webhooks/inbox")).body).toEqual({ url, response: {}, received: [] });
  });
});

it.each([
  ["of another scheme", "ftp://example.com/offers"],
  ["without a scheme", "127.0.0.1:4011/offers"],
  ["that is no text", 7],
])("a destination's address %s is refused, and nothing is saved", async (_, url) => {
  const backend = newBackend();
  const record = {
    id: "d0000000-0000-4000-8000-00000000ffff",
    accountId: demo.accountId,
    name: "Front desk",
    kind: "app",
    config: { url },
  };
  const path = "/records/destinations";
  const refused = await Promise.all([
    control(backend, `POST ${path}`, record),
    control(backend, `PATCH ${path}/${demo.destinations.app}`, { config: { url } }),
  ]);
  const message = "config.url: must be an http or https URL, such as http://127.0.0.1:3000/offers";
  for (const { status, body } of refused)
    expect([status, body.error]).toEqual([400, { code: "invalid_input", message, field: "config.url" }]);
  const seeded = await control(backend, "POST /seed", { destinations: [record] });
  expect(seeded.body.error).toMatchObject({ field: "destinations[0].config.url" });
  expect(backend.state.destinations.has(record.id)).toBe(false);
  expect(backend.state.destinations.get(demo.destinations.app)?.config).toEqual({
    url: "http://127.0.0.1:4011/offers",
  });
});

describe("the event stream", () => {
  async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
    const { done, value } = await reader.read();
    return done ? "" : new TextDecoder().decode(value);
  }
  async function open(backend: Backend) {
    const { body } = await backend.fetch("http://mock.test/_control/v1/events/stream");
    if (body === null) throw new Error("no stream");
    const reader = body.getReader();
    expect(await read(reader)).toBe(": connected\n\n");
    return reader;
  }

  it("sends requests, state, policies and deliveries as they happen, and ends with the backend", async () => {
    const backend = newBackend();
    const reader = await open(backend);
    await send(backend, "GET /roles");
    expect(await read(reader)).toMatch(
      /^id: [0-9a-f]{8}-1\ndata: \{.*"type":"request.completed".*"operationId":"listRoles".*\}\n\n$/,
    );
    backend.collections.update("accounts", demo.accountId, { name: "Other" });
    expect(await read(reader)).toContain('"type":"record.changed"');
    backend.updatePolicies({ dailyCallLimit: 5 });
    expect(await read(reader)).toContain('"dailyCallLimit":5');
    await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    backend.close();
    expect((await rest(reader)).map(([, type]) => type)).toEqual(["delivery.started", "delivery.completed"]);
  });

  /** The rest of a stream that has ended, as [id, type]. */
  async function rest(reader: ReadableStreamDefaultReader<Uint8Array>) {
    let text = "";
    for (let part = await read(reader); part !== ""; part = await read(reader)) text += part;
    return [...text.matchAll(/id: (.*)\ndata: (.*)/g)].map(([, id = "", data = ""]) => [id, JSON.parse(data).type]);
  }
  /** Changes a policy this many times. Returns the ids of all events of the backend by their numbers. */
  function change(backend: Backend, times: number): (number: number) => string {
    for (let index = 0; index < times; index += 1) backend.updatePolicies({ dailyCallLimit: index });
    const stream = backend.events.lastId.split("-")[0];
    return (number) => `${stream}-${number}`;
  }
  const readFrom = async (backend: Backend, query: string, headers = {}) => {
    const { body } = await backend.fetch(`http://mock.test/_control/v1/events/stream${query}`, { headers });
    if (body === null) throw new Error("no stream");
    const reader = body.getReader();
    await read(reader);
    backend.close();
    return rest(reader);
  };

  it("goes on after the event that a reader names, by its query or as an EventSource does", async () => {
    for (const how of ["query", "header"]) {
      const backend = newBackend();
      const id = change(backend, 4);
      const after = id(2);
      const events = await (how === "query"
        ? readFrom(backend, `?after=${after}`)
        : readFrom(backend, `?after=${id(1)}`, { "last-event-id": after }));
      expect(events).toEqual([
        [id(3), "policies.changed"],
        [id(4), "policies.changed"],
      ]);
    }
  });

  it("says what is lost to a reader that returns too late, or of another backend", async () => {
    const backend = newBackend();
    const id = change(backend, 2005);
    const late = await readFrom(backend, `?after=${id(3)}`);
    expect([late.length, ...late.slice(0, 2)]).toEqual([2001, [id(5), "stream.gap"], [id(6), "policies.changed"]]);
    const other = newBackend();
    const own = change(other, 1);
    expect(await readFrom(other, `?after=${id(1)}`)).toEqual([
      [own(0), "stream.gap"],
      [own(1), "policies.changed"],
    ]);
    expect(await readFrom(newBackend(), `?after=${id(1)}`)).toEqual([[expect.stringMatching(/-0$/), "stream.gap"]]);
  });

  it("says what is lost to a reader that falls behind", async () => {
    const backend = newBackend();
    const reader = await open(backend);
    const id = change(backend, 2500);
    backend.close();
    const events = await rest(reader);
    expect(events.filter(([, type]) => type === "stream.gap")).toEqual([[id(500), "stream.gap"]]);
    expect(events.at(-1)).toEqual([id(2500), "policies.changed"]);
  });

  it("is also a list of the latest events, with whether it is complete", async () => {
    const backend = newBackend();
    const id = change(backend, 2005);
    const list = async (query: string) => {
      const { events, complete } = (await control(backend, `GET /events${query}`)).body;
      return [events.map(({ eventId }: { eventId: string }) => eventId), complete];
    };
    expect(await list("?limit=2")).toEqual([[id(2004), id(2005)], false]);
    expect((await list(""))[0]).toHaveLength(100);
    expect(await list(`?after=${id(2003)}`)).toEqual([[id(2004), id(2005)], true]);
    expect(await list(`?after=${id(5)}&limit=1`)).toEqual([[id(6)], true]);
    expect(await list(`?after=${id(4)}&limit=1`)).toEqual([[id(6)], false]);
    expect(await list(`?after=${id(2005)}`)).toEqual([[], true]);
    expect(await list(`?after=${id(2006)}&limit=1`)).toEqual([[id(6)], false]);
  });
});

describe("the sandboxes' routes", () => {
  it("create, list and delete", async () => {
    const sandboxes = createSandboxRegistry();
    const { default: backend } = sandboxes;
    expect(await control(backend, "POST /sandboxes", { name: "checkout", policies: { dailyCallLimit: 7 } })).toEqual({
      status: 201,
      body: { name: "checkout", path: "/_sandbox/checkout" },
    });
    expect(sandboxes.get("checkout")?.policies.dailyCallLimit).toBe(7);
    await send(backend, "GET /roles");
    const at = backend.clock.iso();
    const clock = { now: at, mode: "frozen", rate: 1 };
    expect((await control(backend, "GET /sandboxes")).body.sandboxes).toEqual([
      { name: "default", path: "/_sandbox/default", ...clock, requestCount: 1, lastRequestAt: at },
      { name: "checkout", path: "/_sandbox/checkout", ...clock, requestCount: 0 },
    ]);
    expect((await control(backend, "DELETE /sandboxes/checkout")).status).toBe(204);
    expect((await control(backend, "DELETE /sandboxes/checkout")).status).toBe(404);
    expect((await control(backend, "DELETE /sandboxes/default")).status).toBe(400);
  });
});
