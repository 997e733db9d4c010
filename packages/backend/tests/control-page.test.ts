import { limits } from "@call-transfer/spec";
// What a page over the control plane reads: lists in parts, records without secrets, members as people see them.
import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../src/backend.ts";
import { demo } from "../src/data/demo-seed.ts";
import { inboxUrl } from "../src/platform/inbox.ts";
import { control, send } from "./test-client.ts";

const app = demo.destinations.app;

function newBackend(): Backend {
  const backend = createBackend({ controlPlane: true });
  backend.collections.update("destinations", app, { config: { url: inboxUrl } });
  return backend;
}

const eventsSince = (backend: Backend, after: string): readonly unknown[] =>
  backend.events.latest({ after }).events.map(({ type }) => type);

describe("lists in parts", () => {
  it("show the latest requests, or the oldest after a given one", async () => {
    const backend = newBackend();
    for (let count = 0; count < 4; count += 1) await send(backend, "GET /roles");
    const ids = async (query: string) =>
      (await control(backend, `GET /requests?${query}`)).body.requests.map(({ id }: { id: number }) => id);
    expect(await ids("limit=2")).toEqual([3, 4]);
    expect(await ids("after=1&limit=2")).toEqual([2, 3]);
    expect(await ids("after=4&limit=2")).toEqual([]);
  });

  it("show one delivery, the latest ones, or the oldest after a given one", async () => {
    const backend = newBackend();
    for (let count = 0; count < 3; count += 1) await backend.deliveries.trigger({ destinationId: app });
    const sent = backend.deliveries.list();
    const list = async (query: string) => (await control(backend, `GET /webhooks/deliveries?${query}`)).body.deliveries;
    expect(await list("limit=2")).toEqual(sent.slice(1));
    expect(await list(`after=${sent[0]?.id}&limit=1`)).toEqual([sent[1]]);
    expect(await list("after=gone")).toEqual(sent);
    expect(await list(`id=${sent[1]?.id}`)).toEqual([sent[1]]);
    expect(await list("id=gone")).toEqual([]);
  });

  it("show the latest transfers", async () => {
    const backend = newBackend();
    backend.transfers.start({ destinationId: app });
    const latest = backend.transfers.start({ destinationId: app });
    const { transfers } = (await control(backend, "GET /transfers?limit=1")).body;
    expect(transfers.map(({ id }: { id: string }) => id)).toEqual([latest.id]);
  });
});

describe("redaction on request", () => {
  it("leaves the secrets of records out, and keeps hints to tell them apart", async () => {
    const backend = newBackend();
    const secret = String(backend.state.destinations.get(app)?.signingSecret);
    await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
    const shown = async (query: string) =>
      (await control(backend, `GET /records/destinations?id=${app}${query}`)).body.records[0];
    expect(await shown("&redact=true")).toMatchObject({
      signingSecret: "[redacted]",
      previousSecret: "[redacted]",
      previousSecretExpiresAt: expect.any(String),
      signingSecretHint: backend.state.destinations.get(app)?.signingSecret?.slice(-limits.signingSecretHintLength),
    });
    expect((await shown("")).previousSecret).toBe(secret);
    const { records } = (await control(backend, "GET /records/apiKeys?redact=true")).body;
    expect(records[0]).toMatchObject({
      key: "[redacted]",
      keyHint: demo.apiKey.slice(-4),
    });
    expect(JSON.stringify(records)).not.toContain(demo.apiKey);
  });

  it("covers the record that a change returns, and the query and user of an address", async () => {
    const backend = newBackend();
    const config = { url: "https://user:pass@app.test/offers?token=abc" };
    const { body } = await control(backend, `PATCH /records/destinations/${app}?redact=true`, { config });
    expect(body).toMatchObject({ signingSecret: "[redacted]", config: { url: "https://app.test/offers?[redacted]" } });
    const { body: created } = await control(backend, "POST /records/apiKeys?redact=true", {
      accountId: demo.accountId,
    });
    expect(created).toMatchObject({
      key: "[redacted]",
      keyHint: expect.stringMatching(/^.{4}$/),
    });
  });

  it("is not written back as a secret", async () => {
    const backend = newBackend();
    const {
      config: _,
      signingSecretHint: __,
      ...shown
    } = (await control(backend, `GET /records/destinations?id=${app}&redact=true`)).body.records[0];
    const { status, body } = await control(backend, `PATCH /records/destinations/${app}`, shown);
    expect([status, body.error]).toEqual([
      400,
      {
        code: "invalid_input",
        field: "signingSecret",
        message: "signingSecret: contains [redacted]. Leave the field out, so that it stays as it is",
      },
    ]);
  });

  it("leaves signatures and credentials out of deliveries and of the inbox", async () => {
    const backend = newBackend();
    await backend.deliveries.trigger({ destinationId: app, note: demo.apiKey, apiKey: "k" });
    const [sent] = backend.deliveries.list();
    const value = String(sent?.signature?.v1[0]?.value);
    for (const path of ["webhooks/deliveries", "webhooks/inbox"]) {
      const { body } = await control(backend, `GET /${path}?redact=true`);
      const text = JSON.stringify(body);
      expect([text.includes(value), text.includes(demo.apiKey)]).toEqual([false, false]);
      expect(JSON.stringify((await control(backend, `GET /${path}`)).body)).toContain(value);
    }
    const [body] = (await control(backend, `GET /webhooks/deliveries?id=${sent?.id}&redact=true`)).body.deliveries;
    expect(body.signature).toEqual({ t: sent?.signature?.t, v1: [{ value: "[redacted]", secret: "current" }] });
    expect(JSON.parse(body.body)).toMatchObject({ note: "[redacted]", apiKey: "[redacted]", destinationId: app });
  });

  it("hide the queries of the addresses that a fault copies webhooks to", async () => {
    const backend = newBackend();
    const copyTo = ["http://user:word@inbox.invalid/offers?token=hidden-token"];
    await control(backend, "POST /faults", { webhooks: {}, do: { copyTo } });
    const faults = (await control(backend, "GET /faults?redact=true")).body;
    expect((await control(backend, "GET /faults")).body.faults[0].do).toEqual({ copyTo });
    await backend.deliveries.trigger({ destinationId: app });
    const deliveries = (await control(backend, "GET /webhooks/deliveries?redact=true")).body;
    const [added] = backend.events.latest().events.filter(({ type }) => type === "fault.added");
    expect(faults.faults[0].do).toEqual({ copyTo: ["http://inbox.invalid/offers?[redacted]"] });
    expect(JSON.stringify([faults, deliveries, added])).not.toMatch(/hidden-token|user:word/);
  });

  it("leaves credentials out of faults", async () => {
    const backend = newBackend();
    backend.faults.add({ match: { headers: { authorization: `Bearer ${demo.apiKey}` } }, do: "reset" });
    const { body } = await control(backend, "GET /faults?redact=true");
    expect(body.faults).toMatchObject([{ match: { headers: { authorization: "[redacted]" } }, do: "reset", hits: 0 }]);
    expect(JSON.stringify(body)).not.toContain(demo.apiKey);
  });
});

