import type { ErrorCode } from "@call-transfer/spec";
import type { Delivery } from "../generated/models.gen.ts";
import { groupDefaults, type TransferRecord } from "../model/records.ts";
import type { BackendState, IndexedState, State } from "../model/state.ts";
import type { TimerPurpose } from "../model/timer-queue.ts";
import {
  type Callee,
  indexesStillRinging,
  indexOfCallee,
  isActive,
  isOpen,
  planRings,
  type RingTarget,
  ringsUntil,
} from "../rules/transfers.ts";
import { canonicalId, withCanonicalIds } from "../utils/ids.ts";
import { InputError } from "../utils/input-error.ts";
import { retention } from "../utils/values.ts";
import { currentCallEnd } from "./calls.ts";
import type { DeliveryEngine } from "./delivery.ts";
import {
  answer,
  changeRing,
  changeTransfer,
  endTransfer,
  endUnanswered,
  type ScriptedTimer,
  scheduleTimers,
  scheduleTransferTimer,
  stopRinging,
  transferTimers,
} from "./transfer-steps.ts";

/** How a phone or a person behaves during a transfer: exactly one of `answerAfterSecs` and `declineAfterSecs`. */
export interface ScriptEntry extends Callee {
  /** Seconds after the start. */
  readonly answerAfterSecs?: number | undefined;
  /** Seconds after the start. */
  readonly declineAfterSecs?: number | undefined;
}

/** A transfer to start: exactly one of `destinationId` and `groupId`. */
export interface NewTransfer {
  /** The destination to ring. */
  readonly destinationId?: string | undefined;
  /** The destination group to ring. */
  readonly groupId?: string | undefined;
  /** A call of the account that is in progress; the transfer ends with it. */
  readonly callId?: string | undefined;
  /** Callees without an entry do not answer. Apps answer by their HTTP response. */
  readonly script?: readonly ScriptEntry[] | undefined;
}

/** The destinations that a transfer rings. Throws InputError that names the bad field. */
function targetOf(state: State, { destinationId, groupId }: NewTransfer): RingTarget {
  if ((destinationId === undefined) === (groupId === undefined))
    throw new InputError("destinationId", "give a destinationId or a groupId, and not both");
  const group = state.groups.get(groupId ?? "");
  if (group !== undefined) return group;
  if (groupId !== undefined) throw new InputError("groupId", `no group has the id ${groupId}`);
  const destination = state.destinations.get(destinationId ?? "");
  if (destination === undefined) throw new InputError("destinationId", `no destination has the id ${destinationId}`);
  return {
    accountId: destination.accountId,
    members: [{ destinationId: destination.id }],
    totalTimeoutSecs: groupDefaults.totalTimeoutSecs,
  };
}

/** When the account's call ends, in milliseconds. Throws InputError unless the call is in progress. */
function endOfAccountsCall(backend: BackendState, accountId: string, callId: string): number {
  const isOwn = backend.state.calls.get(callId)?.accountId === accountId;
  const endsAt = isOwn ? currentCallEnd(backend, callId) : undefined;
  if (endsAt === undefined) throw new InputError("callId", "must be a call of the account that is in progress");
  return endsAt;
}

/** The timer of a script entry. Throws InputError for an entry that can have no effect. */
function scriptedTimer(transfer: TransferRecord, entry: ScriptEntry, entryIndex: number): ScriptedTimer {
  const { memberId, answerAfterSecs, declineAfterSecs } = entry;
  const field = `script[${entryIndex}]`;
  const name = memberId === undefined ? "destinationId" : "memberId";
  const index = indexOfCallee(transfer, entry);
  const ring = transfer.rings[index];
  if (ring === undefined) throw new InputError(`${field}.${name}`, "is not part of the transfer");
  if (ring.kind === "app") throw new InputError(`${field}.${name}`, "an app answers by its HTTP response");
  if (ring.kind === "available_humans" && memberId === undefined)
    throw new InputError(`${field}.memberId`, "say which member answers");
  const afterSecs = answerAfterSecs ?? declineAfterSecs;
  if (afterSecs === undefined || (answerAfterSecs !== undefined && declineAfterSecs !== undefined))
    throw new InputError(`${field}.answerAfterSecs`, "give answerAfterSecs or declineAfterSecs, and not both");
  const kind = answerAfterSecs === undefined ? transferTimers.declines : transferTimers.answers;
  return { at: transfer.startedAt + afterSecs * 1000, kind, index };
}

