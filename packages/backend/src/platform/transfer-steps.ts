import type { ErrorCode } from "@call-transfer/spec";
import { availabilityEnd } from "../model/expiries.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import type { MemberRecord } from "../model/records.ts";
import { retention, withLatest } from "../model/retention.ts";
import type { TimerPurpose } from "../model/timer-queue.ts";
import type { RingRecord, TransferRecord } from "../model/transfer-record.ts";
import type { World } from "../model/world.ts";
import { countMissed, isOpen, lateCode, unansweredOutcome, winnerOf } from "../rules/transfers.ts";

/** The kinds of a transfer's timers. */
export const transferTimers = {
  answers: "transfer.answers",
  declines: "transfer.declines",
  ringEnds: "transfer.ring_ends",
  settles: "transfer.settles",
  callEnds: "transfer.call_ends",
} as const;

type TimerAction = (world: World, transfer: TransferRecord, ringIndex: number, now: number) => void;

const timerActions: Readonly<Record<string, TimerAction>> = {
  [transferTimers.answers]: answer,
  [transferTimers.declines]: (world, transfer, ringIndex, now) =>
    stopRinging(world, transfer, ringIndex, "declined", now),
  [transferTimers.ringEnds]: (world, transfer, ringIndex, now) =>
    stopRinging(world, transfer, ringIndex, unansweredOutcome(transfer, now), now),
  [transferTimers.settles]: (world, transfer, _, now) => chooseWinner(world, transfer, now),
  [transferTimers.callEnds]: (world, transfer, _, now) => endTransfer(world, transfer, now),
};

/** Schedules a timer of a transfer. Ignores a purpose that no transfer has. */
export function scheduleTransferTimer(world: World, at: number, purpose: TimerPurpose): void {
  const act = timerActions[purpose.kind];
  if (act === undefined) return;
  const task = (now: number): void => {
    const transfer = world.state.transfers.get(purpose.id);
    if (transfer !== undefined) act(world, transfer, purpose.index ?? 0, now);
  };
  world.clock.schedule(at, task, purpose);
}

/** Schedules the end of a connection, or of the call that is transferred, in place of the end scheduled before. */
export function scheduleTransferEnd(world: World, { id }: TransferRecord, at: number): void {
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  scheduleTransferTimer(world, at, { kind: transferTimers.callEnds, id });
}

/** Records an answer, or returns the error code of one that came too late. */
export function answer(world: World, transfer: TransferRecord, ringIndex: number, now: number): ErrorCode | undefined {
  const code = lateCode(transfer, ringIndex);
  if (code !== undefined) {
    recordLateAnswer(world, transfer, ringIndex, code, now);
    return code;
  }
  // A timer chooses the winner, so that every answer of this instant counts.
  scheduleTransferTimer(world, now, { kind: transferTimers.settles, id: transfer.id });
  transfer.answers.push(ringIndex);
  return undefined;
}

function recordLateAnswer(
  world: World,
  transfer: TransferRecord,
  ringIndex: number,
  code: ErrorCode,
  now: number,
): void {
  const ring = transfer.rings[ringIndex];
  if (ring !== undefined) ring.late = withLatest(ring.late, { at: now, code }, retention.lateAnswers);
  world.events.emit("transfer.answered_late", { id: transfer.id, destinationId: ring?.destinationId, code });
}

/** Ends one ring that still rings. The transfer ends with the last one. */
export function stopRinging(
  world: World,
  transfer: TransferRecord,
  ringIndex: number,
  outcome: RingRecord["outcome"],
  now: number,
): void {
  const ring = transfer.rings[ringIndex];
  if (ring?.outcome !== "ringing") return;
  endRing(world, transfer, ring, outcome, now);
  endUnanswered(world, transfer, now);
}

