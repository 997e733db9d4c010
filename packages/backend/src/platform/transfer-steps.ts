import type { ErrorCode } from "@call-transfer/spec";
import { availabilityEnd } from "../model/expiries.ts";
import type { MemberRecord } from "../model/records/records.ts";
import type { RingRecord, TransferRecord } from "../model/records/transfer-record.ts";
import type { TimerPurpose } from "../model/time/timer-queue.ts";
import { omitUndefined } from "../model/values/omit-undefined.ts";
import { retention, withLatest } from "../model/values/retention.ts";
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

type TimerAction = (world: World, id: string, ringIndex: number, now: number) => void;

const timerActions: Readonly<Record<string, TimerAction>> = {
  [transferTimers.answers]: answer,
  [transferTimers.declines]: (world, id, ringIndex, now) => stopRinging(world, id, ringIndex, "declined", now),
  [transferTimers.ringEnds]: endUnansweredRing,
  [transferTimers.settles]: (world, id, _, now) => chooseWinner(world, id, now),
  [transferTimers.callEnds]: (world, id, _, now) => endTransfer(world, id, now),
};

/** Schedules a timer of a transfer. Ignores a purpose that no transfer has. */
export function scheduleTransferTimer(world: World, at: number, purpose: TimerPurpose): void {
  const act = timerActions[purpose.kind];
  if (act === undefined) return;
  world.clock.schedule(at, (now) => act(world, purpose.id, purpose.index ?? 0, now), purpose);
}

/** Schedules the end of a connection, or of the call that is transferred, in place of the end scheduled before. */
export function scheduleTransferEnd(world: World, id: string, at: number): void {
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  scheduleTransferTimer(world, at, { kind: transferTimers.callEnds, id });
}

// A change replaces the record. So each step gets the id of a transfer, and reads the record again after a change. A step
// does nothing for a transfer that is gone.

/** Replaces fields of a transfer. */
export function changeTransfer({ state }: World, id: string, fields: Partial<TransferRecord>): void {
  const transfer = state.transfers.get(id);
  if (transfer !== undefined) state.transfers.set(id, { ...transfer, ...fields });
}

/** Replaces fields of a ring. */
export function changeRing(world: World, id: string, ringIndex: number, fields: Partial<RingRecord>): void {
  const { rings = [] } = world.state.transfers.get(id) ?? {};
  const ring = rings[ringIndex];
  if (ring !== undefined) changeTransfer(world, id, { rings: rings.with(ringIndex, { ...ring, ...fields }) });
}

/** Records an answer, or returns the error code of one that came too late. */
export function answer(world: World, id: string, ringIndex: number, now: number): ErrorCode | undefined {
  const code = recordLateAnswer(world, id, ringIndex, now);
  const transfer = world.state.transfers.get(id);
  if (code !== undefined || transfer === undefined) return code;
  // A timer chooses the winner, so that every answer of this instant counts.
  scheduleTransferTimer(world, now, { kind: transferTimers.settles, id });
  changeTransfer(world, id, { answers: [...transfer.answers, ringIndex] });
  return undefined;
}

/** Records an answer that came too late, and returns its error code; undefined for an answer in time. */
function recordLateAnswer(world: World, id: string, ringIndex: number, now: number): ErrorCode | undefined {
  const transfer = world.state.transfers.get(id);
  const ring = transfer?.rings[ringIndex];
  const code = transfer && lateCode(transfer, ringIndex);
  if (ring === undefined || code === undefined) return undefined;
  changeRing(world, id, ringIndex, { late: withLatest(ring.late, { at: now, code }, retention.lateAnswers) });
  world.events.emit("transfer.answered_late", { id, destinationId: ring.destinationId, code });
  return code;
}

/** Ends one ring that still rings. The transfer ends with the last one. */
export function stopRinging(
  world: World,
  id: string,
  ringIndex: number,
  outcome: RingRecord["outcome"],
  now: number,
): void {
  endRing(world, id, ringIndex, outcome, now);
  endUnanswered(world, id, now);
}

function endUnansweredRing(world: World, id: string, ringIndex: number, now: number): void {
  const transfer = world.state.transfers.get(id);
  if (transfer !== undefined) stopRinging(world, id, ringIndex, unansweredOutcome(transfer, now), now);
}

