import { type BackendEvent, demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatEvent } from "../../src/log/format-event.ts";
import { type MockServer, startMockServer } from "../../src/server/server.ts";

const controlToken = "control-token-0123456789abcdef";
const control = { authorization: `Bearer ${controlToken}` };
const json = { "content-type": "application/json" };

/** What is planted, by kind. Filled before the reads. */
const planted: Record<string, string> = {
  "API key": demo.apiKey,
  "control token": controlToken,
  "query token": "query-token-4711",
  "query token of the control plane": "control-query-4711",
  "password of Basic": "dXNlcjpwYXNzd29yZC00NzEx",
  "response of Digest": "digest-response-4711",
  "credential without a scheme": "bare-credential-4711",
  "unknown scheme": "custom-credential-4711",
  cookie: "session-4711",
  "secret in a body": "secret-in-a-body-4711",
  "secret in a webhook body": "secret-in-a-webhook-4711",
  "secret in a URL": "url-password-4711",
  "token in a URL": "url-token-4711",
};

describe("no credential appears in", () => {
  let server: MockServer;
  const reads: Record<string, string> = {};

  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(server.url + path, init);
    return { response, text: await response.text() };
  };
  const controlled = (path: string, method = "GET", body?: unknown) =>
    call(`/_control/v1${path}`, {
      method,
      headers: { ...control, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    server = await startMockServer({ port: 0, clock: "frozen", controlToken });
    await plant();
    for (const path of [
      "/requests",
      "/requests?unmatched=true",
      "/coverage",
      "/events?limit=2000",
      "/webhooks/deliveries",
    ])
      reads[path] = (await controlled(path)).text;
    const { requests } = JSON.parse(reads["/requests"] ?? "") as { requests: { id: number }[] };
    const details = await Promise.all(requests.map(({ id }) => controlled(`/requests/${id}`)));
    reads["the details of requests"] = details.map(({ text }) => text).join("\n");
    const { events } = JSON.parse(reads["/events?limit=2000"] ?? "") as { events: BackendEvent[] };
    reads["log lines"] = events.map((event) => formatEvent(event, { colour: false }) ?? "").join("\n");
    reads["the stream of events"] = await streamed(events);
  });
  afterAll(() => server.close());

  /** Reads as many events from the stream as the list has. */
  async function streamed(events: readonly BackendEvent[]): Promise<string> {
    const first = events[0]?.eventId ?? "";
    const ending = new AbortController();
    const { body } = await fetch(`${server.url}/_control/v1/events/stream?after=${first.replace(/-\d+$/, "-0")}`, {
      headers: control,
      signal: ending.signal,
    });
    let text = "";
    for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes(`id: ${events.at(-1)?.eventId}\n`)) break;
    }
    ending.abort();
    return text;
  }

  async function plant(): Promise<void> {
    const key = { authorization: `Bearer ${demo.apiKey}` };
    const issued = await controlled("/credentials/access-tokens", "POST", { userId: Object.values(demo.users)[0] });
    expect(issued.text).toContain("token");
    const { token } = JSON.parse(issued.text) as { token: string };
    planted["access token"] = token;
    const { path } = operations.listRoles;
    for (const authorization of [
      ...[`Bearer ${demo.apiKey}`, `bearer ${token}`, `Bearer ${controlToken}`],
      ...[`Basic ${planted["password of Basic"]}`, `Digest username="u", response="${planted["response of Digest"]}"`],
      ...[`${planted["credential without a scheme"]}`, `Custom ${planted["unknown scheme"]}`],
    ])
      await call(path, { headers: { authorization, "x-account-id": demo.accountId } });
    await call(path, { headers: { cookie: `session=${planted.cookie}`, "x-api-key": demo.apiKey } });
    await call(`${path}?token=${planted["query token"]}&access_token=${planted["query token"]}&q=${demo.apiKey}`, {
      headers: key,
    });
    await call(`${path}/${demo.apiKey}/${token}`, { headers: key });
    await call(`/_control/v1/events/stream?token=${planted["query token of the control plane"]}`);
    const secret = planted["secret in a body"];
    const body = { toNumber: "x", secret, nested: { password: secret, apiKey: demo.apiKey, note: `a ${token}` } };
    await call(operations.createCall.path, {
      method: "POST",
      headers: { ...key, ...json },
      body: JSON.stringify(body),
    });
    const rotated = await call(operations.rotateDestinationSecret.path.replace("{id}", demo.destinations.app), {
      method: "POST",
      headers: key,
    });
    planted["signing secret"] = (JSON.parse(rotated.text) as { signingSecret: string }).signingSecret;
    const target = new URL("/hook", server.url);
    target.username = "user";
    target.password = planted["secret in a URL"] ?? "";
    target.searchParams.set("token", planted["token in a URL"] ?? "");
    await controlled(`/records/destinations/${demo.destinations.app}`, "PATCH", { config: { url: target.href } });
    await controlled("/webhooks/trigger", "POST", {
      destinationId: demo.destinations.app,
      note: { secret: planted["secret in a webhook body"] },
    });
    // A request whose origin is not allowed is refused by the server.
    await call(`${path}?token=${planted["query token"]}`, { headers: { ...key, origin: "https://elsewhere.example" } });
  }

  it.each(["/requests", "the details of requests", "/requests?unmatched=true", "/coverage"])(
    "the journal: %s",
    (name) => {
      expect(found(name)).toEqual([]);
    },
  );
  it.each(["/events?limit=2000", "the stream of events"])("the events: %s", (name) => {
    expect(found(name)).toEqual([]);
  });
  it("the log lines", () => expect(found("log lines")).toEqual([]));
  // They show the address and the body as they were sent.
  const asSent = ["secret in a webhook body", "secret in a URL", "token in a URL"];
  it("the deliveries, beside what they sent", () =>
    expect(found("/webhooks/deliveries").filter((kind) => !asSent.includes(kind))).toEqual([]));

  /** The kinds of credentials that a read contains. */
  function found(name: string): string[] {
    const text = reads[name] ?? "";
    expect(text).not.toBe("");
    return Object.entries(planted)
      .filter(([, value]) => text.includes(value))
      .map(([kind]) => kind);
  }
});
