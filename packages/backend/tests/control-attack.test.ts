import { describe, expect, it } from "vitest";
import { createBackend } from "../src/backend.ts";
import { demo } from "../src/contents/demo-seed.ts";
import type { AttackTarget, WebhookAttackReport } from "../src/control/parts/exchange.ts";
import type { BackendOptions } from "../src/options.ts";
import { inboxUrl } from "../src/platform/inbox.ts";
import { control, send } from "./test-client.ts";

const { app, phone } = demo.destinations;
const report: WebhookAttackReport = {
  urls: ["http://127.0.0.1:4011/offers?token=abc"],
  seed: 1,
  findings: [],
  checks: [],
  deliveries: { sent: 0, accepted: 0, refused: 0, unanswered: 0 },
  answerTimes: { medianMs: 0, maxMs: 0 },
};

/** A backend that notes whom it attacks. */
function newBackend(attack: BackendOptions["attack"] = async () => report) {
  const targets: AttackTarget[] = [];
  const backend = createBackend({
    controlPlane: true,
    attack(target) {
      targets.push(target);
      return attack(target);
    },
  });
  return { backend, targets };
}

describe("an attack through the control plane", () => {
  it("goes to the destination's own address with its secret, and reports without the query of the address", async () => {
    const { backend, targets } = newBackend();
    const { status, body } = await control(backend, "POST /webhooks/attacks", { destinationId: app });
    expect([status, body]).toEqual([200, { ...report, urls: ["http://127.0.0.1:4011/offers"] }]);
    expect(targets).toEqual([{ url: "http://127.0.0.1:4011/offers", secret: demo.signingSecret }]);
  });

  it("reports evidence without the query of the address, too", async () => {
    const [url = ""] = report.urls;
    const finding: WebhookAttackReport["findings"][number] = {
      kind: "accepted",
      check: "PUT",
      cites: "§6",
      basis: "practice",
      severity: "low",
      expected: "4xx.",
      problem: "2xx.",
      fix: "Refuse.",
      evidence: [{ sent: `curl -X PUT '${url}'`, answer: `200: ${url}` }],
    };
    const { backend } = newBackend(async () => ({ ...report, findings: [finding] }));
    const { body } = await control(backend, "POST /webhooks/attacks", { destinationId: app });
    const shown = "http://127.0.0.1:4011/offers";
    expect(body.findings[0].evidence).toEqual([{ sent: `curl -X PUT '${shown}'`, answer: `200: ${shown}` }]);
  });

  it("never goes to an address that the request names", async () => {
    const { backend, targets } = newBackend();
    const { status } = await control(backend, "POST /webhooks/attacks", {
      destinationId: app,
      url: "http://10.0.0.1/",
    });
    expect([status, targets]).toEqual([400, []]);
  });

  it("uses the secret before the rotation if the receiver accepts it too", async () => {
    const { backend, targets } = newBackend();
    const request = { destinationId: app, previousSecret: true };
    expect((await control(backend, "POST /webhooks/attacks", request)).body.error).toMatchObject({
      code: "conflict",
      message: "The destination has no previous secret now. Rotate its secret first.",
    });
    await send(backend, `POST /transfers/destinations/${app}/rotate-secret`);
    await control(backend, "POST /webhooks/attacks", request);
    expect(targets).toMatchObject([{ previousSecret: demo.signingSecret }]);
  });

  it.each([
    ["has no receiver", { destinationId: phone }, 409],
    ["does not exist", { destinationId: "gone" }, 404],
  ])("is refused for a destination that %s", async (_, request, expected) => {
    const { backend, targets } = newBackend();
    const { status } = await control(backend, "POST /webhooks/attacks", request);
    expect([status, targets]).toEqual([expected, []]);
  });

  it("is refused for the built-in receiver", async () => {
    const { backend, targets } = newBackend();
    backend.collections.update("destinations", app, { config: { url: inboxUrl } });
    const { status, body } = await control(backend, "POST /webhooks/attacks", { destinationId: app });
    expect([status, targets]).toEqual([409, []]);
    expect(body.error.message).toContain("built-in receiver");
  });

  it("is refused by a backend that cannot attack", async () => {
    const backend = createBackend({ controlPlane: true });
    const { status, body } = await control(backend, "POST /webhooks/attacks", { destinationId: app });
    expect([status, body.error.message]).toEqual([
      409,
      "This backend cannot attack. Start the mock server, which can.",
    ]);
  });

  it("runs alone, and says why a receiver cannot be attacked", async () => {
    let fail = (_: Error): void => {};
    const attack = new Promise<WebhookAttackReport>((_, reject) => {
      fail = reject;
    });
    const { backend } = newBackend(() => attack);
    const first = control(backend, "POST /webhooks/attacks", { destinationId: app });
    const second = await control(backend, "POST /webhooks/attacks", { destinationId: app });
    expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining("Another attack")]);
    fail(new Error("No receiver is listening."));
    expect((await first).body.error).toMatchObject({ code: "conflict", message: "No receiver is listening." });
  });
});
