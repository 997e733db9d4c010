import { membership } from "../model/indexes.ts";
import type { CheckedSeed, CollectionName, TransferRecord } from "../model/records.ts";
import { contactKey, type IndexedState, type State } from "../model/state.ts";
import { isActive } from "../rules/transfers.ts";
import { InputError } from "../utils/input-error.ts";

/** A field of a record that holds the id of another one. */
interface Referrer {
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
  return [...transfers.values()].find((transfer) => isActive(transfer) && concerns(transfer))?.id;
}

/** A record in the state that a checked one takes the place of. */
type Replaced = object | undefined;

/**
 * Checks a seed for duplicates and dangling references, also against the state, but not against the record that it replaces.
 * Looks up what the seed names, and no other records. Throws InputError that names the field.
 */
export function checkReferences(seed: CheckedSeed, state: IndexedState, replaced?: Replaced): void {
  for (const name of collectionsWithIds)
    checkUnique<{ readonly id: string }>(name, "id", seed[name], {
      keyOf: ({ id }) => id,
      existing: ({ id }) => state[name].get(id),
      replaced,
    });
  checkOwners(seed, state);
  checkUniqueFields(seed, state, replaced);
  checkMembers(seed, state);
  checkNumbers(seed, state);
  checkSecrets(seed);
  checkGroups(seed, state);
}

const collectionsWithIds = [
  "accounts",
  "users",
  "members",
  "destinations",
  "groups",
  "flows",
  "providers",
  "calls",
] as const;

interface Uniqueness<Fields> {
  /** The text that is unique; undefined for a record that gets one later. */
  keyOf(record: Fields): string | undefined;
  /** The record in the state that has the same. */
  existing(record: Fields): object | undefined;
  readonly replaced: Replaced;
}

function checkUnique<Fields extends object>(
  collection: CollectionName,
  field: string,
  records: readonly Fields[] = [],
  { keyOf, existing, replaced }: Uniqueness<NoInfer<Fields>>,
): void {
  const taken = new Set<string>();
  for (const [index, record] of records.entries()) {
    const key = keyOf(record);
    if (key === undefined) continue;
    const found = existing(record);
    if (taken.has(key) || (found !== undefined && found !== replaced))
      throw new InputError(
        `${collection}[${index}].${field}`,
        `is taken. Another of the ${collection} has the same ${field}.`,
      );
    taken.add(key);
  }
}

/** Checks that the account of each record exists. */
function checkOwners({ accounts, users: _, roles: __, ...owned }: CheckedSeed, state: IndexedState): void {
  const isKnown = knownIn(accounts, state.accounts);
  for (const [collection, records] of Object.entries(owned))
    for (const [index, { accountId }] of (records ?? []).entries())
      if (!isKnown(accountId))
        throw new InputError(`${collection}[${index}].accountId`, `no account has the id ${accountId}`);
}

function checkUniqueFields(seed: CheckedSeed, state: IndexedState, replaced: Replaced): void {
  const { members, groups, numbers, contacts, apiKeys } = state;
  checkUnique("members", "userId", seed.members, {
    keyOf: membership,
    existing: ({ accountId, userId }) => members.of(accountId, userId),
    replaced,
  });
  checkUnique("groups", "name", seed.groups, {
    keyOf: ({ accountId, name }) => `${accountId} ${name}`,
    existing: ({ accountId, name }) => groups.named(accountId, name),
    replaced,
  });
  checkUnique("numbers", "number", seed.numbers, {
    keyOf: ({ number }) => number,
    existing: ({ number }) => numbers.get(number),
    replaced,
  });
  const contactOf = ({ accountId, number }: { accountId: string; number: string }) => contactKey(accountId, number);
  checkUnique("contacts", "number", seed.contacts, {
    keyOf: contactOf,
    existing: (contact) => contacts.get(contactOf(contact)),
    replaced,
  });
  checkUnique("apiKeys", "key", seed.apiKeys, {
    keyOf: ({ key }) => key,
    existing: ({ key = "" }) => apiKeys.get(key),
    replaced,
  });
  // A seeded role replaces the role of that name.
  checkUnique("roles", "role", seed.roles, { keyOf: ({ role }) => role, existing: () => undefined, replaced });
}

function checkMembers({ users, members = [] }: CheckedSeed, state: IndexedState): void {
  const isKnown = knownIn(users, state.users);
  for (const [index, { userId }] of members.entries())
    if (!isKnown(userId)) throw new InputError(`members[${index}].userId`, `no user has the id ${userId}`);
}

function checkNumbers({ providers, numbers = [] }: CheckedSeed, state: IndexedState): void {
  const isKnown = knownIn(providers, state.providers);
  for (const [index, { providerId }] of numbers.entries())
    if (providerId !== undefined && !isKnown(providerId))
      throw new InputError(`numbers[${index}].providerId`, `no provider has the id ${providerId}`);
}

function checkSecrets({ destinations = [] }: CheckedSeed): void {
  for (const [index, destination] of destinations.entries())
    for (const field of ["signingSecret", "previousSecret"] as const)
      if (destination.kind !== "app" && destination[field] !== undefined)
        throw new InputError(`destinations[${index}].${field}`, "only a destination of kind app has one");
}

function checkGroups({ destinations = [], groups = [] }: CheckedSeed, state: IndexedState): void {
  const accountOf = new Map(destinations.map(({ id, accountId }) => [id, accountId]));
  for (const [index, group] of groups.entries())
    for (const [position, { destinationId }] of group.members.entries())
      if ((accountOf.get(destinationId) ?? state.destinations.get(destinationId)?.accountId) !== group.accountId)
        throw new InputError(
          `groups[${index}].members[${position}].destinationId`,
          `no destination of this account has the id ${destinationId}`,
        );
}

/** Whether an id is that of a record in the seed or in the state. */
function knownIn(
  records: readonly { readonly id: string }[] = [],
  existing: ReadonlyMap<string, unknown>,
): (id: string) => boolean {
  const ids = new Set(records.map(({ id }) => id));
  return (id) => existing.has(id) || ids.has(id);
}
