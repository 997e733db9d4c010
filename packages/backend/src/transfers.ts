import type { ErrorCode } from "@call-transfer/spec";
import type { TimerPurpose } from "./clock.ts";
import type { Delivery, Trigger } from "./deliveries.ts";
import type { World } from "./exchange.ts";
import { InputError } from "./input-error.ts";
import {
  countMissed,
  isOpen,
  lateCode,
  placeOf,
  planRings,
  unansweredOutcome,
  type Who,
  winnerOf,
} from "./rules/transfers.ts";
import { callEnd, type NewTransfer, scripted, targetOf } from "./transfer-input.ts";
import type { RingRecord, TransferRecord } from "./transfer-record.ts";

/** The platform's side of transfers (§1). */
export interface Transfers {
  /** Rings, and answers with the transfer at its start. Throws InputError that names the bad field. */
  start(input: NewTransfer): TransferRecord;
  /** Picks up, now; answers the error code of one who is too late. Throws InputError for somebody not concerned. */
  answer(id: string, who: Who): Promise<ErrorCode | undefined>;
  get(id: string): TransferRecord | undefined;
  /** Oldest first. */
  list(): readonly TransferRecord[];
}

/** Sends offers to apps. */
interface Offers {
  offer(trigger: Trigger): { readonly id: string; readonly done: Promise<Delivery> };
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
  deliveries: Offers,
): Transfers & { schedule(at: number, purpose: TimerPurpose): boolean } {
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
    const { destinationId, memberId } = ring;
    events.emit("transfer.ring_ended", { id: transfer.id, destinationId, ...(memberId && { memberId }), outcome });
  };
  /** Ends a transfer that nobody can answer any more, and counts what was missed. */
  const finish = (transfer: TransferRecord, now: number): void => {
    if (transfer.status !== "ringing" || isOpen(transfer)) return;
    transfer.status = unansweredOutcome(transfer, now) === "missed" ? "unanswered" : "abandoned";
    transfer.endedAt = now;
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
    transfer.rings[place]?.late.push({ at: now, code });
    events.emit("transfer.answered_late", {
      id: transfer.id,
      destinationId: transfer.rings[place]?.destinationId,
      code,
    });
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
    schedule(transfer.callEndsAt ?? now + policies.callDurationSecs * 1000, {
      kind: purposes.callEnds,
      id: transfer.id,
    });
    const member = state.members.get(ring.memberId ?? "");
    if (member === undefined) return;
    member.busy = true;
    member.missedCalls = 0;
    // Whoever talks does not go on ringing elsewhere.
    for (const other of state.transfers.values())
      for (const [place, { memberId }] of other.rings.entries())
        if (memberId === member.id) leave(other, place, "busy", now);
  };
  const hangUp = (transfer: TransferRecord, now: number): void => {
    if (transfer.status !== "connected") return;
    transfer.status = "ended";
    transfer.endedAt = now;
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

  /** Sends the offer; the app's response is its answer. */
  const offer = (transfer: TransferRecord, place: number, ring: RingRecord): void => {
    const { id: transferId, groupId, callId } = transfer;
    const expiresAt = new Date(ring.until).toISOString();
    const about = { transferId, ...(groupId && { groupId }), ...(callId && { callId }), expiresAt };
    try {
      const { id, done } = deliveries.offer({ destinationId: ring.destinationId, ...about });
      ring.deliveryId = id;
      const answered = ({ accepted, status, error }: Delivery): void => {
        // A reset or a restored snapshot has forgotten this transfer, or holds another copy of it.
        if (state.transfers.get(transferId) !== transfer) return;
        if (accepted) pickUp(transfer, place, clock.now());
        else decline(transfer, place, status === undefined ? (error ?? "no answer") : `the app answered ${status}`);
      };
      clock.track(done.then(answered));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      decline(transfer, place, error.message);
    }
  };
  const decline = (transfer: TransferRecord, place: number, reason: string): void => {
    const ring = transfer.rings[place];
    if (ring?.outcome === "ringing") ring.reason = reason;
    leave(transfer, place, "declined", clock.now());
  };

  return {
    start(input) {
      const { destinationId, groupId, callId } = input;
      const target = targetOf(world, input);
      const now = clock.now();
      const callEndsAt = callId === undefined ? undefined : callEnd(world, target.accountId, callId);
      const rings = planRings(state, policies, target, now, callEndsAt);
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
      state.transfers.set(transfer.id, transfer);
      events.emit("transfer.started", { id: transfer.id });
      const { id } = transfer;
      for (const { place, answerAfterSecs, declineAfterSecs } of script) {
        if (answerAfterSecs !== undefined)
          schedule(now + answerAfterSecs * 1000, { kind: purposes.answers, id, index: place });
        if (declineAfterSecs !== undefined)
          schedule(now + declineAfterSecs * 1000, { kind: purposes.declines, id, index: place });
      }
      const ringing = [...rings.entries()].filter(([, { outcome }]) => outcome === "ringing");
      for (const [index, { until }] of ringing) schedule(until, { kind: purposes.ringEnds, id, index });
      for (const [place, ring] of ringing) if (ring.kind === "app") offer(transfer, place, ring);
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
  };
}
