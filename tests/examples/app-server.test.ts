import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const example = new URL("../../examples/app-server.mjs", import.meta.url).href;
interface AppServer {
  readonly url: string;
  close(): Promise<unknown>;
}

let platform: MockServer;
let server: AppServer;
/** Decides whether the app takes an offer; set by each test. */
let decide: () => Promise<boolean>;

beforeEach(async () => {
  const { startAppServer }: { startAppServer: (options: object) => Promise<AppServer> } = await import(example);
  server = await startAppServer({ secret: demo.signingSecret, decide: () => decide() });
  platform = await startMockServer({ port: 0, forwardWebhooksTo: server.url });
});
afterEach(async () => {
  await server.close();
  await platform.close();
});

async function control(method: string, path: string, body?: object) {
  const response = await fetch(`${platform.url}/_control/v1${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Transfers a call to a phone and the app. Returns a function that reads the state of the transfer and of the app's ring. */
async function transfer() {
  const { id } = await control("POST", "/transfers", { groupId: demo.groups.existing });
  return async () => {
    const [{ status, rings }] = (await control("GET", `/transfers?id=${id}`)).transfers;
    const { outcome } = rings.find((ring: { destinationId: string }) => ring.destinationId === demo.destinations.app);
    return { status, outcome };
  };
}

/** Waits until a check passes. The limit is long because machines may be slow. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 });

describe("a customer's app server", () => {
  it("gets the call if it takes it first", async () => {
    decide = async () => true;
    const seen = await transfer();
    await eventually(async () => expect(await seen()).toEqual({ status: "connected", outcome: "answered" }));
  });

  it("leaves the call to others if it declines", async () => {
    decide = async () => false;
    const seen = await transfer();
    await eventually(async () => expect(await seen()).toEqual({ status: "ringing", outcome: "declined" }));
  });

  it("refuses an offer with a wrong signature", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const answer = await fetch(server.url, {
      method: "POST",
      body: "{}",
      headers: { "Service-Signature": "t=1,v1=00" },
    });
    expect([answer.status, error.mock.calls.length]).toEqual([400, 1]);
  });
});
