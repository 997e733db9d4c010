import type { ErrorCode } from "@call-transfer/spec";
import type { TransferRecord } from "../model/records.ts";
import type { World, WorldState } from "../model/state.ts";
import type { TimerPurpose } from "../model/timer-queue.ts";
import {
  type Callee,
  indexOfCallee,
  isOpen,
  isUnderWay,
  planRings,
  type RingTarget,
  ringsUntil,
} from "../rules/transfers.ts";
import { InputError } from "../utils/input-error.ts";
import { canonicalId, withCanonicalIds } from "../utils/names.ts";
import { retention } from "../utils/values.ts";
import { currentCallEnd } from "./calls.ts";
import type { DeliveryEngine } from "./delivery.ts";
import { endOfAccountsCall, type NewTransfer, scriptedTimer, targetOf } from "./transfer-input.ts";
import { offerToApps } from "./transfer-offers.ts";
import {
  answer,
  changeTransfer,
  endTransfer,
  endUnanswered,
  scheduleTimers,
  scheduleTransferTimer,
  stopRinging,
  transferTimers,
} from "./transfer-steps.ts";

/** The platform's side of transfers (§1). */
export interface Transfers {
  /** Starts ringing and returns the transfer as it is then. Throws InputError that names the bad field, or when 1000 are under way. */
  start(input: NewTransfer): TransferRecord;
  /** Answers now; returns the error code of an answer that is too late. Throws InputError for a callee outside the transfer. */
  answer(id: string, callee: Callee): Promise<ErrorCode | undefined>;
  /** Declines now; false for one that does not ring. Throws InputError for a callee outside the transfer. */
  decline(id: string, callee: Callee): boolean;
  /** The transfer as it is now; a record that was returned earlier does not follow. */
  get(id: string): TransferRecord | undefined;
  /** All transfers under way and the latest of the others, 1000 in all, oldest first. */
  list(): readonly TransferRecord[];
}

/** What other parts of the backend do with transfers. */
export interface TransferEngine extends Transfers {
  /** Schedules a timer of a transfer. Ignores a purpose that no transfer has. */
  schedule(at: number, purpose: TimerPurpose): void;
  /** Moves the end of each transfer to the present end of its call. */
  followCalls(): void;
  /** Sends every unanswered offer again. */
  resend(): void;
}

/** Creates the transfers of one backend. */
export function createTransfers(world: World, deliveries: Pick<DeliveryEngine, "offer">): TransferEngine {
  const { state, clock } = world;
  return {
    start(given) {
      const input = withCanonicalIds(given);
      const transfer = newTransfer(world, input);
      const rings = isOpen(transfer);
      const script = (input.script ?? []).map((entry, index) => scriptedTimer(transfer, entry, index));
      if (state.transfers.size >= retention.transfers) makeRoom(world);
      state.transfers.set(transfer.id, transfer);
      announceStart(world, transfer);
      scheduleTimers(world, transfer, script);
      if (rings) offerToApps(world, deliveries, transfer);
      else endUnanswered(world, transfer, transfer.startedAt);
      return state.transfers.get(transfer.id) ?? transfer;
    },
    async answer(givenId, callee) {
      const id = canonicalId(givenId);
      const [transfer, ringIndex] = find(state, id, callee);
      const code = answer(world, transfer, ringIndex, clock.now());
      await clock.runDue();
      const { answeredBy, rings = [] } = state.transfers.get(id) ?? {};
      return code ?? (answeredBy === ringIndex ? undefined : rings[ringIndex]?.late.at(-1)?.code);
    },
    decline(id, callee) {
      const [transfer, ringIndex] = find(state, id, callee);
      if (transfer.rings[ringIndex]?.outcome !== "ringing") return false;
      stopRinging(world, transfer, [ringIndex], { outcome: "declined" }, clock.now());
      return true;
    },
    get: (id) => state.transfers.get(canonicalId(id)),
    list: () => [...state.transfers.values()],
    schedule: (at, purpose) => scheduleTransferTimer(world, at, purpose),
    followCalls() {
      for (const transfer of state.transfers.values()) followCall(world, transfer);
    },
    resend() {
      for (const transfer of state.transfers.values()) offerToApps(world, deliveries, transfer);
    },
  };
}

function announceStart({ events }: World, transfer: TransferRecord): void {
  const { id, rings } = transfer;
  events.emit("transfer.started", { id });
  for (const [ringIndex, ring] of rings.entries()) {
    const { outcome, destinationId, memberId, reason } = ring;
    const about = { id, ringIndex, destinationId, ...(memberId && { memberId }) };
    if (outcome !== "ringing") events.emit("transfer.not_rung", { ...about, reason });
    else
      events.emit("transfer.ring_started", () => ({
        ...about,
        until: new Date(ringsUntil(transfer, ring)).toISOString(),
      }));
  }
}

/** A transfer with the index of a callee's ring. Throws InputError for a callee outside the transfer. */
function find({ transfers }: WorldState, id: string, given: Callee): [TransferRecord, ringIndex: number] {
  const callee = withCanonicalIds(given);
  const transfer = transfers.get(canonicalId(id));
  const ringIndex = transfer === undefined ? -1 : indexOfCallee(transfer, callee);
  if (transfer === undefined || ringIndex === -1)
    throw new InputError(callee.memberId === undefined ? "destinationId" : "memberId", "is not part of the transfer");
  return [transfer, ringIndex];
}

/** A transfer at its start. Throws InputError that names the bad field. */
function newTransfer(world: World, input: NewTransfer): TransferRecord {
  const { state, clock, random, policies } = world;
  const { destinationId, groupId, callId } = input;
  const target: RingTarget = targetOf(state, input);
  const now = clock.now();
  const callEndsAt = callId === undefined ? undefined : endOfAccountsCall(world, target.accountId, callId);
  return {
    id: random.uuid(),
    accountId: target.accountId,
    ...(destinationId !== undefined && { destinationId }),
    ...(groupId !== undefined && { groupId }),
    ...(callId !== undefined && { callId }),
    status: "ringing",
    startedAt: now,
    ...(callEndsAt !== undefined && { callEndsAt }),
    rings: planRings(state, policies, target, now),
    answers: [],
  };
}

/** Removes the oldest transfer that is over. Throws InputError if none is over. */
function makeRoom({ state, clock }: World): void {
  const over = [...state.transfers.values()].find((transfer) => !isUnderWay(transfer));
  if (over === undefined)
    throw new InputError(
      "",
      `${retention.transfers} transfers are under way, which is the limit. Advance the clock until some end.`,
    );
  state.transfers.delete(over.id);
  clock.cancel({ id: over.id });
}

function followCall(world: World, transfer: TransferRecord): void {
  const { id, callId } = transfer;
  if (callId === undefined || !isUnderWay(transfer)) return;
  const now = world.clock.now();
  const callEndsAt = currentCallEnd(world, callId) ?? now;
  if (callEndsAt === transfer.callEndsAt) return;
  const changed = changeTransfer(world, transfer, { callEndsAt });
  if (callEndsAt <= now) endTransfer(world, changed, now);
  else {
    const purpose = { kind: transferTimers.callEnds, id };
    world.clock.cancel(purpose);
    scheduleTransferTimer(world, callEndsAt, purpose);
  }
}
