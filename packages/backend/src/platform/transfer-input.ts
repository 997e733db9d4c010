import type { TransferRecord } from "../model/records.ts";
import { groupDefaults } from "../model/records.ts";
import type { State, World } from "../model/state.ts";
import { type Callee, indexOfCallee, type RingTarget } from "../rules/transfers.ts";
import { InputError } from "../utils/input-error.ts";
import { currentCallEnd } from "./calls.ts";
import { type ScriptedTimer, transferTimers } from "./transfer-steps.ts";

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
export function targetOf(state: State, { destinationId, groupId }: NewTransfer): RingTarget {
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
export function endOfAccountsCall(world: World, accountId: string, callId: string): number {
  const isOwn = world.state.calls.get(callId)?.accountId === accountId;
  const endsAt = isOwn ? currentCallEnd(world, callId) : undefined;
  if (endsAt === undefined) throw new InputError("callId", "must be a call of the account that is in progress");
  return endsAt;
}

/** The timer of a script entry. Throws InputError for an entry that can have no effect. */
export function scriptedTimer(transfer: TransferRecord, entry: ScriptEntry, entryIndex: number): ScriptedTimer {
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
