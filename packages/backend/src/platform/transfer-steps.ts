import type { ErrorCode } from "@call-transfer/spec";
import type { MemberRecord, RingRecord, TransferRecord } from "../model/records.ts";
import { availabilityEnd, type World } from "../model/state.ts";
import { answersSettle, type TimerPurpose } from "../model/timer-queue.ts";
import { countMissed, isOpen, lateCode, unansweredOutcome, winnerOf } from "../rules/transfers.ts";
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
type TransferStep = (world: World, transfer: TransferRecord, ringIndex: number, now: number) => void;

/** How a ring ends. */
type RingEnd = Pick<RingRecord, "outcome" | "reason">;

const timerSteps: Readonly<Record<string, TransferStep>> = {
  [transferTimers.answers]: answer,
  [transferTimers.declines]: (world, transfer, ringIndex, now) =>
    stopRinging(world, transfer, [ringIndex], { outcome: "declined" }, now),
  [transferTimers.ringEnds]: (world, transfer, ringIndex, now) =>
    stopRinging(world, transfer, [ringIndex], { outcome: unansweredOutcome(transfer, now) }, now),
  [transferTimers.settles]: chooseWinner,
  [transferTimers.callEnds]: (world, transfer, _, now) => endTransfer(world, transfer, now),
};

/** Schedules a timer of a transfer. Ignores a purpose that no transfer has. */
export function scheduleTransferTimer(world: World, at: number, purpose: TimerPurpose): void {
  const step = timerSteps[purpose.kind];
  if (step === undefined) return;
  const run = (now: number): void => {
    const transfer = world.state.transfers.get(purpose.id);
    if (transfer !== undefined) step(world, transfer, purpose.index ?? 0, now);
  };
  world.clock.schedule(at, run, purpose);
}

/** Sets the timers of what the script says, of the end of each ring, and of the end of the call. */
export function scheduleTimers(world: World, transfer: TransferRecord, script: readonly ScriptedTimer[]): void {
  const { id, rings, callEndsAt } = transfer;
  for (const { at, kind, index } of script) scheduleTransferTimer(world, at, { kind, id, index });
  for (const [index, { until, outcome }] of rings.entries())
    if (outcome === "ringing") scheduleTransferTimer(world, until, { kind: transferTimers.ringEnds, id, index });
  if (callEndsAt !== undefined) scheduleTransferTimer(world, callEndsAt, { kind: transferTimers.callEnds, id });
}

/** Replaces fields of a transfer, and returns the new record. */
export function changeTransfer(
  world: World,
  transfer: TransferRecord,
  fields: Partial<TransferRecord>,
): TransferRecord {
  const changed = { ...transfer, ...fields };
  world.state.transfers.set(changed.id, changed);
  return changed;
}

/** Replaces fields of a ring, and returns the new record of the transfer. */
export function changeRing(
  world: World,
  transfer: TransferRecord,
  ringIndex: number,
  fields: Partial<RingRecord>,
): TransferRecord {
  const rings = transfer.rings.map((ring, index) => (index === ringIndex ? { ...ring, ...fields } : ring));
  return changeTransfer(world, transfer, { rings });
}

/** Records an answer, or returns the error code of one that came too late. */
export function answer(world: World, transfer: TransferRecord, ringIndex: number, now: number): ErrorCode | undefined {
  const code = lateCode(transfer, ringIndex);
  if (code !== undefined) recordLateAnswer(world, transfer, ringIndex, code, now);
  else {
    // A timer chooses the winner, so that every answer of this instant counts.
    scheduleTransferTimer(world, now, { kind: transferTimers.settles, id: transfer.id });
    changeTransfer(world, transfer, { answers: [...transfer.answers, ringIndex] });
  }
  return code;
}

function recordLateAnswer(
  world: World,
  transfer: TransferRecord,
  ringIndex: number,
  code: ErrorCode,
  now: number,
): TransferRecord {
  const ring = transfer.rings[ringIndex];
  if (ring === undefined) return transfer;
  const late = withLatest(ring.late, { at: now, code }, retention.lateAnswers);
  const changed = changeRing(world, transfer, ringIndex, { late });
  world.events.emit("transfer.answered_late", { id: transfer.id, destinationId: ring.destinationId, code });
  return changed;
}

/** Ends those of the rings that still ring. The transfer ends with the last one. */
export function stopRinging(
  world: World,
  transfer: TransferRecord,
  ringIndexes: Iterable<number>,
  end: RingEnd,
  now: number,
): void {
  const ends = new Map(Array.from(ringIndexes, (ringIndex) => [ringIndex, end]));
  endUnanswered(world, endRings(world, transfer, ends, now), now);
}