describe("the availability of members", () => {
  const read = async (backend: Backend, memberId: string, query = "") => {
    const { members } = (await control(backend, `GET /members/availability${query}`)).body;
    return members.find((member: { memberId: string }) => member.memberId === memberId);
  };

  it("says whom a transfer would ring, with their name", async () => {
    const backend = createBackend({ controlPlane: true, now: "2026-03-02T12:00:00Z" });
    expect(await read(backend, demo.members.owner)).toEqual({
      memberId: demo.members.owner,
      userId: demo.users.owner,
      name: "Olivia Owner",
      accountId: demo.accountId,
      role: "owner",
      status: "available",
      busy: false,
      source: null,
      reason: null,
      until: null,
      updatedAt: null,
      insideHours: true,
      missedCalls: 0,
      ringable: true,
    });
    expect(await read(backend, demo.members.owner, `?accountId=${demo.foreignAccountId}`)).toBeUndefined();
  });

  it("says why a member does not ring, as the ring of a transfer does", async () => {
    const backend = createBackend({ controlPlane: true, now: "2026-03-02T12:00:00Z" });
    const { members } = demo;
    backend.collections.update("members", members.owner, {
      hours: { timeZone: "Asia/Tokyo", tuesday: [{ from: "09:00", to: "17:00" }] },
    });
    backend.collections.update("members", members.agent, {
      availability: { status: "away", until: "2026-03-02T13:00:00Z" },
    });
    expect(await read(backend, members.owner)).toMatchObject({
      insideHours: false,
      ringable: false,
    });
    const { rings } = backend.transfers.start({ destinationId: demo.destinations.availableHumans });
    for (const { memberId = "", reason } of rings) {
      const { ringable, silentBecause } = await read(backend, memberId);
      expect([ringable, silentBecause]).toEqual([reason === undefined, reason]);
    }
    await backend.clock.advance({ by: 3_600_000 });
    expect(await read(backend, members.agent)).toMatchObject({ status: "available", ringable: true });
  });
});

describe("the events of a page's own changes", () => {
  it("announce what the inbox answers, and that a list is cleared or a seed added", async () => {
    const backend = newBackend();
    const { lastId } = backend.events;
    await control(backend, "PATCH /webhooks/inbox", { response: { status: 500 } });
    expect(backend.events.latest({ after: lastId }).events).toMatchObject([{ type: "inbox.changed", status: 500 }]);
    await control(backend, "PATCH /webhooks/inbox", { received: [] });
    expect(backend.inbox.response).toEqual({ status: 500 });
    await control(backend, "DELETE /requests");
    await control(backend, "POST /seed", {});
    expect(eventsSince(backend, lastId)).toEqual([
      "inbox.changed",
      "inbox.cleared",
      "inbox.changed",
      "requests.cleared",
      "sandbox.seeded",
    ]);
  });
});
