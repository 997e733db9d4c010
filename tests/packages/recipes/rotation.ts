// Rotates a destination's secret while offers are sent to a receiver at a steady rate, and attacks it.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, demo } from "@call-transfer/backend";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import { CallTransfer } from "@call-transfer/sdk";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { until } from "./processes.ts";
import type { Receiver } from "./receivers.ts";
import type { Stage } from "./stage.ts";

const pauseMs = 20;
const offersPerPhase = 25;
/** After so many offers comes a forged one. */
const forgeryInterval = 3;
const destinationId = demo.destinations.app;

const forgedOffer = JSON.stringify({ type: "transfer.offer", id: "forged", destinationId });

/** Signatures of the forged offer that are not genuine, also with the secret: of other bytes, or of another time. */
const forgeries: readonly ((secret: string) => Promise<string | undefined>)[] = [
  () => signWebhook(forgedOffer, { secret: "a secret that was guessed" }),
  (secret) => signWebhook(`${forgedOffer} `, { secret }),
  (secret) => signWebhook(forgedOffer, { secret, timestampMs: Date.now() - 600_000 }),
  (secret) => signWebhook(forgedOffer, { secret, timestampMs: Date.now() + 600_000 }),
  async () => undefined,
];

/** Sends the forged offer. Returns the status. */
async function sendForged(url: string, signature: string | undefined): Promise<number> {
  // A connection of its own, like each delivery.
  const headers = {
    "content-type": "application/json",
    connection: "close",
    ...(signature && { "service-signature": signature }),
  };
  return (await fetch(url, { method: "POST", headers, body: forgedOffer })).status;
}

/**
 * Sends offers at a steady rate, with forged ones in between, while `change` runs. Its argument resolves after some more
 * offers. Returns how many were sent, and the statuses of the forged ones, or why they got none.
 */
async function duringTraffic(
  backend: Backend,
  urls: readonly string[],
  change: (moreOffers: () => Promise<void>) => Promise<void>,
): Promise<{ readonly sent: number; readonly forged: readonly unknown[] }> {
  const forged: Promise<unknown>[] = [];
  let sent = 0;
  let isOver = false;
  const forge = async (url: string, kind: number): Promise<number> => {
    const { signingSecret = "" } = backend.state.destinations.get(destinationId) ?? {};
    return sendForged(url, await forgeries[kind % forgeries.length]?.(signingSecret));
  };
  const send = async (): Promise<void> => {
    while (!isOver) {
      const url = urls[sent % urls.length] ?? "";
      backend.collections.update("destinations", destinationId, { config: { url } });
      backend.transfers.start({ destinationId });
      sent += 1;
      if (sent % forgeryInterval === 0) forged.push(forge(url, forged.length).catch((error: unknown) => error));
      await sleep(pauseMs);
    }
  };
  const moreOffers = (): Promise<void> => {
    const enough = sent + offersPerPhase;
    return until("The offers stopped.", () => sent >= enough);
  };
  const changing = async (): Promise<void> => {
    try {
      await change(moreOffers);
    } finally {
      isOver = true;
    }
  };
  await Promise.all([send(), changing()]);
  await until("Offers got no answer.", () => backend.deliveries.list().length === sent);
  return { sent, forged: await Promise.all(forged) };
}

/** The ids of the offers that the receiver has handled, from what it printed. */
const handledOffers = (output: string): string[] => [...output.matchAll(/offer ([\w-]+)/g)].map(([, id = ""]) => id);

/**
 * Checks that a receiver with the demo's secret accepts every genuine offer before, during and after a rotation, and refuses
 * forged ones.
 */
export async function checkRotation(receiver: Receiver, { backend, environment }: Stage): Promise<string[]> {
  const urls = receiver.urls.map((url) => `${url}/offers`);
  const client = new CallTransfer({
    baseUrl: environment.CALL_TRANSFER_BASE_URL ?? "",
    apiKey: environment.CALL_TRANSFER_API_KEY ?? "",
  });
  // The receiver's clock is the real time.
  backend.clock.set({ now: Date.now(), mode: "running" });

  const { sent, forged } = await duringTraffic(backend, urls, async (moreOffers) => {
    await moreOffers();
    const { signingSecret } = await client.destinations.rotateSecret(destinationId);
    assert.ok(signingSecret);
    // The receiver has the old secret alone.
    await moreOffers();
    await receiver.setSecrets([signingSecret, demo.signingSecret]);
    await moreOffers();
    // The 24 hours are over: only the new secret signs.
    backend.collections.update("destinations", destinationId, { previousSecretExpiresAt: backend.clock.iso() });
    await moreOffers();
    await receiver.setSecrets([signingSecret]);
    await moreOffers();
  });

  const deliveries = backend.deliveries.list();
  const refused = deliveries.filter(({ accepted }) => !accepted);
  assert.deepEqual(refused, [], "every offer was accepted");
  const ringing = () => backend.transfers.list().filter(({ status }) => status !== "connected");
  await until("Offers were accepted, but not connected.", () => ringing().length === 0);
  const ids = deliveries.map(({ body }): string => JSON.parse(body).id);
  const handled = () => handledOffers(receiver.output());
  // Another process prints them: they may arrive after the answers.
  await until("Offers were accepted, but not handled.", () => handled().length >= sent);
  assert.deepEqual(handled().sort(), ids.sort(), "every offer was handled once, and no other");

  assert.deepEqual(
    forged.filter((answer) => answer !== 400),
    [],
    "every forged offer was refused",
  );
  for (const url of urls)
    assert.equal(await sendForged(url, await signWebhook(forgedOffer, { secret: demo.signingSecret })), 400);
  const signatures = deliveries.map(({ headers }) => Object.values(headers).join().match(/v1=/g)?.length);
  const [one, two] = [1, 2].map((count) => signatures.filter((found) => found === count).length);
  assert.ok(two && two >= 2 * offersPerPhase, "two secrets signed during the overlap");
  return [`${sent} of ${sent} offers accepted (${one} signed once, ${two} twice)`, `${forged.length} forged refused`];
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
    secret,
    previousSecret: demo.signingSecret,
    handled,
    payload: { destinationId: demo.destinations.app },
  });
  assert.deepEqual(report.findings, [], formatReport(report));
  return [`${report.passed} attacks found nothing`];
}