/** Sends the call's offer to each app that rings and has not answered. A repeated offer is the same event. */
function offerToApps(backend: BackendState, deliveries: Pick<DeliveryEngine, "offer">, transfer: TransferRecord): void {
  const { id, groupId, callId } = transfer;
  const about = { ...(groupId && { groupId }), ...(callId && { callId }) };
  for (const ringIndex of indexesStillRinging(transfer)) {
    const ring = transfer.rings[ringIndex];
    if (ring?.kind !== "app") continue;
    const answered = (delivery: Delivery): void => takeAnswer(backend, id, ringIndex, delivery);
    const expiresAt = new Date(ringsUntil(transfer, ring)).toISOString();
    const trigger = { destinationId: ring.destinationId, transferId: id, ...about, expiresAt };
    // The time of the ring, so that an event that is sent again is the same also if its clock runs.
    const event = { id: ring.deliveryId, createdAt: ring.startedAt };
    try {
      const deliveryId = deliveries.offer(trigger, answered, event);
      const offered = backend.state.transfers.get(id);
      if (offered !== undefined) changeRing(backend, offered, ringIndex, { deliveryId });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      takeAnswer(backend, id, ringIndex, { accepted: false, error: error.message });
    }
  }
}

/** The app's response is its answer. */
function takeAnswer(
  backend: BackendState,
  id: string,
  ringIndex: number,
  { accepted, status, error = "no answer" }: Pick<Delivery, "accepted" | "status" | "error">,
): void {
  const transfer = backend.state.transfers.get(id);
  const now = backend.clock.now();
  if (transfer === undefined) return;
  if (accepted) {
    answer(backend, transfer, ringIndex, now);
    return;
  }
  const reason = status === undefined ? error : `the app answered ${status}`;
  stopRinging(backend, transfer, [ringIndex], { outcome: "declined", reason }, now);
}

