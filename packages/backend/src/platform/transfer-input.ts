import { InputError } from "../model/input-error.ts";
import { groupDefaults } from "../model/records.ts";
import type { TransferRecord } from "../model/transfer-record.ts";
import type { World } from "../model/world.ts";
import { placeOf, type RingTarget, type Who } from "../rules/transfers.ts";
import { currentCallEnd } from "./calls.ts";

/** How a phone or a person behaves during a transfer. */
export interface ScriptEntry extends Who {
  /** Seconds after the start. */
  readonly answerAfterSecs?: number | undefined;
  readonly declineAfterSecs?: number | undefined;
}

/** A transfer to start: exactly one of `destinationId` and `groupId`. */
export interface NewTransfer {
  readonly destinationId?: string | undefined;
  readonly groupId?: string | undefined;
  /** A call of the account that is in progress; the transfer ends with it. */
  readonly callId?: string | undefined;
  /** Who is not mentioned does not answer. Apps answer by their HTTP response. */
  readonly script?: readonly ScriptEntry[] | undefined;
}

/** What a transfer rings. Throws InputError that names the bad field. */
export function targetOf({ state }: World, { destinationId, groupId }: NewTransfer): RingTarget {
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

/** When the account's call ends that is transferred, in milliseconds. Throws InputError for one that is not in progress. */
export function endOfOwn(world: World, accountId: string, callId: string): number {
  const end = world.state.calls.get(callId)?.accountId === accountId ? currentCallEnd(world, callId) : undefined;
  if (end === undefined) throw new InputError("callId", "is no call of the account that is in progress");
  return end;
}

/** The place that an entry of the script is about. Throws InputError for one that can have no effect. */
export function scripted(transfer: TransferRecord, entry: ScriptEntry, index: number): { place: number } {
  const field = `script[${index}]`;
  const name = entry.memberId === undefined ? "destinationId" : "memberId";
  const place = placeOf(transfer, entry);
  const ring = place === undefined ? undefined : transfer.rings[place];
  if (place === undefined || ring === undefined)
    throw new InputError(`${field}.${name}`, "is not part of the transfer");
  if (ring.kind === "app") throw new InputError(`${field}.${name}`, "an app answers by its HTTP response");
  if (ring.kind === "available_humans" && entry.memberId === undefined)
    throw new InputError(`${field}.memberId`, "say which member answers");
  if ((entry.answerAfterSecs === undefined) === (entry.declineAfterSecs === undefined))
    throw new InputError(`${field}.answerAfterSecs`, "give answerAfterSecs or declineAfterSecs, and not both");
  return { place };
}