function endRing(
  { clock, events }: World,
  transfer: TransferRecord,
  ring: RingRecord,
  outcome: RingRecord["outcome"],
  now: number,
): void {
  ring.outcome = outcome;
  ring.until = now;
  const index = transfer.rings.indexOf(ring);
  for (const kind of [transferTimers.ringEnds, transferTimers.declines]) clock.cancel({ kind, id: transfer.id, index });
  const { destinationId, memberId, reason } = ring;
  const winner = outcome === "taken" ? transfer.rings[transfer.answeredBy ?? -1] : undefined;
  const about = omitUndefined({ memberId, outcome, reason, takenBy: winner?.memberId ?? winner?.destinationId });
  events.emit("transfer.ring_ended", { id: transfer.id, destinationId, ...about });
}

/** Ends a transfer once nothing rings any more, and counts the missed offers. */
export function endUnanswered(world: World, transfer: TransferRecord, now: number): void {
  const { state, clock, policies, events, expiries } = world;
  if (transfer.status !== "ringing" || isOpen(transfer)) return;
  transfer.status = unansweredOutcome(transfer, now) === "missed" ? "unanswered" : "abandoned";
  transfer.endedAt = now;
  clock.cancel({ kind: transferTimers.callEnds, id: transfer.id });
  events.emit(`transfer.${transfer.status}`, { id: transfer.id });
  if (transfer.status === "abandoned") return;
  for (const ring of transfer.rings) {
    const member = ring.outcome === "missed" ? memberOf(ring, state.members) : undefined;
    if (member === undefined) continue;
    const before = member.availability;
    const count = countMissed(member, policies, now);
    if (count !== undefined) ring.missedCalls = count;
    if (member.availability === before) continue;
    events.emit("member.availability", { id: member.id, ...member.availability });
    expiries.add(availabilityEnd(member));
  }
}

function chooseWinner(world: World, transfer: TransferRecord, now: number): void {
  const winner = winnerOf(transfer);
  const answers = transfer.answers.splice(0);
  connect(world, transfer, winner, now);
  for (const ringIndex of answers)
    if (ringIndex !== winner)
      recordLateAnswer(world, transfer, ringIndex, lateCode(transfer, ringIndex) ?? "offer_expired", now);
}

function connect(world: World, transfer: TransferRecord, winner: number, now: number): void {
  const ring = transfer.rings[winner];
  // Every answer came too late.
  if (ring === undefined) return;
  transfer.status = "connected";
  transfer.answeredBy = winner;
  transfer.answeredAt = now;
  endRing(world, transfer, ring, "answered", now);
  for (const other of transfer.rings) if (other.outcome === "ringing") endRing(world, transfer, other, "taken", now);
  world.events.emit("transfer.connected", { id: transfer.id, destinationId: ring.destinationId });
  if (transfer.callId === undefined) scheduleTransferEnd(world, transfer, now + world.policies.callDurationSecs * 1000);
  const member = memberOf(ring, world.state.members);
  if (member !== undefined) occupy(world, member, now);
}

/** Marks a connected member as busy, and stops every other ring of theirs. */
function occupy(world: World, member: MemberRecord, now: number): void {
  member.busy = true;
  member.missedCalls = 0;
  for (const transfer of world.state.transfers.values())
    for (const [ringIndex, { memberId }] of transfer.rings.entries())
      if (memberId === member.id) stopRinging(world, transfer, ringIndex, "busy", now);
}

/** Ends a connection, or the ringing when the caller has hung up. */
export function endTransfer(world: World, transfer: TransferRecord, now: number): void {
  for (const ringIndex of transfer.rings.keys()) stopRinging(world, transfer, ringIndex, "abandoned", now);
  if (transfer.status !== "connected") return;
  transfer.status = "ended";
  transfer.endedAt = now;
  world.clock.cancel({ kind: transferTimers.callEnds, id: transfer.id });
  const member = memberOf(transfer.rings[transfer.answeredBy ?? -1], world.state.members);
  if (member !== undefined) member.busy = false;
  world.events.emit("transfer.ended", { id: transfer.id });
}

function memberOf(ring: RingRecord | undefined, members: ReadonlyMap<string, MemberRecord>): MemberRecord | undefined {
  return members.get(ring?.memberId ?? "");
}