function endRing(world: World, id: string, ringIndex: number, outcome: RingRecord["outcome"], now: number): void {
  const transfer = world.state.transfers.get(id);
  const ring = transfer?.rings[ringIndex];
  if (ring?.outcome !== "ringing") return;
  changeRing(world, id, ringIndex, { outcome, until: now });
  for (const kind of [transferTimers.ringEnds, transferTimers.declines])
    world.clock.cancel({ kind, id, index: ringIndex });
  const { destinationId, memberId, reason } = ring;
  const winner = outcome === "taken" ? transfer?.rings[transfer.answeredBy ?? -1] : undefined;
  const about = omitUndefined({ memberId, outcome, reason, takenBy: winner?.memberId ?? winner?.destinationId });
  world.events.emit("transfer.ring_ended", { id, destinationId, ...about });
}

/** Ends a transfer once nothing rings any more, and counts the missed offers. */
export function endUnanswered(world: World, id: string, now: number): void {
  const transfer = world.state.transfers.get(id);
  if (transfer?.status !== "ringing" || isOpen(transfer)) return;
  const status = unansweredOutcome(transfer, now) === "missed" ? "unanswered" : "abandoned";
  changeTransfer(world, id, { status, endedAt: now });
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  world.events.emit(`transfer.${status}`, { id });
  if (status === "abandoned") return;
  for (const [ringIndex, ring] of transfer.rings.entries())
    if (ring.outcome === "missed") countMissedRing(world, id, ringIndex, ring, now);
}

function countMissedRing(world: World, id: string, ringIndex: number, ring: RingRecord, now: number): void {
  const { state, policies, events, expiries } = world;
  const member = memberOf(ring, state.members);
  if (member === undefined) return;
  const counted = countMissed(member, policies, now);
  if (counted === undefined) return;
  changeRing(world, id, ringIndex, { missedCalls: member.missedCalls + 1 });
  state.members.set(counted.id, counted);
  if (counted.availability === member.availability) return;
  events.emit("member.availability", { id: counted.id, ...counted.availability });
  expiries.add(availabilityEnd(counted));
}

function chooseWinner(world: World, id: string, now: number): void {
  const transfer = world.state.transfers.get(id);
  if (transfer === undefined) return;
  const winner = winnerOf(transfer);
  changeTransfer(world, id, { answers: [] });
  connect(world, transfer, winner, now);
  for (const ringIndex of transfer.answers) if (ringIndex !== winner) recordLateAnswer(world, id, ringIndex, now);
}

function connect(world: World, { id, rings, callId }: TransferRecord, winner: number, now: number): void {
  const ring = rings[winner];
  // Every answer came too late.
  if (ring === undefined) return;
  changeTransfer(world, id, { status: "connected", answeredBy: winner, answeredAt: now });
  endRing(world, id, winner, "answered", now);
  for (const ringIndex of rings.keys()) endRing(world, id, ringIndex, "taken", now);
  world.events.emit("transfer.connected", { id, destinationId: ring.destinationId });
  if (callId === undefined) scheduleTransferEnd(world, id, now + world.policies.callDurationSecs * 1000);
  const member = memberOf(ring, world.state.members);
  if (member !== undefined) occupy(world, member, now);
}

/** Marks a connected member as busy, and stops every other ring of theirs. */
function occupy(world: World, member: MemberRecord, now: number): void {
  const { members, transfers } = world.state;
  members.set(member.id, { ...member, busy: true, missedCalls: 0 });
  for (const { id, rings } of transfers.values())
    for (const [ringIndex, { memberId }] of rings.entries())
      if (memberId === member.id) stopRinging(world, id, ringIndex, "busy", now);
}

/** Ends a connection, or the ringing when the caller has hung up. */
export function endTransfer(world: World, id: string, now: number): void {
  const { transfers, members } = world.state;
  for (const ringIndex of transfers.get(id)?.rings.keys() ?? []) stopRinging(world, id, ringIndex, "abandoned", now);
  const transfer = transfers.get(id);
  if (transfer?.status !== "connected") return;
  changeTransfer(world, id, { status: "ended", endedAt: now });
  world.clock.cancel({ kind: transferTimers.callEnds, id });
  const member = memberOf(transfer.rings[transfer.answeredBy ?? -1], members);
  if (member !== undefined) members.set(member.id, { ...member, busy: false });
  world.events.emit("transfer.ended", { id });
}

function memberOf(ring: RingRecord | undefined, members: ReadonlyMap<string, MemberRecord>): MemberRecord | undefined {
  return members.get(ring?.memberId ?? "");
}
