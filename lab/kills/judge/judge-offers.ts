// Decides whether every offer was delivered as promised: at least once, as one event, and signed with the secrets of its time.
import { isDeepStrictEqual } from "node:util";
import type { RingRecord } from "@call-transfer/backend";
import { verifyWebhook } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import type { Reaction } from "../clients/receiver.ts";
import { type Life, type Offer, type Write, writesOf } from "../history.ts";
import { secretsOf } from "./judge-writes.ts";
import type { SandboxState } from "./state.ts";

/** The fields of an offer that the checks read. */
interface OfferBody {
  readonly id: string;
  readonly transferId: string;
  readonly destinationId: string;
}

const bodyOf = ({ body }: Offer): OfferBody => JSON.parse(body) as OfferBody;
const ringOf = (transferId: string, destinationId: string): string => `${transferId} at ${destinationId}`;

/** The rings of accepted transfers whose offers were not delivered, by the id of the event. */
export function undelivered(writes: readonly Write[], offers: readonly Offer[]): Map<string, string> {
  const delivered = new Set(offers.map((offer) => bodyOf(offer).id));
  const missing = new Map<string, string>();
  for (const { change } of writesOf(writes, "transfer"))
    for (const { deliveryId = "", destinationId } of change.rings ?? [])
      if (!delivered.has(deliveryId)) missing.set(deliveryId, ringOf(change.id ?? "", destinationId));
  return missing;
}

/** Each ring has one event, with one body, and no two rings have the same; each is of a transfer that is stored. */
export function judgeOffers(writes: readonly Write[], offers: readonly Offer[], findings: string[]): void {
  for (const [eventId, ring] of undelivered(writes, offers))
    findings.push(`The offer ${eventId} of transfer ${ring} was not delivered.`);
  const started = new Set(writesOf(writes, "transfer").map(({ change }) => change.id));
  const announced = new Map(
    writesOf(writes, "transfer").flatMap(({ change: { id = "", rings = [] } }) =>
      rings.map((ring) => [ringOf(id, ring.destinationId), ring.deliveryId] as const),
    ),
  );
  const byRing = Map.groupBy(offers, (offer) => {
    const { transferId, destinationId } = bodyOf(offer);
    return ringOf(transferId, destinationId);
  });
  const ringsOfEvents = new Map<string, string>();
  for (const [ring, [first, ...more]] of byRing) {
    if (first === undefined) continue;
    const { id, transferId, destinationId } = bodyOf(first);
    const ids = new Set([first, ...more].map((offer) => bodyOf(offer).id));
    if (ids.size > 1) findings.push(`The offer of transfer ${ring} has ${ids.size} event ids: ${[...ids].join(", ")}.`);
    else if (more.some((offer) => !isDeepStrictEqual(bodyOf(offer), bodyOf(first))))
      findings.push(
        `The offer ${id} was sent again with another body: ${[first, ...more].map(({ body }) => body).join(" ")}`,
      );
    if (!started.has(transferId)) findings.push(`The offer ${id} is of transfer ${transferId}, which is not stored.`);
    else if (announced.get(ring) !== id)
      findings.push(`The offer of transfer ${ring} is ${id}, but the answer said ${announced.get(ring)}.`);
    if (destinationId !== first.destinationId)
      findings.push(`The offer ${id} is for ${destinationId}, but came to ${first.destinationId}.`);
    const other = ringsOfEvents.get(id);
    if (other !== undefined) findings.push(`The event id ${id} is that of two rings: ${other} and ${ring}.`);
    ringsOfEvents.set(id, ring);
  }
}

/** The time until which a ring of a transfer had not been sent. */
const startOf = (transferId: string, writes: readonly Write[]): number =>
  writesOf(writes, "transfer").find(({ change }) => change.id === transferId)?.beganMs ?? 0;

/** Each offer is signed with the secret of the last rotation before it, and with the one before that within its overlap. */
export async function judgeSignatures(
  writes: readonly Write[],
  offers: readonly Offer[],
  lives: readonly Life[],
  findings: string[],
): Promise<void> {
  for (const offer of offers) {
    const { id, transferId, destinationId } = bodyOf(offer);
    const issued = secretsOf(destinationId, writes);
    // Not signed before this time. What was sent again was signed by the process that sent it.
    const fromMs = Math.max(startOf(transferId, writes), lives[offer.life]?.startedMs ?? 0);
    const newest = issued.filter(({ beganMs }) => beganMs <= offer.receivedMs);
    const oldest = issued.findLastIndex(({ endedMs }) => endedMs <= fromMs);
    const possible = newest
      .slice(oldest)
      .map(({ secret }, index) => [secret, issued[oldest + index - 1]?.secret] as const);
    const results = await Promise.all(possible.map(([secret, previous]) => isSignedWith(offer, secret, previous)));
    if (!results.includes(true))
      findings.push(
        `The offer ${id} to ${destinationId} is not signed with the secret of the last rotation before it.`,
      );
  }
}

/** Whether an offer has one signature of each secret. */
async function isSignedWith({ header, body }: Offer, ...secrets: readonly (string | undefined)[]): Promise<boolean> {
  const expected = secrets.filter((secret) => secret !== undefined);
  const parts = header.split(",");
  const [time = ""] = parts;
  const signatures = parts.slice(1);
  if (signatures.length !== expected.length) return false;
  const verified = expected.map((secret, index) => {
    const headers = { [webhookSignature.header]: `${time},${signatures[index]}` };
    // The time is that of the clock of the sandbox.
    return verifyWebhook({ body, headers }, { secret, clock: { now: () => Number(time.slice(2)) * 1000 } }).then(
      () => true,
      () => false,
    );
  });
  return (await Promise.all(verified)).every(Boolean);
}

/** What becomes of a ring by the app's reaction. Another app of the group may have accepted before. */
const outcomes: Readonly<Record<Reaction, readonly RingRecord["outcome"][]>> = {
  accept: ["ringing", "answered", "taken"],
  decline: ["ringing", "declined", "taken"],
  "hang up": ["ringing", "declined", "taken"],
};

/** The outcome of each ring is that of the app's reaction. At the end of a run no app rings any more. */
export function judgeReactions(
  { transfers }: SandboxState,
  reactionTo: (eventId: string) => Reaction,
  isEnd: boolean,
  findings: string[],
): void {
  for (const { id, rings } of transfers)
    for (const { kind, outcome, destinationId, deliveryId = "", reason = "without a reason" } of rings) {
      if (kind !== "app") continue;
      const reaction = reactionTo(deliveryId);
      if (!outcomes[reaction].includes(outcome) || (isEnd && outcome === "ringing"))
        findings.push(
          `Transfer ${ringOf(id, destinationId)} is ${outcome} (${reason}), but the app's reaction is: ${reaction}.`,
        );
    }
}
