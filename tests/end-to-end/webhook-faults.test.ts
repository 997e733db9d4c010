import { createBackend, demo } from "@call-transfer/backend";
import type { WebhookFaultAction } from "@call-transfer/backend/unstable";
import { verifyWebhook } from "@call-transfer/sdk/webhooks";
import { describe, expect, it } from "vitest";

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

  it("refuses a copy that is too old", async () => {
    const found = await verdicts({ duplicate: { copies: 2, intervalSecs: 301 } });
    expect(found).toEqual(["genuine", expect.stringMatching(/old|time/)]);
  });

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
