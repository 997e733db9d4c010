import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const example = new URL("../../examples/app-server.mjs", import.meta.url).href;
const { phone, app } = demo.destinations;
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

/** Transfers a call to a phone and the app. Returns a function that reads the state of the transfer and of the app. */
async function transfer(script: object[] = []) {
  const { id } = await control("POST", "/transfers", { groupId: demo.groups.existing, script });
  return async () => {
    const [{ status, answeredBy, rings }] = (await control("GET", `/transfers?id=${id}`)).transfers;
    const { outcome, lateAnswers, reason } = rings.find(
      (ring: { destinationId: string }) => ring.destinationId === app,
    );
    return { status, answeredBy: answeredBy?.destinationId, outcome, late: lateAnswers?.[0]?.code, reason };
  };
}

/** Makes the app wait with every offer. The returned function takes them. */
function waitToTake(): () => void {
  let take = (): void => {};
  const taken = new Promise<boolean>((resolve) => {
    take = () => resolve(true);
  });
  decide = () => taken;
  return take;
}

/** Waits until a check passes. The limit is long because machines may be slow. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 });

describe("a customer's app server", () => {
  it("gets the call if it takes it first", async () => {
    decide = async () => true;
    const seen = await transfer();
    await eventually(async () =>
      expect(await seen()).toMatchObject({ status: "connected", answeredBy: app, outcome: "answered" }),
    );
  });

  it("loses the call to a phone that answers first", async () => {
    const take = waitToTake();
    const seen = await transfer([{ destinationId: phone, answerAfterSecs: 0.05 }]);
    await eventually(async () => expect(await seen()).toMatchObject({ status: "connected", answeredBy: phone }));
    take();
    await eventually(async () => expect(await seen()).toMatchObject({ outcome: "taken", late: "offer_taken" }));
  });

  it("leaves the call to others if it declines", async () => {
    decide = async () => false;
    const seen = await transfer();
    await eventually(async () => expect(await seen()).toMatchObject({ status: "ringing", outcome: "declined" }));
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
