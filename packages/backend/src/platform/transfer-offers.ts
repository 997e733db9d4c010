import { InputError } from "../model/errors/input-error.ts";
import type { RingRecord, TransferRecord } from "../model/records/transfer-record.ts";
import type { World } from "../model/world.ts";
import { ringsUntil } from "../rules/transfers.ts";
import type { Delivery, EventIdentity, Trigger } from "./deliveries.ts";
import { changeRing } from "./transfer-steps.ts";

/** Sends offers to apps. */
export interface OfferSender {
  /** Returns the id of the event. An answer that comes after a reset or a restore is dropped. */
  offer(trigger: Trigger, answered: (delivery: Delivery) => void, event?: EventIdentity): string;
}

/** What an app's answer to an offer does. A decline ends its ring (`stopRinging` in transfer-steps.ts). */
export interface OfferAnswers {
  accept(ringIndex: number): void;
  decline(ringIndex: number, reason: string): void;
}

/** Sends the offer of one ring; the app's response is its answer. A repeated offer is the same event. */
export function sendOffer(
  world: World,
  offers: OfferSender,
  transfer: TransferRecord,
  ringIndex: number,
  { accept, decline }: OfferAnswers,
): void {
  const ring = transfer.rings[ringIndex];
  if (ring === undefined) return;
  // The time of the ring, so that an event that is sent again is the same also if its clock flows.
  const event: EventIdentity = { id: ring.deliveryId, createdAt: ring.from };
  try {
    const answered = ({ accepted, status, error }: Delivery): void => {
      if (accepted) accept(ringIndex);
      else decline(ringIndex, status === undefined ? (error ?? "no answer") : `the app answered ${status}`);
    };
    const deliveryId = offers.offer(triggerOf(transfer, ring), answered, event);
    changeRing(world, transfer.id, ringIndex, { deliveryId });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    decline(ringIndex, error.message);
  }
}

function triggerOf(transfer: TransferRecord, ring: RingRecord): Trigger {
  const { id: transferId, groupId, callId } = transfer;
  return {
    destinationId: ring.destinationId,
    transferId,
    ...(groupId && { groupId }),
    ...(callId && { callId }),
    expiresAt: new Date(ringsUntil(transfer, ring)).toISOString(),
  };
}
