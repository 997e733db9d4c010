import { createBackend, demo, inboxUrl, type Seed } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { describe, expect, it } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { proxyTo, startTarget } from "./target.ts";

const now = "2026-03-02T12:00:00Z";
const groups = "/api/v1/transfers/destination-groups";
const availabilityOf = (memberId: string): string => `/api/v1/transfers/members/${memberId}/availability`;
const reads = [
  "/api/v1/accounts",
  "/api/v1/roles",
  "/api/v1/calls?limit=100",
  ...Object.values(demo.members).slice(0, 5).map(availabilityOf),
];

type Send = (path: string, body?: object, method?: string) => Promise<unknown>;

const sendWith =
  (fetched: typeof fetch, base: string, apiKey: string): Send =>
  async (path, body, method = body === undefined ? "GET" : "POST") => {
    const response = await fetched(base + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return text === "" ? response.status : JSON.parse(text);
  };

/** Runs requests through a proxy to the mock server with its demo data; returns their answers and the recorded seed. */
async function recorded(requests: (send: Send) => Promise<unknown>): Promise<{ seed: Seed; answers: unknown }> {
  const target = await startMockServer({ port: 0, clock: "frozen", now });
  try {
    const proxy = await proxyTo(target.url);
    const answers = await requests(sendWith(fetch, proxy.url, demo.apiKey));
    return { seed: proxy.recordedSeed(), answers };
  } finally {
    await target.close();
  }
}

const all = (paths: readonly string[]) => (send: Send) => Promise.all(paths.map((path) => send(path)));

/** An answer without the names, which are replaced. */
const unnamed = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (field, value) => (field === "name" ? undefined : value)));

describe("the recording of a session", () => {
  it("starts a mock server that answers the same reads", async () => {
    const { seed, answers } = await recorded(all(reads));
    const backend = createBackend({ seed, now });
    const [key] = backend.state.apiKeys.keys();
    const again = await all(reads)(sendWith(backend.fetch, "http://localhost", key ?? ""));
    expect(unnamed(again)).toEqual(unnamed(answers));
    expect(again).not.toEqual(answers);
  });

  it("starts a mock server that takes the same calls, groups and rotations", async () => {
    const { seed } = await recorded(async (send) => {
      await send("/api/v1/calls", {
        flowId: demo.flows.published,
        fromNumber: demo.numbers.working,
        toNumber: demo.recipients.anyone,
        providerId: demo.providers.working,
      });
      await send(groups, {
        name: "Day shift",
        members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }],
      });
      await send(`/api/v1/transfers/destinations/${demo.destinations.app}/rotate-secret`, {});
      await send(`/api/v1/transfers/members/${demo.members.agent}/hours`, undefined, "DELETE");
    });
    const backend = createBackend({ seed, now });
    const [key] = backend.state.apiKeys.keys();
    const send = sendWith(backend.fetch, "http://localhost", key ?? "");
    const [number] = backend.state.numbers.keys();
    const call = {
      flowId: demo.flows.published,
      fromNumber: number,
      toNumber: "+15551234567",
      providerId: demo.providers.working,
    };
    expect(await send("/api/v1/calls", call)).toMatchObject({ type: "initiated" });
    expect(await send(groups, { name: "Other", members: [{ destinationId: demo.destinations.phone }] })).toMatchObject({
      name: "Other",
    });
    expect(
      await send(groups, { name: "Group 1", members: [{ destinationId: demo.destinations.phone }] }),
    ).toMatchObject({ status: 409 });
    expect(await send(`/api/v1/transfers/destinations/${demo.destinations.app}/rotate-secret`, {})).toMatchObject({
      kind: "app",
      config: { url: inboxUrl },
    });
    expect(await send(availabilityOf(demo.members.agent))).toMatchObject({ status: "available" });
  });

  it("has no key, secret, name, phone number or URL of the session", async () => {
    const { seed } = await recorded(async (send) => {
      await all(reads)(send);
      await send("/api/v1/calls", {
        flowId: demo.flows.published,
        fromNumber: demo.numbers.working,
        toNumber: demo.recipients.anyone,
      });
      await send(groups, { name: "Day shift of Ada", members: [{ destinationId: demo.destinations.phone }] });
      await send(`/api/v1/transfers/destinations/${demo.destinations.app}/rotate-secret`, {});
    });
    const text = JSON.stringify(seed);
    const names = [...(demoSeed.accounts ?? []), ...(demoSeed.users ?? []), ...(demoSeed.destinations ?? [])].map(
      ({ name }) => name,
    );
    const secrets = [
      demo.apiKey,
      demo.signingSecret,
      demo.numbers.working,
      demo.recipients.anyone,
      "Ada",
      "4011",
      ...names,
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(seed.destinations).toHaveLength(2);
  });

  it("replaces ids that are not UUIDs by the same UUID everywhere, and leaves out what a seed cannot have", async () => {
    const target = await startTarget((response, { url = "" }) => {
      response.writeHead(200, { "Content-Type": "application/json", "X-Request-Id": "r-1" });
      const call = { direction: "inbound", duration: 3, status: "completed", createdAt: now };
      const calls = {
        calls: [
          { ...call, id: "call-7" },
          { ...call, id: "call-8", createdAt: "yesterday" },
        ],
      };
      const member = { memberId: "m-1", userId: "u-1", status: "away", busy: false, reason: "Dr. Ada is ill" };
      response.end(JSON.stringify(url.includes("/calls") ? calls : member));
    });
    const proxy = await proxyTo(target.url);
    const headers = { authorization: "Bearer eyJhbGciOiJub25lIn0.e30.x", "x-account-id": "acme" };
    for (const path of ["/api/v1/calls", "/api/v1/calls", availabilityOf("m-1")])
      await (await fetch(proxy.url + path, { headers })).arrayBuffer();
    const seed = proxy.recordedSeed();
    const [accountId] = (seed.accounts ?? []).map(({ id }) => id);
    expect(seed.calls).toMatchObject([{ accountId, direction: "inbound", duration: 3 }]);
    expect(seed.members).toMatchObject([
      { accountId, userId: seed.users?.[0]?.id, availability: { status: "away", reason: null } },
    ]);
    expect(() => createBackend({ seed })).not.toThrow();
    expect(JSON.stringify(seed)).not.toMatch(/acme|call-7|u-1|Ada/);
  });

  it("shows nothing of refused requests", async () => {
    const { seed } = await recorded((send) =>
      send("/api/v1/calls", { flowId: "none", fromNumber: "+1555", toNumber: "+1555" }),
    );
    expect(seed).toEqual({});
  });
});
