import type { ErrorCode } from "@call-transfer/spec";
import type { MemberRecord, RingRecord, TransferRecord } from "../model/records.ts";
import type { BackendState } from "../model/state.ts";
import { answersSettle, type TimerPurpose } from "../model/timer-queue.ts";
import { countMissed } from "../rules/members.ts";
import { isOpen, lateCode, unansweredOutcome, winnerOf } from "../rules/transfers.ts";
import { retention, withLatest } from "../utils/values.ts";

/** The kinds of a transfer's timers. */
export const transferTimers = {
  answers: "transfer.answers",
  declines: "transfer.declines",
  ringEnds: "transfer.ring_ends",
  settles: answersSettle,
  callEnds: "transfer.call_ends",
} as const;

/** The timer of an answer or a decline. */
export interface ScriptedTimer {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: string;
  /** The index of the ring. */
  readonly index: number;
}

/** A step gets the transfer as it is now, and replaces it. */
type TransferStep = (backend: BackendState, transfer: TransferRecord, ringIndex: number, now: number) => void;

/** How a ring ends. */
type RingEnd = Pick<RingRecord, "outcome" | "reason">;

const timerSteps: Readonly<Record<string, TransferStep>> = {
  [transferTimers.answers]: answer,
  [transferTimers.declines]: (backend, transfer, ringIndex, now) =>
    stopRinging(backend, transfer, [ringIndex], { outcome: "declined" }, now),
  [transferTimers.ringEnds]: (backend, transfer, ringIndex, now) =>
    stopRinging(backend, transfer, [ringIndex], { outcome: unansweredOutcome(transfer, now) }, now),
  [transferTimers.settles]: chooseWinner,
  [transferTimers.callEnds]: (backend, transfer, _, now) => endTransfer(backend, transfer, now),
};

/** Schedules a timer of a transfer. Ignores a purpose that no transfer has. */
export function scheduleTransferTimer(backend: BackendState, at: number, purpose: TimerPurpose): void {
  const step = timerSteps[purpose.kind];
  if (step === undefined) return;
  const run = (now: number): void => {
    const transfer = backend.state.transfers.get(purpose.id);
    if (transfer !== undefined) step(backend, transfer, purpose.index ?? 0, now);
  };
  backend.clock.schedule(at, run, purpose);
}

/** Sets the timers of what the script says, of the end of each ring, and of the end of the call. */
export function scheduleTimers(
  backend: BackendState,
  transfer: TransferRecord,
  script: readonly ScriptedTimer[],
): void {
  const { id, rings, callEndsAt } = transfer;
  for (const { at, kind, index } of script) scheduleTransferTimer(backend, at, { kind, id, index });
  for (const [index, { endsAt, outcome }] of rings.entries())
    if (outcome === "ringing") scheduleTransferTimer(backend, endsAt, { kind: transferTimers.ringEnds, id, index });
  if (callEndsAt !== undefined) scheduleTransferTimer(backend, callEndsAt, { kind: transferTimers.callEnds, id });
}

/** Replaces fields of a transfer, and returns the new record. */
export function changeTransfer(
  backend: BackendState,
  transfer: TransferRecord,
  fields: Partial<TransferRecord>,
): TransferRecord {
  const changed = { ...transfer, ...fields };
  backend.state.transfers.set(changed.id, changed);
  return changed;
}

/** Replaces fields of a ring, and returns the new record of the transfer. */
export function changeRing(
  backend: BackendState,
  transfer: TransferRecord,
  ringIndex: number,
  fields: Partial<RingRecord>,
): TransferRecord {
  const rings = transfer.rings.map((ring, index) => (index === ringIndex ? { ...ring, ...fields } : ring));
  return changeTransfer(backend, transfer, { rings });
}

/** Records an answer, or returns the error code of one that came too late. */
export function answer(
  backend: BackendState,
  transfer: TransferRecord,
  ringIndex: number,
  now: number,
): ErrorCode | undefined {
  const code = lateCode(transfer, ringIndex);
  if (code !== undefined) recordLateAnswer(backend, transfer, ringIndex, code, now);
  else {
    // A timer chooses the winner, so that every answer of this instant counts.
    scheduleTransferTimer(backend, now, { kind: transferTimers.settles, id: transfer.id });
    changeTransfer(backend, transfer, { answers: [...transfer.answers, ringIndex] });
  }
  return code;
}

function recordLateAnswer(
  backend: BackendState,
  transfer: TransferRecord,
  ringIndex: number,
  code: ErrorCode,
  now: number,
): TransferRecord {
  const ring = transfer.rings[ringIndex];
  if (ring === undefined) return transfer;
  const lateAnswers = withLatest(ring.lateAnswers, { at: now, code }, retention.lateAnswers);
  const changed = changeRing(backend, transfer, ringIndex, { lateAnswers });
  backend.events.emit("transfer.answered_late", { id: transfer.id, destinationId: ring.destinationId, code });
  return changed;
}

/** Ends those of the rings that still ring. The transfer ends with the last one. */
export function stopRinging(
  backend: BackendState,
  transfer: TransferRecord,
  ringIndexes: Iterable<number>,
  end: RingEnd,
  now: number,
): void {
  const ends = new Map(Array.from(ringIndexes, (ringIndex) => [ringIndex, end]));
  endUnanswered(backend, endRings(backend, transfer, ends, now), now);
}

