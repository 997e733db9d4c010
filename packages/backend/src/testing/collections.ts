import { InputError, InUseError } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { type CollectionName, recordSchemas } from "../model/records.ts";
import { timeFields } from "../model/seed-time.ts";
import { createState, type State } from "../model/state.ts";
import type { TransferRecord } from "../model/transfer-record.ts";
import type { World } from "../model/world.ts";
import { resumeCall } from "../platform/calls.ts";
import { isUnderWay } from "../rules/transfers.ts";
import { checkSeed, insert } from "./load-seed.ts";

/** A record in the form of a seed. */
export type SeedRecord = Readonly<Record<string, unknown>>;

/** The collections of a state, record by record, checked like a seed. Throws InputError that names the bad field. */
export interface Collections {
  list(name: CollectionName): readonly SeedRecord[];
  get(name: CollectionName, id: string): SeedRecord | undefined;
  create(name: CollectionName, record: SeedRecord): SeedRecord;
  /** Replaces fields, null removes one; undefined for an unknown id. Throws InUseError when a reference to it would break. */
  update(name: CollectionName, id: string, changes: SeedRecord): SeedRecord | undefined;
  /** Removes a record; false for an unknown id. Throws InUseError for one that something refers to. */
  delete(name: CollectionName, id: string): boolean;
}

/** Everything that a state knows, as the seed that makes it. */
export function asSeed(state: State): Readonly<Record<CollectionName, readonly SeedRecord[]>> {
  const collection = (name: CollectionName): SeedRecord[] => [...state[name].values()].map(asSeedRecord);
  const seed = Object.fromEntries(collectionNames.map((name) => [name, collection(name)]));
  return structuredClone(seed) as Record<CollectionName, SeedRecord[]>;
}

const collectionNames = Object.keys(recordSchemas) as CollectionName[];

/** A record with its times as text. */
function asSeedRecord(record: object): SeedRecord {
  const entries = Object.entries(omitUndefined(record)).map(([field, value]) =>
    timeFields.has(field) && typeof value === "number" ? [field, new Date(value).toISOString()] : [field, value],
  );
  return Object.fromEntries(entries);
}

/** Creates the editor of one backend's collections; `changed` runs after each change. */
export function createCollections(world: World, changed: () => void): Collections {
  const { state, events } = world;
  const list = (name: CollectionName): readonly SeedRecord[] => asSeed(state)[name];
  const find = (name: CollectionName, id: string): SeedRecord | undefined =>
    list(name).find((record) => idOf(name, record) === id);
  const note = (name: CollectionName, id: string, change: string): void => {
    events.emit("state.changed", { id, collection: name, change });
    changed();
  };
  /** The whole state with one collection changed, checked as one seed, so that references both ways must hold. */
  const check = (
    name: CollectionName,
    records: readonly SeedRecord[],
    changedIndex: number,
  ): ReturnType<typeof checkSeed> => {
    const seed = { ...asSeed(state), [name]: records };
    try {
      return checkSeed(seed, createState(), world.clock.now());
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const own = `${name}[${changedIndex}]`;
      if (error.field.startsWith(own))
        throw new InputError(error.field.slice(own.length).replace(/^\./, ""), error.explanation);
      throw new InUseError(idFields[name].at(-1) ?? "id", `is in use: ${referrer(seed, error.field)} refers to it`);
    }
  };
  /** `last` is the record that changes: it comes last, so that it is the one at fault where two collide. */
  const put = (name: CollectionName, others: readonly SeedRecord[], last: SeedRecord): void => {
    const checked = check(name, [...others, last], others.length);
    insert({ [name]: checked[name]?.slice(-1) }, world);
  };
  return {
    list,
    get: find,
    create(name, record) {
      put(name, list(name), record);
      // What was left out of the record is filled in by now, its id of a key for one.
      const created = list(name).at(-1) ?? record;
      const id = idOf(name, created);
      if (name === "calls") resumeCall(world, id);
      note(name, id, "created");
      return created;
    },
    update(name, id, changes) {
      const records = list(name);
      const index = records.findIndex((record) => idOf(name, record) === id);
      const before = records[index];
      if (before === undefined) return undefined;
      const isManual = name === "members" && "availability" in changes;
      const stamp = name === "destinations" || name === "groups" ? { updatedAt: world.clock.iso() } : {};
      const merged = withoutNulls({ ...before, ...stamp, ...(isManual && { missedCalls: 0 }), ...changes });
      if (idOf(name, merged) !== id) throw new InputError(idFields[name].at(-1) ?? "id", "an id does not change");
      put(name, records.toSpliced(index, 1), merged);
      if (name === "calls") resumeCall(world, id);
      note(name, id, "updated");
      return find(name, id);
    },
    delete(name, id) {
      const records = list(name);
      const index = records.findIndex((record) => idOf(name, record) === id);
      if (index === -1) return false;
      if (name === "roles") throw new InUseError("role", "is built in: change its permissions instead");
      const transfer = transferWith(state, name, id);
      if (transfer !== undefined) throw new InUseError("id", `is in use: transfer ${transfer} is under way with it`);
      check(name, records.toSpliced(index, 1), -1);
      for (const [key, record] of state[name])
        if (name === "apiKeys" ? "id" in record && record.id === id : key.replace(" ", ":") === id)
          state[name].delete(key);
      if (name === "calls") resumeCall(world, id, String(records[index]?.accountId));
      note(name, id, "deleted");
      return true;
    },
  };
}

/** The fields that tell the records of a collection apart. */
const idFields: Readonly<Record<CollectionName, readonly string[]>> = {
  accounts: ["id"],
  users: ["id"],
  members: ["id"],
  destinations: ["id"],
  groups: ["id"],
  flows: ["id"],
  providers: ["id"],
  numbers: ["number"],
  contacts: ["accountId", "number"],
  calls: ["id"],
  apiKeys: ["id"],
  roles: ["role"],
};

/** The record that a field of a seed belongs to, with the field: `members c0…01 (userId)`. */
function referrer(seed: Readonly<Record<string, readonly SeedRecord[]>>, field: string): string {
  const [, name = "", index = "", rest = ""] = /^(\w+)\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  const record = seed[name]?.[Number(index)];
  const isKnown = (other: string): other is CollectionName => Object.hasOwn(idFields, other);
  return record !== undefined && isKnown(name) ? `${name} ${idOf(name, record)} (${rest})` : field;
}

/** The id of a transfer under way that rings or connects a record, or rings for it. */
function transferWith({ transfers }: State, name: CollectionName, id: string): string | undefined {
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

function idOf(name: CollectionName, record: SeedRecord): string {
  return idFields[name].map((field) => String(record[field])).join(":");
}

function withoutNulls(record: SeedRecord): SeedRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
