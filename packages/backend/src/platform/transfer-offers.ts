import { InputError } from "../model/input-error.ts";
import type { TransferRecord } from "../model/transfer-record.ts";
import type { World } from "../model/world.ts";
import { ringsUntil } from "../rules/transfers.ts";
import type { Delivery, EventIdentity, Trigger } from "./deliveries.ts";

/** Sends offers to apps. */
export interface Offers {
  offer(trigger: Trigger, event?: EventIdentity): { readonly id: string; readonly done: Promise<Delivery> };
}

/** What comes of an offer. */
export interface Answered {
  accept(transfer: TransferRecord, place: number): void;
  decline(transfer: TransferRecord, place: number, reason: string): void;
}

/** Sends the offer of one place; the app's response is its answer. Sent again it is the same event. */
export function sendOffer(
  { state, clock }: World,
  offers: Offers,
  { accept, decline }: Answered,
  transfer: TransferRecord,
  place: number,
): void {
  const ring = transfer.rings[place];
  if (ring === undefined) return;
  const { id: transferId, groupId, callId } = transfer;
  const expiresAt = new Date(ringsUntil(transfer, ring)).toISOString();
  const about = { transferId, ...(groupId && { groupId }), ...(callId && { callId }), expiresAt };
  const sent = ring.deliveryId === undefined ? undefined : { id: ring.deliveryId, createdAt: ring.from };
  try {
    const { id, done } = offers.offer({ destinationId: ring.destinationId, ...about }, sent);
    ring.deliveryId = id;
    const answered = ({ accepted, status, error }: Delivery): void => {
      // A reset or a restored snapshot has forgotten this transfer, or holds another copy of it.
      if (state.transfers.get(transferId) !== transfer) return;
      if (accepted) accept(transfer, place);
      else decline(transfer, place, status === undefined ? (error ?? "no answer") : `the app answered ${status}`);
    };
    clock.track(done.then(answered));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    decline(transfer, place, error.message);
  }
}
