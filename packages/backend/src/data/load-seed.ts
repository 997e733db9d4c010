import * as z from "zod";
import {
  type CallRecord,
  type CheckedSeed,
  type CollectionName,
  type DestinationRecord,
  recordSchemas,
  resolveTimes,
  type Seed,
  seedSchema,
} from "../model/records.ts";
import { type BackendState, contactKey, type IndexedState } from "../model/state.ts";
import { resumeCall } from "../platform/calls.ts";
import { builtInRoles, newApiKey, newSigningSecret } from "../rules/accounts.ts";
import { withCanonicalIds } from "../utils/ids.ts";
import { checkInput } from "../utils/input-error.ts";
import type { Random } from "../utils/random.ts";
import { isObject } from "../utils/values.ts";
import { demoSeed } from "./demo-seed.ts";
import { checkReferences } from "./references.ts";

/** Adds a seed to the state. Calls in progress and in the queue continue. Throws InputError that names the bad field, and then adds nothing. */
export function loadSeed(backend: BackendState, seed: Seed): void {
  add(backend, checkSeed(seed, backend.state, backend.clock.now()));
}

/** The demo seed as shipped. A test proves that it passes every check. */
const shippedDemo = JSON.stringify(demoSeed);
/** The same with the defaults of its records: to find those takes as long as the rest of creating a backend. */
let completeDemo: string | undefined;

/**
 * Does the same for an empty state. The shipped demo seed is not checked: most backends start with it, and checking takes
 * longer than the rest of creating one.
 */
export function loadFirstSeed(backend: BackendState, seed: Seed): void {
  const isShipped = seed === demoSeed && JSON.stringify(seed) === shippedDemo;
  add(backend, isShipped ? shippedAt(backend.clock.now()) : checkSeed(seed, backend.state, backend.clock.now()));
}

function shippedAt(now: number): CheckedSeed {
  completeDemo ??= JSON.stringify(withDefaults(JSON.parse(shippedDemo)));
  const seed: CheckedSeed = JSON.parse(completeDemo);
  resolveTimes(seed, now);
  return seed;
}

function withDefaults(seed: CheckedSeed): CheckedSeed {
  for (const [name, { shape }] of Object.entries(recordSchemas))
    for (const record of seed[name as CollectionName] ?? []) fillDefaults(record, shape);
  return seed;
}

/** Adds the defaults of a schema to a record, as parsing it would. */
function fillDefaults(record: object, shape: Readonly<Record<string, z.ZodType>>): void {
  for (const [field, schema] of Object.entries(shape))
    if (schema instanceof z.ZodDefault && !Object.hasOwn(record, field))
      Reflect.set(record, field, schema.def.defaultValue);
}

function add(backend: BackendState, checked: CheckedSeed): void {
  insert(checked, backend);
  for (const { id } of checked.calls ?? []) resumeCall(backend, id);
}

/**
 * Checks a seed, also against the state, except for the record that it replaces. Returns a deep copy with relative times counted
 * from `now`, in milliseconds. Throws InputError that names the bad field.
 */
export function checkSeed(seed: unknown, state: IndexedState, now: number, replaced?: object): CheckedSeed {
  const checked = withCanonicalIds(structuredClone(checkInput(seedSchema, withoutSchema(seed))));
  checkReferences(checked, state, replaced);
  resolveTimes(checked, now);
  return checked;
}

/** A seed without the `$schema` of its file, which is for editors. */
function withoutSchema(seed: unknown): unknown {
  if (!isObject(seed) || !("$schema" in seed)) return seed;
  const { $schema: _, ...records } = seed;
  return records;
}

/** Puts checked records into the state; a record whose id is there already is replaced. */
export function insert(seed: CheckedSeed, backend: BackendState): void {
  const { state, random, clock } = backend;
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
