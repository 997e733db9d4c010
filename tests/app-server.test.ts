import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const example = new URL("../examples/app-server.mjs", import.meta.url).href;
const { phone, app } = demo.destinations;
interface AppServer {
  readonly url: string;
  close(): Promise<unknown>;
}

let platform: MockServer;
let server: AppServer;
/** What the app makes of an offer; each test says. */
let decide: () => Promise<boolean>;

beforeEach(async () => {
  const { startAppServer }: { startAppServer: (options: object) => Promise<AppServer> } = await import(example);
  server = await startAppServer({ secret: demo.signingSecret, decide: () => decide() });
  platform = await startMockServer({ port: 0, forwardWebhooks: server.url });
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

/** Transfers a call to the group of a phone and the app, and answers how to see what became of the app. */
async function transfer(script: object[] = []) {
  const { id } = await control("POST", "/transfers", { groupId: demo.groups.existing, script });
  return async () => {
    const { status, answeredBy, rings } = await control("GET", `/transfers/${id}`);
    const { outcome, late, reason } = rings.find((ring: { destinationId: string }) => ring.destinationId === app);
    return { status, answeredBy: answeredBy?.destinationId, outcome, late: late?.[0]?.code, reason };
  };
}

/** Lets the app think about every offer, until the function answered takes them. */
function thinking(): () => void {
  let take = (): void => {};
  const taken = new Promise<boolean>((resolve) => {
    take = () => resolve(true);
  });
  decide = () => taken;
  return take;
}

/** Waits until a check holds; how long that takes is the machine's affair. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000 });

describe("a customer's app server", () => {
  it("wins the call when it is the first to take it", async () => {
    decide = async () => true;
    const seen = await transfer();
    await eventually(async () =>
      expect(await seen()).toMatchObject({ status: "connected", answeredBy: app, outcome: "answered" }),
    );
  });

  it("loses the call to a phone that answered while it was deciding", async () => {
    const take = thinking();
    const seen = await transfer([{ destinationId: phone, answerAfterSecs: 0.05 }]);
    await eventually(async () => expect(await seen()).toMatchObject({ status: "connected", answeredBy: phone }));
    take();
    await eventually(async () => expect(await seen()).toMatchObject({ outcome: "taken", late: "offer_taken" }));
  });

  it("misses the call when it takes it after its time is up", async () => {
    await control("PATCH", `/state/groups/${demo.groups.existing}`, { totalTimeoutSecs: 5 });
    const take = thinking();
    const seen = await transfer();
    const { now } = await control("GET", "/clock");
    await control("PUT", "/clock", { now: Date.parse(now) + 6000 });
    await eventually(async () => expect(await seen()).toMatchObject({ status: "unanswered", outcome: "missed" }));
    take();
    await eventually(async () => expect(await seen()).toMatchObject({ late: "offer_expired" }));
  });

  it("leaves the call to others when it does not want it", async () => {
    decide = async () => false;
    const seen = await transfer();
    await eventually(async () => expect(await seen()).toMatchObject({ status: "ringing", outcome: "declined" }));
  });

  it("leaves the call to others when it is down", async () => {
    await server.close();
    const seen = await transfer();
    await eventually(async () =>
      expect(await seen()).toMatchObject({ status: "ringing", outcome: "declined", reason: expect.any(String) }),
    );
  });

  it("leaves the call to others when it is silent for too long", async () => {
    await control("PUT", "/policies", { deliveryTimeoutSecs: 0.1 });
    decide = () => new Promise(() => {});
    const seen = await transfer();
    await eventually(async () => expect(await seen()).toMatchObject({ status: "ringing", outcome: "declined" }));
  });

  it("refuses an offer that somebody else signed", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const answer = await fetch(server.url, {
      method: "POST",
      body: "{}",
      headers: { "Service-Signature": "t=1,v1=00" },
    });
    expect([answer.status, error.mock.calls.length]).toEqual([400, 1]);
  });

  it("is shown in docs/mock-server-webhooks.md as it is", () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
    expect(read("../docs/mock-server-webhooks.md")).toContain(`\n${read("../examples/app-server.mjs")}\`\`\`\n`);
  });
});