/** Ends rings that still ring, in this order, and returns the new record of the transfer. */
function endRings(
  backend: BackendState,
  transfer: TransferRecord,
  ends: ReadonlyMap<number, RingEnd>,
  now: number,
  fields: Partial<TransferRecord> = {},
): TransferRecord {
  const ended = new Map(
    [...ends].flatMap(([index, end]) => {
      const ring = transfer.rings[index];
      return ring?.outcome === "ringing" ? [[index, { ...ring, ...end, endsAt: now }]] : [];
    }),
  );
  if (ended.size === 0) return transfer;
  const rings = transfer.rings.map((ring, index) => ended.get(index) ?? ring);
  const changed = changeTransfer(backend, transfer, { ...fields, rings });
  const { id, answeredRingIndex = -1 } = changed;
  const winner = rings[answeredRingIndex];
  for (const [index, { destinationId, memberId, outcome, reason }] of ended) {
    backend.clock.cancel({ kind: transferTimers.ringEnds, id, index });
    backend.clock.cancel({ kind: transferTimers.declines, id, index });
    backend.events.emit("transfer.ring_ended", {
      id,
      destinationId,
      ...(memberId !== undefined && { memberId }),
      outcome,
      ...(reason !== undefined && { reason }),
      ...(outcome === "taken" && { takenBy: winner?.memberId ?? winner?.destinationId }),
    });
  }
  return changed;
}

/** Ends a transfer once nothing rings any more, and counts the missed offers. */
export function endUnanswered(backend: BackendState, transfer: TransferRecord, now: number): void {
  const { id, status, rings } = transfer;
  if (status !== "ringing" || isOpen(transfer)) return;
  const isMissed = unansweredOutcome(transfer, now) === "missed";
  let ended = changeTransfer(backend, transfer, { status: isMissed ? "unanswered" : "abandoned", endedAt: now });
  backend.clock.cancel({ kind: transferTimers.callEnds, id });
  backend.events.emit(`transfer.${ended.status}`, { id });
  if (!isMissed) return;
  for (const [ringIndex, ring] of rings.entries())
    if (ring.outcome === "missed") ended = countMissedRing(backend, ended, ringIndex, now);
}

function countMissedRing(
  backend: BackendState,
  transfer: TransferRecord,
  ringIndex: number,
  now: number,
): TransferRecord {
  const { state, policies, events, expiries } = backend;
  const member = memberOf(backend, transfer, ringIndex);
  if (member === undefined) return transfer;
  const counted = countMissed(member, policies, now);
  if (counted === undefined) return transfer;
  const changed = changeRing(backend, transfer, ringIndex, { missedCalls: member.missedCalls + 1 });
  state.members.set(counted.id, counted);
  if (counted.availability === member.availability) return changed;
  events.emit("member.availability_changed", { id: counted.id, ...counted.availability });
  expiries.refresh();
  return changed;
}

function chooseWinner(backend: BackendState, transfer: TransferRecord, _: number, now: number): void {
  const winner = winnerOf(transfer);
  // Without a winner, every answer came too late.
  let changed =
    winner === -1 ? changeTransfer(backend, transfer, { answers: [] }) : connect(backend, transfer, winner, now);
  for (const ringIndex of transfer.answers) {
    const code = ringIndex === winner ? undefined : lateCode(changed, ringIndex);
    if (code !== undefined) changed = recordLateAnswer(backend, changed, ringIndex, code, now);
  }
}

function connect(backend: BackendState, transfer: TransferRecord, winner: number, now: number): TransferRecord {
  const { id, rings, callId } = transfer;
  const member = memberOf(backend, transfer, winner);
  const ends = new Map<number, RingEnd>([[winner, { outcome: "answered" }]]);
  for (const ringIndex of rings.keys()) if (ringIndex !== winner) ends.set(ringIndex, { outcome: "taken" });
  const fields = { answers: [], status: "connected", answeredRingIndex: winner, answeredAt: now } as const;
  const connected = endRings(backend, transfer, ends, now, fields);
  backend.events.emit("transfer.connected", { id, destinationId: rings[winner]?.destinationId });
  // A transfer of a call ends with the call.
  if (callId === undefined) {
    const endsAt = now + backend.policies.callDurationSecs * 1000;
    scheduleTransferTimer(backend, endsAt, { kind: transferTimers.callEnds, id });
  }
  if (member !== undefined) occupy(backend, member, now);
  return connected;
}

/** Marks a connected member as busy, and stops every other ring of theirs. */
function occupy(backend: BackendState, member: MemberRecord, now: number): void {
  const { members, transfers } = backend.state;
  members.set(member.id, { ...member, busy: true, missedCalls: 0 });
  for (const transfer of transfers.values()) {
    const { rings } = transfer;
    const own = [...rings.keys()].filter((index) => rings[index]?.memberId === member.id);
    stopRinging(backend, transfer, own, { outcome: "busy" }, now);
  }
}

/** Ends a connection, or the ringing when the caller has hung up. */
export function endTransfer(backend: BackendState, transfer: TransferRecord, now: number): void {
  const { id, status, rings, answeredRingIndex = -1 } = transfer;
  if (status !== "connected") {
    stopRinging(backend, transfer, rings.keys(), { outcome: "abandoned" }, now);
    return;
  }
  const member = memberOf(backend, transfer, answeredRingIndex);
  changeTransfer(backend, transfer, { status: "ended", endedAt: now });
  backend.clock.cancel({ kind: transferTimers.callEnds, id });
  const { members } = backend.state;
  if (member !== undefined) members.set(member.id, { ...member, busy: false });
  backend.events.emit("transfer.ended", { id });
}

function memberOf({ state }: BackendState, { rings }: TransferRecord, ringIndex: number): MemberRecord | undefined {
  return state.members.get(rings[ringIndex]?.memberId ?? "");
}
