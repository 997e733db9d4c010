import type { ErrorCode } from "@call-transfer/spec";
import type { TimerPurpose } from "../model/clock.ts";
import { InputError } from "../model/input-error.ts";
import { mostKept, withLatest } from "../model/retention.ts";
import type { RingRecord, TransferRecord } from "../model/transfer-record.ts";
import type { World } from "../model/world.ts";
import {
  countMissed,
  isOpen,
  isUnderWay,
  lateCode,
  placeOf,
  planRings,
  ringingPlaces,
  unansweredOutcome,
  type Who,
  winnerOf,
} from "../rules/transfers.ts";
import { currentCallEnd } from "./calls.ts";
import { endOfOwn, type NewTransfer, scripted, targetOf } from "./transfer-input.ts";
import { type Offers, sendOffer } from "./transfer-offers.ts";

/** The platform's side of transfers (§1). */
export interface Transfers {
  /** Rings, and answers with the transfer at its start. Throws InputError that names the bad field, or when 1000 are under way. */
  start(input: NewTransfer): TransferRecord;
  /** Picks up, now; answers the error code of one who is too late. Throws InputError for somebody not concerned. */
  answer(id: string, who: Who): Promise<ErrorCode | undefined>;
  get(id: string): TransferRecord | undefined;
  /** Those under way and the latest of those that are over, 1000 in all, oldest first. */
  list(): readonly TransferRecord[];
}

/** The purposes of a transfer's timers, each with what happens then. */
const purposes = {
  answers: "transfer.answers",
  declines: "transfer.declines",
  ringEnds: "transfer.ring_ends",
  settles: "transfer.settles",
  callEnds: "transfer.call_ends",
} as const;

