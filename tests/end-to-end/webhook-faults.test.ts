import { createServer } from "node:http";
import { createBackend, demo, type Fault } from "@call-transfer/backend";
import type { WebhookFaultAction } from "@call-transfer/backend/unstable";
import { startMockServer } from "@call-transfer/mock-server";
import { createWebhookHandler, toNodeHandler, verifyWebhook } from "@call-transfer/sdk/webhooks";
import { describe, expect, it, vi } from "vitest";

const destinationId = demo.destinations.app;
const secret = demo.signingSecret;

/** What `verifyWebhook` says to each delivery of one event, on the backend's clock: the event's id, or the error. */
async function verdicts(action: WebhookFaultAction, change: Readonly<Record<string, unknown>> = {}) {
  const found: string[] = [];
  const backend = createBackend({
    faults: [{ webhooks: {}, do: action }],
    fetch: async (url, init) => {
      const now = () => backend.clock.now();
      const verdict = await verifyWebhook(new Request(url, init), { secret, clock: { now } }).then(
        (event) => String(Reflect.get(event, "id")),
        (error: Error) => error.message,
      );
      found.push(verdict);
      return new Response(null, { status: 500 });
    },
  });
  backend.collections.update("destinations", destinationId, change);
  void backend.deliveries.trigger({ destinationId });
  await backend.advance({ by: 600_000 });
  // Copies that are sent at once are listed in the order in which they were answered.
  const id = backend.deliveries.list().find(({ redeliveryOf }) => redeliveryOf === undefined)?.id;
  return found.map((text) => (text === id ? "genuine" : text));
}

const next = "the secret after the rotation";
const expired = "2026-03-02T11:00:00Z";
const inOverlap = "2026-03-02T13:00:00Z";
const rotated = (previousSecretExpiresAt: string) => ({
  signingSecret: next,
  previousSecret: secret,
  previousSecretExpiresAt,
});

describe("verifyWebhook", () => {
  it.each<[WebhookFaultAction, number]>([
    [{ duplicate: { copies: 3 } }, 3],
    [{ duplicate: { copies: 2, intervalSecs: 300 } }, 2],
    [{ retry: { times: 3, afterSecs: 60 } }, 4],
    ["reorder", 1],
    [{ delaySecs: 300 }, 1],
    [{ signatureAgeSecs: 300 }, 1],
    [{ signatureAgeSecs: -300 }, 1],
    [{ sign: "wrong_first" }, 1],
    [{ sign: "reversed" }, 1],
    [{ copyTo: ["http://127.0.0.1:4012/"] }, 2],
  ])("accepts every delivery under %j", async (action, count) => {
    expect(await verdicts(action)).toEqual(Array(count).fill("genuine"));
  });

  it.each<[WebhookFaultAction]>([[{ duplicate: { copies: 2, intervalSecs: 301 } }]])(
    "refuses the copy that is too old under %j",
    async (action) => {
      expect(await verdicts(action)).toEqual(["genuine", expect.stringMatching(/old|time/)]);
    },
  );

  it.each<[WebhookFaultAction]>([
    [{ delaySecs: 301 }],
    [{ signatureAgeSecs: 301 }],
    [{ signatureAgeSecs: -301 }],
    [{ sign: "none" }],
    [{ sign: "wrong_secret" }],
    [{ sign: "previous_secret" }],
    ["truncate"],
  ])("refuses the delivery under %j", async (action) => {
    expect(await verdicts(action)).toEqual([expect.not.stringMatching(/^genuine$/)]);
  });

  it("with the secret before the rotation accepts what is signed with it alone, also when it has expired", async () => {
    expect(await verdicts({ sign: "previous_secret" }, rotated(inOverlap))).toEqual(["genuine"]);
    expect(await verdicts({ sign: "previous_secret" }, rotated(expired))).toEqual(["genuine"]);
    expect(await verdicts({ sign: "reversed" }, rotated(inOverlap))).toEqual(["genuine"]);
  });
});

/** Starts an app's server that verifies offers. `statuses` are its answers to genuine offers, then 204. */
async function startApp(statuses: number[] = []) {
  const accepted: string[] = [];
  const refused: string[] = [];
  const handle = createWebhookHandler({
    secret,
    onEvent: (event) => {
      accepted.push(String(Reflect.get(event, "id")));
      return new Response(null, { status: statuses.shift() ?? 204 });
    },
    onError: (error) => refused.push(String(error)),
  });
  const server = createServer(toNodeHandler(handle));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    accepted,
    refused,
    url: `http://127.0.0.1:${port}/offers`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

describe("over HTTP", () => {
  /** Plays one offer under a fault that is added over the control plane, until `count` deliveries are over. */
  async function play(fault: (otherUrl: string) => Fault, count = 1, statuses?: number[]) {
    const [app, other] = [await startApp(statuses), await startApp()];
    const platform = await startMockServer({ port: 0 });
    platform.backend.collections.update("destinations", destinationId, { config: { url: app.url } });
    const control = async (path: string, body?: object) => {
      const response = await fetch(`${platform.url}/_control/v1${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/json" },
      });
      return response.json();
    };
    try {
      await control("/faults", fault(other.url));
      const answer = await control("/webhooks/trigger", { destinationId });
      const { deliveries } = await vi.waitFor(
        async () => {
          const listed = await control("/webhooks/deliveries");
          expect(listed.deliveries).toHaveLength(count);
          return listed;
        },
        { timeout: 240_000 },
      );
      return { answer, deliveries, app, other };
    } finally {
      await platform.close();
      await app.close();
      await other.close();
    }
  }

  it("an offer reaches several addresses", async () => {
    const { app, other, deliveries } = await play((url) => ({ webhooks: {}, do: { copyTo: [url] } }), 2);
    expect([app.accepted.length, other.accepted]).toEqual([1, app.accepted]);
    expect(deliveries).toMatchObject([{ accepted: true }, { accepted: true }]);
  });

  it("an offer is retried until the app accepts it", async () => {
    const retry = { times: 5, afterSecs: 0.01 };
    const { app, answer, deliveries } = await play(() => ({ webhooks: {}, do: { retry } }), 3, [500, 503]);
    expect([app.accepted.length, new Set(app.accepted).size, answer.status]).toEqual([3, 1, 204]);
    expect(deliveries.map(({ status }: { status: number }) => status)).toEqual([500, 503, 204]);
  });

  it.each<WebhookFaultAction>(["truncate", { sign: "none" }, { sign: "wrong_secret" }, { signatureAgeSecs: 301 }])(
    "the app refuses an offer under %j with 400",
    async (action) => {
      const { app, answer } = await play(() => ({ webhooks: {}, do: action }));
      expect([app.accepted, app.refused.length, answer.status]).toEqual([[], 1, 400]);
    },
  );

  it("the rules for addresses hold for the other addresses too", async () => {
    const { deliveries } = await play(() => ({ webhooks: {}, do: { copyTo: ["http://169.254.169.254/"] } }), 2);
    expect(deliveries.find(({ url }: { url: string }) => url.includes("169"))?.error).toContain("link-local");
  });
});
