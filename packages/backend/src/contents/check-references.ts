import { InputError } from "../model/errors/input-error.ts";
import { membership } from "../model/records/indexes.ts";
import { contactKey, type State } from "../model/state.ts";
import type { CheckedSeed } from "./seed.ts";

/** Checks a seed for duplicates and dangling references, also against the state. Throws InputError that names the field. */
export function checkReferences(seed: CheckedSeed, state: State): void {
  for (const name of collectionsWithIds)
    checkUnique(name, "id", seed[name], state[name].values(), ({ id }: { id: string }) => id);
  checkOwners(seed, state);
  checkUniqueFields(seed, state);
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

function checkUnique<Fields extends object>(
  collection: string,
  field: string,
  records: readonly NoInfer<Fields>[] | undefined,
  existing: Iterable<NoInfer<Fields>>,
  keyOf: (record: Fields) => string | undefined,
): void {
  const taken = new Set([...existing].map(keyOf));
  for (const [index, record] of (records ?? []).entries()) {
    const key = keyOf(record);
    if (key !== undefined && taken.has(key))
      throw new InputError(
        `${collection}[${index}].${field}`,
        `is taken. Another of the ${collection} has the same ${field}.`,
      );
    taken.add(key);
  }
}

/** Checks that the account of each record exists. */
function checkOwners({ accounts, users: _, roles: __, ...owned }: CheckedSeed, state: State): void {
  const ids = idsIn(accounts, state.accounts);
  for (const [collection, records] of Object.entries(owned))
    for (const [index, { accountId }] of (records ?? []).entries())
      if (!ids.has(accountId))
        throw new InputError(`${collection}[${index}].accountId`, `no account has the id ${accountId}`);
}

function checkUniqueFields(seed: CheckedSeed, state: State): void {
  const groupName = ({ accountId, name }: { accountId: string; name: string }) => `${accountId} ${name}`;
  const contact = ({ accountId, number }: { accountId: string; number: string }) => contactKey(accountId, number);
  checkUnique("members", "userId", seed.members, state.members.values(), membership);
  checkUnique("groups", "name", seed.groups, state.groups.values(), groupName);
  checkUnique("numbers", "number", seed.numbers, state.numbers.values(), ({ number }: { number: string }) => number);
  checkUnique("contacts", "number", seed.contacts, state.contacts.values(), contact);
  checkUnique("apiKeys", "key", seed.apiKeys, state.apiKeys.values(), ({ key }: { key?: string | undefined }) => key);
  // A seeded role replaces the role of that name.
  checkUnique("roles", "role", seed.roles, [], ({ role }: { role: string }) => role);
}

function checkMembers({ users, members = [] }: CheckedSeed, state: State): void {
  const ids = idsIn(users, state.users);
  for (const [index, { userId }] of members.entries())
    if (!ids.has(userId)) throw new InputError(`members[${index}].userId`, `no user has the id ${userId}`);
}

function checkNumbers({ providers, numbers = [] }: CheckedSeed, state: State): void {
  const ids = idsIn(providers, state.providers);
  for (const [index, { providerId }] of numbers.entries())
    if (providerId !== undefined && !ids.has(providerId))
      throw new InputError(`numbers[${index}].providerId`, `no provider has the id ${providerId}`);
}

function checkSecrets({ destinations = [] }: CheckedSeed): void {
  for (const [index, destination] of destinations.entries())
    for (const field of ["signingSecret", "previousSecret"] as const)
      if (destination.kind !== "app" && destination[field] !== undefined)
        throw new InputError(`destinations[${index}].${field}`, "only a destination of kind app has one");
}

function checkGroups({ destinations = [], groups = [] }: CheckedSeed, state: State): void {
  const accountOf = new Map(
    [...state.destinations.values(), ...destinations].map(({ id, accountId }) => [id, accountId]),
  );
  for (const [index, group] of groups.entries())
    for (const [position, { destinationId }] of group.members.entries())
      if (accountOf.get(destinationId) !== group.accountId)
        throw new InputError(
          `groups[${index}].members[${position}].destinationId`,
          `no destination of this account has the id ${destinationId}`,
        );
}

/** The ids of a collection, in the seed or in the state. */
function idsIn(records: readonly { readonly id: string }[] = [], existing: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...existing.keys(), ...records.map(({ id }) => id)]);
}
