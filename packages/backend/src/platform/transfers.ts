import type { ErrorCode } from "@call-transfer/spec";
import { InputError } from "../model/errors/input-error.ts";
import type { TransferRecord } from "../model/records/transfer-record.ts";
import type { State } from "../model/state.ts";
import type { TimerPurpose } from "../model/time/timer-queue.ts";
import { retention } from "../model/values/retention.ts";
import type { World } from "../model/world.ts";
import {
  type Callee,
  indexesStillRinging,
  indexOfCallee,
  isUnderWay,
  planRings,
  type RingTarget,
  ringsUntil,
} from "../rules/transfers.ts";
import { currentCallEnd } from "./calls.ts";
import {
  endOfAccountsCall,
  type NewTransfer,
  type ResolvedEntry,
  resolveScriptEntry,
  targetOf,
} from "./transfer-input.ts";
import { type OfferSender, sendOffer } from "./transfer-offers.ts";
import {
  answer,
  changeRing,
  changeTransfer,
  endTransfer,
  endUnanswered,
  scheduleTransferEnd,
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
export function createTransfers(world: World, offers: OfferSender): TransferEngine {
  const { state, clock } = world;
  return {
    start(input) {
      const transfer = newTransfer(world, input);
      const { id } = transfer;
      const script = (input.script ?? []).map((entry, index) => resolveScriptEntry(transfer, entry, index));
      makeRoom(world);
      state.transfers.set(id, transfer);
      announceStart(world, transfer);
      scheduleScript(world, transfer, script);
      scheduleRingEnds(world, id);
      offerToApps(world, offers, id);
      endUnanswered(world, id, transfer.startedAt);
      return state.transfers.get(id) ?? transfer;
    },
    async answer(id, callee) {
      const ringIndex = ringIndexOf(state, id, callee);
      const code = answer(world, id, ringIndex, clock.now());
      await clock.runDue();
      const transfer = state.transfers.get(id);
      return code ?? (transfer?.answeredBy === ringIndex ? undefined : transfer?.rings[ringIndex]?.late.at(-1)?.code);
    },
    decline(id, callee) {
      const ringIndex = ringIndexOf(state, id, callee);
      if (state.transfers.get(id)?.rings[ringIndex]?.outcome !== "ringing") return false;
      stopRinging(world, id, ringIndex, "declined", clock.now());
      return true;
    },
    get: (id) => state.transfers.get(id),
    list: () => [...state.transfers.values()],
    schedule: (at, purpose) => scheduleTransferTimer(world, at, purpose),
    followCalls() {
      for (const transfer of state.transfers.values()) followCall(world, transfer);
    },
    resend() {
      for (const id of state.transfers.keys()) offerToApps(world, offers, id);
    },
  };
}

function announceStart({ events }: World, transfer: TransferRecord): void {
  const { id, rings } = transfer;
  events.emit("transfer.started", { id });
  for (const [ringIndex, ring] of rings.entries()) {
    const { outcome, destinationId, memberId, reason } = ring;
    const about = { id, ringIndex, destinationId, ...(memberId && { memberId }) };
    const until = new Date(ringsUntil(transfer, ring)).toISOString();
    if (outcome === "ringing") events.emit("transfer.ring_started", { ...about, until });
    else events.emit("transfer.not_rung", { ...about, reason });
  }
}

/** The index of a callee's ring. Throws InputError for a callee outside the transfer. */
function ringIndexOf({ transfers }: State, id: string, callee: Callee): number {
  const transfer = transfers.get(id);
  const ringIndex = transfer === undefined ? -1 : indexOfCallee(transfer, callee);
  if (ringIndex === -1)
    throw new InputError(callee.memberId === undefined ? "destinationId" : "memberId", "is not part of the transfer");
  return ringIndex;
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

/** Removes the oldest transfer that is over, once as many as may be kept are there. Throws InputError if none is over. */
function makeRoom({ state, clock }: World): void {
  if (state.transfers.size < retention.transfers) return;
  const over = [...state.transfers.values()].find((transfer) => !isUnderWay(transfer));
  if (over === undefined)
    throw new InputError(
      "",
      `${retention.transfers} transfers are under way, which is the limit. Advance the clock until some end.`,
    );
  state.transfers.delete(over.id);
  clock.cancel({ id: over.id });
}

function scheduleScript(world: World, { id, startedAt }: TransferRecord, script: readonly ResolvedEntry[]): void {
  for (const { ringIndex, answerAfterSecs, declineAfterSecs } of script) {
    if (answerAfterSecs !== undefined)
      scheduleTransferTimer(world, startedAt + answerAfterSecs * 1000, {
        kind: transferTimers.answers,
        id,
        index: ringIndex,
      });
    if (declineAfterSecs !== undefined)
      scheduleTransferTimer(world, startedAt + declineAfterSecs * 1000, {
        kind: transferTimers.declines,
        id,
        index: ringIndex,
      });
  }
}

function scheduleRingEnds(world: World, id: string): void {
  const { rings = [], callEndsAt } = world.state.transfers.get(id) ?? {};
  for (const [index, { until, outcome }] of rings.entries())
    if (outcome === "ringing") scheduleTransferTimer(world, until, { kind: transferTimers.ringEnds, id, index });
  if (callEndsAt !== undefined) scheduleTransferEnd(world, id, callEndsAt);
}

/** Sends the call's offer to each app that rings. */
function offerToApps(world: World, offers: OfferSender, id: string): void {
  const transfer = world.state.transfers.get(id);
  if (transfer === undefined) return;
  const accept = (ringIndex: number): void => void answer(world, id, ringIndex, world.clock.now());
  const decline = (ringIndex: number, reason: string): void => {
    if (world.state.transfers.get(id)?.rings[ringIndex]?.outcome !== "ringing") return;
    changeRing(world, id, ringIndex, { reason });
    stopRinging(world, id, ringIndex, "declined", world.clock.now());
  };
  for (const ringIndex of indexesStillRinging(transfer))
    if (transfer.rings[ringIndex]?.kind === "app") sendOffer(world, offers, transfer, ringIndex, { accept, decline });
}

function followCall(world: World, transfer: TransferRecord): void {
  if (transfer.callId === undefined) return;
  const now = world.clock.now();
  const endsAt = currentCallEnd(world, transfer.callId) ?? now;
  if (!isUnderWay(transfer) || endsAt === transfer.callEndsAt) return;
  changeTransfer(world, transfer.id, { callEndsAt: endsAt });
  if (endsAt <= now) endTransfer(world, transfer.id, now);
  else scheduleTransferEnd(world, transfer.id, endsAt);
}