/** The platform's side of transfers (§1). */
export interface Transfers {
  /** Starts ringing and returns the transfer as it is then. Throws InputError that names the bad field, or when 1000 are under way. */
  start(input: NewTransfer): TransferRecord;
  /** Answers now; returns the error code of an answer that is too late. Throws InputError for a callee outside the transfer. */
  answer(id: string, callee: Callee): Promise<ErrorCode | undefined>;
  /**
   * Declines now; false for one that does not ring. Throws InputError for a callee outside the transfer.
   *
   * @internal
   */
  decline(id: string, callee: Callee): boolean;
  /** The transfer as it is now; a record that was returned earlier does not follow. */
  get(id: string): TransferRecord | undefined;
  /**
   * All transfers under way and the latest of the others, 1000 in all, oldest first.
   *
   * @internal
   */
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
export function createTransfers(backend: BackendState, deliveries: Pick<DeliveryEngine, "offer">): TransferEngine {
  const { state, clock } = backend;
  return {
    start(given) {
      const input = withCanonicalIds(given);
      const transfer = newTransfer(backend, input);
      const rings = isOpen(transfer);
      const script = (input.script ?? []).map((entry, index) => scriptedTimer(transfer, entry, index));
      if (state.transfers.size >= retention.transfers) makeRoom(backend);
      state.transfers.set(transfer.id, transfer);
      announceStart(backend, transfer);
      scheduleTimers(backend, transfer, script);
      if (rings) offerToApps(backend, deliveries, transfer);
      else endUnanswered(backend, transfer, transfer.startedAt);
      return state.transfers.get(transfer.id) ?? transfer;
    },
    async answer(givenId, callee) {
      const id = canonicalId(givenId);
      const [transfer, ringIndex] = find(state, id, callee);
      const code = answer(backend, transfer, ringIndex, clock.now());
      await clock.runDue();
      const { answeredRingIndex, rings = [] } = state.transfers.get(id) ?? {};
      return code ?? (answeredRingIndex === ringIndex ? undefined : rings[ringIndex]?.lateAnswers.at(-1)?.code);
    },
    decline(id, callee) {
      const [transfer, ringIndex] = find(state, id, callee);
      if (transfer.rings[ringIndex]?.outcome !== "ringing") return false;
      stopRinging(backend, transfer, [ringIndex], { outcome: "declined" }, clock.now());
      return true;
    },
    get: (id) => state.transfers.get(canonicalId(id)),
    list: () => [...state.transfers.values()],
    schedule: (at, purpose) => scheduleTransferTimer(backend, at, purpose),
    followCalls() {
      for (const transfer of state.transfers.values()) followCall(backend, transfer);
    },
    resend() {
      for (const transfer of state.transfers.values()) offerToApps(backend, deliveries, transfer);
    },
  };
}

function announceStart({ events }: BackendState, transfer: TransferRecord): void {
  const { id, rings } = transfer;
  events.emit("transfer.started", { id });
  for (const [ringIndex, ring] of rings.entries()) {
    const { outcome, destinationId, memberId, reason } = ring;
    const about = { id, ringIndex, destinationId, ...(memberId && { memberId }) };
    if (outcome !== "ringing") events.emit("transfer.skipped", { ...about, reason });
    else
      events.emit("transfer.ring_started", () => ({
        ...about,
        endsAt: new Date(ringsUntil(transfer, ring)).toISOString(),
      }));
  }
}

/** A transfer with the index of a callee's ring. Throws InputError for a callee outside the transfer. */
function find({ transfers }: IndexedState, id: string, given: Callee): [TransferRecord, ringIndex: number] {
  const callee = withCanonicalIds(given);
  const transfer = transfers.get(canonicalId(id));
  const ringIndex = transfer === undefined ? -1 : indexOfCallee(transfer, callee);
  if (transfer === undefined || ringIndex === -1)
    throw new InputError(callee.memberId === undefined ? "destinationId" : "memberId", "is not part of the transfer");
  return [transfer, ringIndex];
}

/** A transfer at its start. Throws InputError that names the bad field. */
function newTransfer(backend: BackendState, input: NewTransfer): TransferRecord {
  const { state, clock, random, policies } = backend;
  const { destinationId, groupId, callId } = input;
  const target: RingTarget = targetOf(state, input);
  const now = clock.now();
  const callEndsAt = callId === undefined ? undefined : endOfAccountsCall(backend, target.accountId, callId);
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
function makeRoom({ state, clock }: BackendState): void {
  const over = [...state.transfers.values()].find((transfer) => !isActive(transfer));
  if (over === undefined)
    throw new InputError(
      "",
      `${retention.transfers} transfers are under way, which is the limit. Advance the clock until some end.`,
    );
  state.transfers.delete(over.id);
  clock.cancel({ id: over.id });
}

function followCall(backend: BackendState, transfer: TransferRecord): void {
  const { id, callId } = transfer;
  if (callId === undefined || !isActive(transfer)) return;
  const now = backend.clock.now();
  const callEndsAt = currentCallEnd(backend, callId) ?? now;
  if (callEndsAt === transfer.callEndsAt) return;
  const changed = changeTransfer(backend, transfer, { callEndsAt });
  if (callEndsAt <= now) endTransfer(backend, changed, now);
  else {
    const purpose = { kind: transferTimers.callEnds, id };
    backend.clock.cancel(purpose);
    scheduleTransferTimer(backend, callEndsAt, purpose);
  }
}