/** Ends rings that still ring, in this order, and returns the new record of the transfer. */
function endRings(
  world: World,
  transfer: TransferRecord,
  ends: ReadonlyMap<number, RingEnd>,
  now: number,
  fields: Partial<TransferRecord> = {},
): TransferRecord {
  const ended = new Map(
    [...ends].flatMap(([index, end]) => {
      const ring = transfer.rings[index];
      return ring?.outcome === "ringing" ? [[index, { ...ring, ...end, until: now }]] : [];
    }),
  );
  if (ended.size === 0) return transfer;
  const rings = transfer.rings.map((ring, index) => ended.get(index) ?? ring);
  const changed = changeTransfer(world, transfer, { ...fields, rings });
  const { id, answeredBy = -1 } = changed;
  const winner = rings[answeredBy];
  for (const [index, { destinationId, memberId, outcome, reason }] of ended) {
    world.clock.cancel({ kind: transferTimers.ringEnds, id, index });
    world.clock.cancel({ kind: transferTimers.declines, id, index });
    world.events.emit("transfer.ring_ended", {
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
export function endUnanswered(world: World, transfer: TransferRecord, now: number): void {
  const { id, status, rings } = transfer;
  if (status !== "ringing" || isOpen(transfer)) return;
  const isMissed = unansweredOutcome(transfer, now) === "missed";
  let ended = changeTransfer(world, transfer, { status: isMissed ? "unanswered" : "abandoned", endedAt: now });
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  world.events.emit(`transfer.${ended.status}`, { id });
  if (!isMissed) return;
  for (const [ringIndex, ring] of rings.entries())
    if (ring.outcome === "missed") ended = countMissedRing(world, ended, ringIndex, now);
}

function countMissedRing(world: World, transfer: TransferRecord, ringIndex: number, now: number): TransferRecord {
  const { state, policies, events, expiries } = world;
  const member = memberOf(world, transfer, ringIndex);
  if (member === undefined) return transfer;
  const counted = countMissed(member, policies, now);
  if (counted === undefined) return transfer;
  const changed = changeRing(world, transfer, ringIndex, { missedCalls: member.missedCalls + 1 });
  state.members.set(counted.id, counted);
  if (counted.availability === member.availability) return changed;
  events.emit("member.availability", { id: counted.id, ...counted.availability });
  expiries.add(availabilityEnd(counted));
  return changed;
}

function chooseWinner(world: World, transfer: TransferRecord, _: number, now: number): void {
  const winner = winnerOf(transfer);
  // Without a winner, every answer came too late.
  let changed =
    winner === -1 ? changeTransfer(world, transfer, { answers: [] }) : connect(world, transfer, winner, now);
  for (const ringIndex of transfer.answers) {
    const code = ringIndex === winner ? undefined : lateCode(changed, ringIndex);
    if (code !== undefined) changed = recordLateAnswer(world, changed, ringIndex, code, now);
  }
}

function connect(world: World, transfer: TransferRecord, winner: number, now: number): TransferRecord {
  const { id, rings, callId } = transfer;
  const member = memberOf(world, transfer, winner);
  const ends = new Map<number, RingEnd>([[winner, { outcome: "answered" }]]);
  for (const ringIndex of rings.keys()) if (ringIndex !== winner) ends.set(ringIndex, { outcome: "taken" });
  const fields = { answers: [], status: "connected", answeredBy: winner, answeredAt: now } as const;
  const connected = endRings(world, transfer, ends, now, fields);
  world.events.emit("transfer.connected", { id, destinationId: rings[winner]?.destinationId });
  // A transfer of a call ends with the call.
  if (callId === undefined) {
    const endsAt = now + world.policies.callDurationSecs * 1000;
    scheduleTransferTimer(world, endsAt, { kind: transferTimers.callEnds, id });
  }
  if (member !== undefined) occupy(world, member, now);
  return connected;
}

/** Marks a connected member as busy, and stops every other ring of theirs. */
function occupy(world: World, member: MemberRecord, now: number): void {
  const { members, transfers } = world.state;
  members.set(member.id, { ...member, busy: true, missedCalls: 0 });
  for (const transfer of transfers.values()) {
    const { rings } = transfer;
    const own = [...rings.keys()].filter((index) => rings[index]?.memberId === member.id);
    stopRinging(world, transfer, own, { outcome: "busy" }, now);
  }
}

/** Ends a connection, or the ringing when the caller has hung up. */
export function endTransfer(world: World, transfer: TransferRecord, now: number): void {
  const { id, status, rings, answeredBy = -1 } = transfer;
  if (status !== "connected") {
    stopRinging(world, transfer, rings.keys(), { outcome: "abandoned" }, now);
    return;
  }
  const member = memberOf(world, transfer, answeredBy);
  changeTransfer(world, transfer, { status: "ended", endedAt: now });
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  const { members } = world.state;
  if (member !== undefined) members.set(member.id, { ...member, busy: false });
  world.events.emit("transfer.ended", { id });
}

function memberOf({ state }: World, { rings }: TransferRecord, ringIndex: number): MemberRecord | undefined {
  return state.members.get(rings[ringIndex]?.memberId ?? "");
}