/** Creates the transfers of one backend. */
export function createTransfers(
  world: World,
  offers: Offers,
): Transfers & {
  schedule(at: number, purpose: TimerPurpose): boolean;
  /** Lets transfers go on, or end, as the calls that they belong to do by now. */
  followCalls(): void;
  /** Sends the offers again that no answer is known of. */
  resend(): void;
} {
  const { state, clock, random, policies, events } = world;

  const schedule = (at: number, purpose: TimerPurpose): boolean => {
    const run = steps[purpose.kind];
    if (run === undefined) return false;
    const task = (now: number): void => {
      const transfer = state.transfers.get(purpose.id);
      if (transfer !== undefined) run(transfer, purpose.index ?? 0, now);
    };
    clock.schedule(at, task, purpose);
    return true;
  };
  const end = (transfer: TransferRecord, ring: RingRecord, outcome: RingRecord["outcome"], now: number): void => {
    ring.outcome = outcome;
    ring.until = now;
    const index = transfer.rings.indexOf(ring);
    for (const kind of [purposes.ringEnds, purposes.declines]) clock.cancel({ kind, id: transfer.id, index });
    const { destinationId, memberId } = ring;
    events.emit("transfer.ring_ended", { id: transfer.id, destinationId, ...(memberId && { memberId }), outcome });
  };
  /** Ends a transfer that nobody can answer any more, and counts what was missed. */
  const finish = (transfer: TransferRecord, now: number): void => {
    if (transfer.status !== "ringing" || isOpen(transfer)) return;
    transfer.status = unansweredOutcome(transfer, now) === "missed" ? "unanswered" : "abandoned";
    transfer.endedAt = now;
    clock.cancel({ kind: purposes.callEnds, id: transfer.id });
    events.emit(`transfer.${transfer.status}`, { id: transfer.id });
    if (transfer.status === "abandoned") return;
    for (const { memberId, outcome } of transfer.rings) {
      const member = outcome === "missed" ? state.members.get(memberId ?? "") : undefined;
      if (member === undefined) continue;
      const before = member.availability;
      countMissed(member, policies, now);
      if (member.availability !== before) events.emit("member.availability", { id: member.id, ...member.availability });
    }
  };
  const leave = (transfer: TransferRecord, place: number, outcome: RingRecord["outcome"], now: number): void => {
    const ring = transfer.rings[place];
    if (transfer.status !== "ringing" || ring?.outcome !== "ringing") return;
    end(transfer, ring, outcome, now);
    finish(transfer, now);
  };
  const pickUp = (transfer: TransferRecord, place: number, now: number): ErrorCode | undefined => {
    const code = lateCode(transfer, place, now);
    if (code !== undefined) refuse(transfer, place, code, now);
    else {
      // Settled by a timer of its own, so that everybody who answers at this instant is heard first.
      if (transfer.answers.length === 0) schedule(now, { kind: purposes.settles, id: transfer.id });
      transfer.answers.push(place);
    }
    return code;
  };
  const refuse = (transfer: TransferRecord, place: number, code: ErrorCode, now: number): void => {
    const ring = transfer.rings[place];
    if (ring !== undefined) ring.late = withLatest(ring.late, { at: now, code }, mostKept.lateAnswers);
    events.emit("transfer.answered_late", { id: transfer.id, destinationId: ring?.destinationId, code });
  };
  const settle = (transfer: TransferRecord, now: number): void => {
    const winner = winnerOf(transfer);
    const answers = transfer.answers.splice(0);
    const ring = winner === undefined ? undefined : transfer.rings[winner];
    if (transfer.status === "ringing" && winner !== undefined && ring !== undefined)
      connect(transfer, winner, ring, now);
    for (const place of answers)
      if (place !== winner) refuse(transfer, place, lateCode(transfer, place, now) ?? "offer_expired", now);
  };
  const connect = (transfer: TransferRecord, winner: number, ring: RingRecord, now: number): void => {
    transfer.status = "connected";
    transfer.answeredBy = winner;
    transfer.answeredAt = now;
    end(transfer, ring, "answered", now);
    for (const other of transfer.rings) if (other.outcome === "ringing") end(transfer, other, "taken", now);
    events.emit("transfer.connected", { id: transfer.id, destinationId: ring.destinationId });
    if (transfer.callId === undefined) endsAt(transfer, now + policies.callDurationSecs * 1000);
    const member = state.members.get(ring.memberId ?? "");
    if (member === undefined) return;
    member.busy = true;
    member.missedCalls = 0;
    // Whoever talks does not go on ringing elsewhere.
    for (const other of state.transfers.values())
      for (const [place, { memberId }] of other.rings.entries())
        if (memberId === member.id) leave(other, place, "busy", now);
  };
  const endsAt = (transfer: TransferRecord, at: number): void => {
    clock.cancel({ kind: purposes.callEnds, id: transfer.id });
    schedule(at, { kind: purposes.callEnds, id: transfer.id });
  };
  /** Ends a connection, or the ringing for a caller who is gone. */
  const hangUp = (transfer: TransferRecord, now: number): void => {
    if (transfer.status === "ringing")
      for (const place of transfer.rings.keys()) leave(transfer, place, "abandoned", now);
    if (transfer.status !== "connected") return;
    transfer.status = "ended";
    transfer.endedAt = now;
    clock.cancel({ kind: purposes.callEnds, id: transfer.id });
    const member = state.members.get(transfer.rings[transfer.answeredBy ?? -1]?.memberId ?? "");
    if (member !== undefined) member.busy = false;
    events.emit("transfer.ended", { id: transfer.id });
  };
  const steps: Readonly<Record<string, (transfer: TransferRecord, place: number, now: number) => void>> = {
    [purposes.answers]: (transfer, place, now) => void pickUp(transfer, place, now),
    [purposes.declines]: (transfer, place, now) => leave(transfer, place, "declined", now),
    [purposes.ringEnds]: (transfer, place, now) => leave(transfer, place, unansweredOutcome(transfer, now), now),
    [purposes.settles]: (transfer, _, now) => settle(transfer, now),
    [purposes.callEnds]: (transfer, _, now) => hangUp(transfer, now),
  };

  /** Offers the call to those places that are apps. */
  const offer = (transfer: TransferRecord, places: readonly number[]): void => {
    for (const place of places)
      if (transfer.rings[place]?.kind === "app") sendOffer(world, offers, { accept, decline }, transfer, place);
  };
  const accept = (transfer: TransferRecord, place: number): void => void pickUp(transfer, place, clock.now());
  const decline = (transfer: TransferRecord, place: number, reason: string): void => {
    const ring = transfer.rings[place];
    if (ring?.outcome === "ringing") ring.reason = reason;
    leave(transfer, place, "declined", clock.now());
  };
  const makeRoom = (): void => {
    if (state.transfers.size < mostKept.transfers) return;
    const over = [...state.transfers.values()].find((transfer) => !isUnderWay(transfer));
    if (over === undefined)
      throw new InputError(
        "",
        `${mostKept.transfers} transfers are under way already: move the clock on until some end`,
      );
    state.transfers.delete(over.id);
    clock.cancel({ id: over.id });
  };
  const followCall = (transfer: TransferRecord, callId: string, now: number): void => {
    const endsBy = currentCallEnd(world, callId) ?? now;
    if (!isUnderWay(transfer) || endsBy === transfer.callEndsAt) return;
    transfer.callEndsAt = endsBy;
    if (endsBy <= now) hangUp(transfer, now);
    else endsAt(transfer, endsBy);
  };

  return {
    start(input) {
      const { destinationId, groupId, callId } = input;
      const target = targetOf(world, input);
      const now = clock.now();
      const callEndsAt = callId === undefined ? undefined : endOfOwn(world, target.accountId, callId);
      const rings = planRings(state, policies, target, now);
      const transfer: TransferRecord = {
        id: random.uuid(),
        accountId: target.accountId,
        ...(destinationId !== undefined && { destinationId }),
        ...(groupId !== undefined && { groupId }),
        ...(callId !== undefined && { callId }),
        status: "ringing",
        startedAt: now,
        ...(callEndsAt !== undefined && { callEndsAt }),
        rings,
        answers: [],
      };
      const script = (input.script ?? []).map((entry, index) => ({ ...entry, ...scripted(transfer, entry, index) }));
      makeRoom();
      state.transfers.set(transfer.id, transfer);
      events.emit("transfer.started", { id: transfer.id });
      const { id } = transfer;
      for (const { place, answerAfterSecs, declineAfterSecs } of script) {
        if (answerAfterSecs !== undefined)
          schedule(now + answerAfterSecs * 1000, { kind: purposes.answers, id, index: place });
        if (declineAfterSecs !== undefined)
          schedule(now + declineAfterSecs * 1000, { kind: purposes.declines, id, index: place });
      }
      for (const [index, { until, outcome }] of rings.entries())
        if (outcome === "ringing") schedule(until, { kind: purposes.ringEnds, id, index });
      if (callEndsAt !== undefined) endsAt(transfer, callEndsAt);
      offer(transfer, ringingPlaces(transfer));
      finish(transfer, now);
      return transfer;
    },
    async answer(id, who) {
      const transfer = state.transfers.get(id);
      const place = transfer && placeOf(transfer, who);
      if (transfer === undefined || place === undefined)
        throw new InputError(who.memberId === undefined ? "destinationId" : "memberId", "is not part of the transfer");
      const code = pickUp(transfer, place, clock.now());
      await clock.runDue();
      return code ?? (transfer.answeredBy === place ? undefined : transfer.rings[place]?.late.at(-1)?.code);
    },
    get: (id) => state.transfers.get(id),
    list: () => [...state.transfers.values()],
    schedule,
    followCalls() {
      for (const transfer of state.transfers.values())
        if (transfer.callId !== undefined) followCall(transfer, transfer.callId, clock.now());
    },
    resend() {
      for (const transfer of state.transfers.values()) offer(transfer, ringingPlaces(transfer));
    },
  };
}
