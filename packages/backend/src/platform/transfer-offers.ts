import type { Delivery } from "../generated/models.gen.ts";
import type { TransferRecord } from "../model/records.ts";
import type { World } from "../model/state.ts";
import { indexesStillRinging, ringsUntil } from "../rules/transfers.ts";
import { InputError } from "../utils/input-error.ts";
import type { DeliveryEngine } from "./delivery.ts";
import { answer, changeRing, stopRinging } from "./transfer-steps.ts";

/** Sends the call's offer to each app that rings and has not answered. A repeated offer is the same event. */
export function offerToApps(world: World, deliveries: Pick<DeliveryEngine, "offer">, transfer: TransferRecord): void {
  const { id, groupId, callId } = transfer;
  const about = { ...(groupId && { groupId }), ...(callId && { callId }) };
  for (const ringIndex of indexesStillRinging(transfer)) {
    const ring = transfer.rings[ringIndex];
    if (ring?.kind !== "app") continue;
    const answered = (delivery: Delivery): void => takeAnswer(world, id, ringIndex, delivery);
    const expiresAt = new Date(ringsUntil(transfer, ring)).toISOString();
    const trigger = { destinationId: ring.destinationId, transferId: id, ...about, expiresAt };
    // The time of the ring, so that an event that is sent again is the same also if its clock flows.
    const event = { id: ring.deliveryId, createdAt: ring.from };
    try {
      const deliveryId = deliveries.offer(trigger, answered, event);
      const offered = world.state.transfers.get(id);
      if (offered !== undefined) changeRing(world, offered, ringIndex, { deliveryId });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      takeAnswer(world, id, ringIndex, { accepted: false, error: error.message });
    }
  }
}

/** The app's response is its answer. */
function takeAnswer(
  world: World,
  id: string,
  ringIndex: number,
  { accepted, status, error = "no answer" }: Pick<Delivery, "accepted" | "status" | "error">,
): void {
  const transfer = world.state.transfers.get(id);
  const now = world.clock.now();
  if (transfer === undefined) return;
  if (accepted) {
    answer(world, transfer, ringIndex, now);
    return;
  }
  const reason = status === undefined ? error : `the app answered ${status}`;
  stopRinging(world, transfer, [ringIndex], { outcome: "declined", reason }, now);
}
