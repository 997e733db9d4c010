// Attacks a receiver of two processes, and counts how often it handles each event.

import assert from "node:assert/strict";
import { demo } from "@call-transfer/backend";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import type { Receiver } from "./receivers.ts";
import { handledOffers } from "./rotation.ts";

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
    secret,
    previousSecret: demo.signingSecret,
    handled,
    payload: { destinationId: demo.destinations.app },
  });
  assert.deepEqual(report.findings, [], formatReport(report));
  return [`${report.passed} attacks found nothing`];
}
