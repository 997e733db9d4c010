import { describe, expect, it } from "vitest";
import { assembleBackend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { AnyHandler } from "../../src/http/exchange.ts";
import { callTransferOperations } from "../../src/http/router.ts";
import type { BackendEvent } from "../../src/model/events.ts";
import { problem } from "../../src/utils/problem.ts";
import { overlapEnd, overlapMs, send } from "../test-client.ts";

const { destinations, members } = demo;
const placement = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  providerId: demo.providers.working,
  toNumber: "+14155550199",
};

describe("the request log shows of a request", () => {
  it("the record that it added", async () => {
    const backend = createBackend();
    const body = { name: "Front desk", members: [{ destinationId: destinations.app }] };
    const answer = await send(backend, "POST /transfers/destination-groups", { body });
    expect(backend.requests.list()[0]).toMatchObject({ changeCount: 1 });
    expect(backend.requests.list()[0]).not.toHaveProperty("timerCount");
    const [change, ...others] = backend.requests.get(1)?.changes ?? [];
    expect([change?.collection, change?.before, others]).toEqual(["groups", undefined, []]);
    expect(change?.after).toEqual(expect.objectContaining(answer.body));
  });

  it("the same later as at once, whatever changes meanwhile", async () => {
    const backend = createBackend();
    const body = { name: "Front desk", members: [{ destinationId: destinations.app }] };
    await send(backend, "POST /transfers/destination-groups", { body });
    const [entry, events] = structuredClone([backend.requests.get(1), backend.events.latest()]);
    await send(backend, `POST /transfers/destinations/${destinations.app}/rotate-secret`);
    await send(backend, "POST /transfers/destination-groups", { body: { ...body, name: "Other" } });
    backend.updatePolicies({ sendRetryAfterHeader: false });
    await backend.clock.advance({ by: overlapMs });
    for (const [id, group] of backend.state.groups) backend.state.groups.set(id, { ...group, name: `${group.name} 2` });
    expect(backend.requests.get(1)).toEqual(entry);
    expect(backend.events.latest().events.slice(0, events.events.length)).toEqual(events.events);
  });

  it("the record before and after, with times as text and without secrets", async () => {
    const backend = createBackend();
    await send(backend, `POST /transfers/destinations/${destinations.app}/rotate-secret`);
    const secret = backend.state.destinations.get(destinations.app)?.signingSecret ?? "";
    const [change] = backend.requests.get(1)?.changes ?? [];
    expect(change).toMatchObject({
      collection: "destinations",
      id: destinations.app,
      before: { signingSecret: "[redacted]" },
      after: {
        signingSecret: "[redacted]",
        previousSecret: "[redacted]",
        previousSecretExpiresAt: overlapEnd,
      },
    });
    expect(change?.before).not.toHaveProperty("previousSecret");
    for (const text of [secret, demo.signingSecret])
      expect(JSON.stringify(backend.requests.get(1))).not.toContain(text);
  });

  it("the timers that it set, also in its event", async () => {
    const backend = createBackend();
    const seen: BackendEvent[] = [];
    backend.events.follow((event) => seen.push(event));
    await send(backend, "POST /calls", { body: placement });
    const id = backend.requests.get(1)?.changes?.[0]?.id;
    expect(backend.requests.get(1)).toMatchObject({
      changes: [{ collection: "calls", after: { id, createdAt: "2026-03-02T12:00:00.000Z" } }],
      timers: [{ kind: "call.ends", id, at: expect.stringMatching(/^2026-03-02T12:/) }],
    });
    expect(seen.find(({ type }) => type === "request.completed")).toMatchObject({ changeCount: 1, timerCount: 1 });
  });

  it("what it changed before an exception", async () => {
    const listRoles: AnyHandler = ({ state }) => {
      state.users.delete(demo.users.outsider);
      throw new Error("broken");
    };
    const backend = assembleBackend({}, { table: callTransferOperations, handlers: { listRoles } });
    await send(backend, "GET /roles");
    const name = expect.any(String);
    expect(backend.requests.get(1)?.changes).toEqual([
      { collection: "users", id: demo.users.outsider, before: { id: demo.users.outsider, name } },
    ]);
  });

  it("nothing if it changed nothing or was refused, or if something else made the change", async () => {
    const backend = createBackend();
    await send(backend, "GET /roles");
    await send(backend, "POST /calls", { token: null, body: placement });
    backend.collections.update("members", members.agent, { busy: true });
    for (const { id } of backend.requests.list()) {
      const detail = backend.requests.get(id);
      for (const field of ["changeCount", "timerCount", "changes", "timers"]) expect(detail).not.toHaveProperty(field);
    }
  });

  it("no secret as the id of a record", async () => {
    const listRoles: AnyHandler = ({ state }) => {
      state.apiKeys.delete(demo.foreignApiKey);
      return problem("conflict");
    };
    const backend = assembleBackend({}, { table: callTransferOperations, handlers: { listRoles } });
    await send(backend, "GET /roles");
    const detail = backend.requests.get(1);
    expect(detail?.changes?.[0]?.collection).toBe("apiKeys");
    expect(JSON.stringify(detail)).not.toContain(demo.foreignApiKey);
  });
});
