import type { CollectionName, TransferRecord } from "../model/records.ts";
import type { State } from "../model/state.ts";
import { isUnderWay } from "../rules/transfers.ts";

/** A field of a record that holds the id of another one. */
export interface Referrer {
  readonly collection: CollectionName;
  readonly record: object;
  /** Such as `members[0].destinationId`. */
  readonly field: string;
}

/** The collections whose records belong to an account. */
const owned = [
  "members",
  "destinations",
  "groups",
  "flows",
  "providers",
  "numbers",
  "contacts",
  "calls",
  "apiKeys",
] as const;

/** Finds the first record that refers to one of a collection; undefined if none does. */
export function findReferrer(state: State, name: CollectionName, id: string): Referrer | undefined {
  if (name === "users") return search(state.members, "members", "userId", id);
  if (name === "providers") return search(state.numbers, "numbers", "providerId", id);
  if (name === "destinations") return groupWith(state, id);
  if (name !== "accounts") return undefined;
  for (const collection of owned) {
    const found = search(state[collection], collection, "accountId", id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function search<Field extends string>(
  records: ReadonlyMap<string, { readonly [Name in Field]?: string | undefined }>,
  collection: CollectionName,
  field: Field,
  id: string,
): Referrer | undefined {
  for (const record of records.values()) if (record[field] === id) return { collection, record, field };
  return undefined;
}

function groupWith({ groups }: State, id: string): Referrer | undefined {
  for (const record of groups.values()) {
    const position = record.members.findIndex(({ destinationId }) => destinationId === id);
    if (position !== -1) return { collection: "groups", record, field: `members[${position}].destinationId` };
  }
  return undefined;
}

/** The id of a transfer under way that rings a record, connects it, or was started for it. */
export function transferWith({ transfers }: State, name: CollectionName, id: string): string | undefined {
  const concerns = ({ groupId, rings }: TransferRecord): boolean =>
    name === "groups"
      ? groupId === id
      : rings.some(
          ({ outcome, ...ring }) =>
            (outcome === "ringing" || outcome === "answered") &&
            ((name === "members" && ring.memberId === id) || (name === "destinations" && ring.destinationId === id)),
        );
  return [...transfers.values()].find((transfer) => isUnderWay(transfer) && concerns(transfer))?.id;
}
