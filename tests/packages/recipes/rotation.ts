// Rotates a destination's secret while a receiver takes offers, and attacks it.
import assert from "node:assert/strict";
import { demo } from "@call-transfer/backend";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import { CallTransfer } from "@call-transfer/sdk";
import { until } from "../../receiving/server-process.ts";
import type { Receiver } from "./receivers.ts";
import type { Stage } from "./stage.ts";

const destinationId = demo.destinations.app;

/** The ids of the offers that the receiver has handled, from what it printed. */
const handledOffers = (output: string): string[] => [...output.matchAll(/offer ([\w-]+)/g)].map(([, id = ""]) => id);

/** Checks that a receiver with the demo's secret takes the offers of each step of a rotation, in both processes. */
export async function checkRotation(receiver: Receiver, { backend, environment }: Stage): Promise<string[]> {
  const client = new CallTransfer({
    baseUrl: environment.CALL_TRANSFER_BASE_URL ?? "",
    apiKey: environment.CALL_TRANSFER_API_KEY ?? "",
  });
  // The receiver's clock is the real time.
  backend.clock.set({ now: Date.now(), mode: "running" });
  const sent: string[] = [];
  /** Sends an offer to each process, and checks with how many secrets it is signed. */
  const offer = async (step: string, secrets: number): Promise<void> => {
    for (const url of receiver.urls) {
      backend.collections.update("destinations", destinationId, { config: { url: `${url}/offers` } });
      const { id, accepted, signature } = await backend.deliveries.trigger({ destinationId });
      assert.deepEqual([accepted, signature?.v1.length], [true, secrets], step);
      sent.push(id);
    }
  };
  await offer("before the rotation", 1);
  const { signingSecret } = await client.destinations.rotateSecret(destinationId);
  assert.ok(signingSecret);
  await offer("with the old secret alone", 2);
  await receiver.setSecrets([signingSecret, demo.signingSecret]);
  await offer("with both secrets", 2);
  backend.collections.update("destinations", destinationId, { previousSecretExpiresAt: backend.clock.iso() });
  await offer("after the 24 hours", 1);
  await receiver.setSecrets([signingSecret]);
  await offer("with the new secret alone", 1);
  // Another process prints them: they may arrive after the answers.
  const handled = () => handledOffers(receiver.output());
  await until("Offers were accepted, but not handled.", () => handled().length >= sent.length);
  assert.deepEqual(handled().sort(), sent.sort(), "every offer was handled once, and no other");
  return [`${sent.length} offers accepted through a rotation`];
}

/** Checks that an attack finds nothing. The receiver has the demo's secret. */
export async function checkAttack(receiver: Receiver): Promise<string[]> {
  const secret = "the-secret-after-the-demo's";
  await receiver.setSecrets([secret, demo.signingSecret]);
  const handled = (): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of handledOffers(receiver.output())) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const report = await attackReceiver({
    url: receiver.urls.map((url) => `${url}/offers`),
    ...{ secret, previousSecret: demo.signingSecret, handled, payload: { destinationId } },
  });
  assert.deepEqual(report.findings, [], formatReport(report));
  return [`${report.passed} attacks found nothing`];
}
