import { z } from "zod";
import { checkInput, InputError } from "../model/input-error.ts";
import type { Random } from "../model/random.ts";
import { type CallRecord, type CollectionName, type DestinationRecord, recordSchemas } from "../model/records.ts";
import { resolveTimes } from "../model/seed-time.ts";
import { contactKey, type State } from "../model/state.ts";
import type { World } from "../model/world.ts";
import { resumeCall } from "../platform/calls.ts";
import { builtInRoles } from "../rules/roles.ts";
import { newApiKey, newSigningSecret } from "../rules/secrets.ts";
import { demoSeed } from "./demo-seed.ts";
import { type CheckedSeed, type Seed, seedSchema } from "./seed.ts";

/**
 * Adds a seed to the state: all of it, or nothing and an InputError that names the bad field. Calls in progress and in
 * the queue go on from where they stand.
 */
export function loadSeed(world: World, seed: Seed): void {
  enter(world, checkSeed(seed, world.state, world.clock.now()));
}

/** The demo seed as it is shipped. A test holds that it passes every check, and that checking changes only its times. */
const shippedDemo = JSON.stringify(demoSeed);

/** The same for a state that is empty. Most backends begin with the demo seed, and checking it takes longer than all the rest. */
export function loadFirstSeed(world: World, seed: Seed): void {
  const isShipped = seed === demoSeed && JSON.stringify(seed) === shippedDemo;
  enter(world, isShipped ? shippedAt(world.clock.now()) : checkSeed(seed, world.state, world.clock.now()));
}

function shippedAt(now: number): CheckedSeed {
  const seed: CheckedSeed = JSON.parse(shippedDemo);
  for (const [name, { shape }] of Object.entries(recordSchemas))
    for (const record of seed[name as CollectionName] ?? []) fillDefaults(record, shape);
  resolveTimes(seed, now);
  return seed;
}

/** Adds the defaults of a schema to a record, as parsing it would. */
function fillDefaults(record: object, shape: Readonly<Record<string, z.ZodType>>): void {
  for (const [field, schema] of Object.entries(shape))
    if (schema instanceof z.ZodDefault && !Object.hasOwn(record, field))
      Reflect.set(record, field, structuredClone(schema.def.defaultValue));
}

function enter(world: World, checked: CheckedSeed): void {
  insert(checked, world);
  for (const { id } of checked.calls ?? []) resumeCall(world, id);
}

/**
 * Checks a seed against what the state holds already; the answer shares nothing with it, and its relative times are those of
 * `now`, in milliseconds. Throws InputError.
 */
export function checkSeed(seed: unknown, state: State, now: number): CheckedSeed {
  const checked = structuredClone(checkInput(seedSchema, seed));
  checkReferences(checked, state);
  resolveTimes(checked, now);
  return checked;
}

/** Finds dangling references and duplicates, within the seed and against what the state holds already. */
function checkReferences(seed: CheckedSeed, state: State): void {
  const names = {
    accounts: idsOf("accounts", seed.accounts, state.accounts),
    users: idsOf("users", seed.users, state.users),
    members: idsOf("members", seed.members, state.members),
    destinations: idsOf("destinations", seed.destinations, state.destinations),
    groups: idsOf("groups", seed.groups, state.groups),
    flows: idsOf("flows", seed.flows, state.flows),
    providers: idsOf("providers", seed.providers, state.providers),
    calls: idsOf("calls", seed.calls, state.calls),
  };
  const { accounts: _, users: __, roles: ___, ...owned } = seed;
  for (const [collection, records] of Object.entries(owned))
    for (const [index, record] of (records ?? []).entries())
      if (!names.accounts.has(record.accountId))
        throw new InputError(`${collection}[${index}].accountId`, `no account has the id ${record.accountId}`);
  const { members, groups, numbers, contacts, apiKeys } = state;
  unique("members", "userId", [...members.values()].map(membershipKey), seed.members?.map(membershipKey));
  unique("groups", "name", [...groups.values()].map(groupKey), seed.groups?.map(groupKey));
  unique(
    "numbers",
    "number",
    numbers.keys(),
    seed.numbers?.map(({ number }) => number),
  );
  unique(
    "contacts",
    "number",
    contacts.keys(),
    seed.contacts?.map((record) => contactKey(record.accountId, record.number)),
  );
  unique(
    "apiKeys",
    "key",
    apiKeys.keys(),
    seed.apiKeys?.map(({ key }) => key),
  );
  unique(
    "roles",
    "role",
    [],
    seed.roles?.map(({ role }) => role),
  );
  for (const [index, { userId }] of (seed.members ?? []).entries())
    if (!names.users.has(userId)) throw new InputError(`members[${index}].userId`, `no user has the id ${userId}`);
  for (const [index, { providerId }] of (seed.numbers ?? []).entries())
    if (providerId !== undefined && !names.providers.has(providerId))
      throw new InputError(`numbers[${index}].providerId`, `no provider has the id ${providerId}`);
  for (const [index, destination] of (seed.destinations ?? []).entries())
    for (const field of ["signingSecret", "previousSecret"] as const)
      if (destination.kind !== "app" && destination[field] !== undefined)
        throw new InputError(`destinations[${index}].${field}`, "only a destination of kind app has one");
  for (const [index, group] of (seed.groups ?? []).entries()) {
    for (const [place, { destinationId }] of group.members.entries()) {
      const owner = seed.destinations?.find(({ id }) => id === destinationId) ?? state.destinations.get(destinationId);
      if (owner?.accountId !== group.accountId)
        throw new InputError(
          `groups[${index}].members[${place}].destinationId`,
          `no destination of this account has the id ${destinationId}`,
        );
    }
  }
}

function idsOf<Kept>(
  collection: string,
  records: readonly { readonly id: string }[] | undefined,
  kept: ReadonlyMap<string, Kept>,
): Set<string> {
  const ids = new Set(kept.keys());
  for (const [index, { id }] of (records ?? []).entries()) {
    if (ids.has(id)) throw new InputError(`${collection}[${index}].id`, `the id ${id} is taken`);
    ids.add(id);
  }
  return ids;
}

function unique(
  collection: string,
  field: string,
  kept: Iterable<string>,
  names: readonly (string | undefined)[] | undefined,
): void {
  const taken = new Set<string | undefined>(kept);
  for (const [index, name] of (names ?? []).entries()) {
    if (name !== undefined && taken.has(name)) throw new InputError(`${collection}[${index}].${field}`, "is taken");
    taken.add(name);
  }
}

function membershipKey({ accountId, userId }: { readonly accountId: string; readonly userId: string }): string {
  return `${accountId} ${userId}`;
}

function groupKey({ accountId, name }: { readonly accountId: string; readonly name: string }): string {
  return `${accountId} ${name}`;
}

/** Puts checked records into the state; a record whose id is there already is replaced. */
export function insert(seed: CheckedSeed, world: World): void {
  const { state, random, clock } = world;
  const now = clock.iso();
  for (const record of seed.accounts ?? []) state.accounts.set(record.id, record);
  for (const record of seed.users ?? []) state.users.set(record.id, record);
  for (const record of seed.members ?? []) state.members.set(record.id, record);
  for (const record of seed.destinations ?? [])
    state.destinations.set(record.id, storedDestination(record, random, now));
  for (const { createdAt = now, updatedAt = createdAt, ...record } of seed.groups ?? [])
    state.groups.set(record.id, { ...record, createdAt, updatedAt });
  for (const record of seed.flows ?? []) state.flows.set(record.id, record);
  for (const record of seed.providers ?? []) state.providers.set(record.id, record);
  for (const record of seed.numbers ?? []) state.numbers.set(record.number, record);
  for (const record of seed.contacts ?? []) state.contacts.set(contactKey(record.accountId, record.number), record);
  for (const record of seed.calls ?? []) state.calls.set(record.id, storedCall(record));
  for (const { key = newApiKey(random), id = random.uuid(), expiresAt, ...record } of seed.apiKeys ?? [])
    state.apiKeys.set(key, { ...record, id, key, expiresAt: instantOf(expiresAt) });
  for (const definition of seed.roles ?? []) state.roles.set(definition.role, definition);
  for (const definition of builtInRoles)
    if (!state.roles.has(definition.role)) state.roles.set(definition.role, definition);
}

type SeedEntry<Name extends keyof CheckedSeed> = NonNullable<CheckedSeed[Name]>[number];

function storedDestination(record: SeedEntry<"destinations">, random: Random, now: string): DestinationRecord {
  const { createdAt = now, updatedAt = createdAt, previousSecretExpiresAt, signingSecret, ...rest } = record;
  return {
    ...rest,
    createdAt,
    updatedAt,
    signingSecret: record.kind === "app" ? (signingSecret ?? newSigningSecret(random)) : undefined,
    previousSecretExpiresAt: instantOf(previousSecretExpiresAt),
  };
}

function storedCall(record: SeedEntry<"calls">): CallRecord {
  const createdAt = Date.parse(record.createdAt);
  const startedAt = instantOf(record.startedAt) ?? (record.status === "queued" ? undefined : createdAt);
  return { ...record, createdAt, startedAt };
}

function instantOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
