import { InputError, InUseError } from "../model/errors/input-error.ts";
import { type CollectionName, recordSchemas } from "../model/records/records.ts";
import type { TransferRecord } from "../model/records/transfer-record.ts";
import { createState, type State } from "../model/state.ts";
import { withTimeTexts } from "../model/time/seed-time.ts";
import type { World } from "../model/world.ts";
import { resumeCall } from "../platform/calls.ts";
import { isUnderWay } from "../rules/transfers.ts";
import { checkSeed, insert } from "./load-seed.ts";
import type { CheckedSeed } from "./seed.ts";

/** A record in the form of a seed. */
export type SeedRecord = Readonly<Record<string, unknown>>;

/** The collections of a state, record by record. Changes are checked like a seed and throw InputError that names the bad field. */
export interface Collections {
  /** Lists the records of a collection in the form of a seed. */
  list(name: CollectionName): readonly SeedRecord[];
  /** Returns a record, or undefined for an unknown id. */
  get(name: CollectionName, id: string): SeedRecord | undefined;
  /** Adds a record and returns it with its defaults. */
  create(name: CollectionName, record: SeedRecord): SeedRecord;
  /** Replaces fields; null removes one. Undefined for an unknown id. Throws InUseError if a reference to the record would break. */
  update(name: CollectionName, id: string, changes: SeedRecord): SeedRecord | undefined;
  /** Removes a record; false for an unknown id. Throws InUseError while something refers to it. */
  delete(name: CollectionName, id: string): boolean;
}

/** Everything that a state knows, as the seed that makes it. */
export function asSeed(state: State): Readonly<Record<CollectionName, readonly SeedRecord[]>> {
  const seed = Object.fromEntries(collectionNames.map((name) => [name, recordsIn(state, name)]));
  return seed as Record<CollectionName, SeedRecord[]>;
}

const collectionNames = Object.keys(recordSchemas) as CollectionName[];

function recordsIn(state: State, name: CollectionName): SeedRecord[] {
  return [...state[name].values()].map(asSeedRecord);
}

/** A deep copy of a record with its times as text. */
const asSeedRecord = (record: object): SeedRecord => structuredClone(withTimeTexts(record));

// Public methods are fields with arrow functions, so that callers may pass them on.
export class CheckedCollections implements Collections {
  readonly #world: World;
  readonly #changed: () => void;

  /** `changed` runs after each change. */
  constructor(world: World, changed: () => void) {
    this.#world = world;
    this.#changed = changed;
  }

  readonly list = (name: CollectionName): readonly SeedRecord[] => {
    return recordsIn(this.#world.state, name);
  };

  readonly get = (name: CollectionName, id: string): SeedRecord | undefined => {
    return this.list(name).find((record) => idOf(name, record) === id);
  };

  readonly create = (name: CollectionName, record: SeedRecord): SeedRecord => {
    this.#put(name, this.list(name), record);
    // Fields that were left out have their values by now, such as the id of a key.
    const created = this.list(name).at(-1) ?? record;
    this.#announce(name, idOf(name, created), "created");
    return created;
  };

  readonly update = (name: CollectionName, id: string, changes: SeedRecord): SeedRecord | undefined => {
    const records = this.list(name);
    const index = records.findIndex((record) => idOf(name, record) === id);
    const before = records[index];
    if (before === undefined) return undefined;
    const isAvailabilitySet = name === "members" && "availability" in changes;
    const updated = name === "destinations" || name === "groups" ? { updatedAt: this.#world.clock.iso() } : {};
    const merged = withoutNulls({ ...before, ...updated, ...(isAvailabilitySet && { missedCalls: 0 }), ...changes });
    if (idOf(name, merged) !== id) throw new InputError(idFields[name].at(-1) ?? "id", "an id does not change");
    this.#put(name, records.toSpliced(index, 1), merged);
    this.#announce(name, id, "updated");
    return this.get(name, id);
  };

  readonly delete = (name: CollectionName, id: string): boolean => {
    const { state } = this.#world;
    const records = this.list(name);
    const index = records.findIndex((record) => idOf(name, record) === id);
    if (index === -1) return false;
    if (name === "roles") throw new InUseError("role", "is built in: change its permissions instead");
    const transfer = transferWith(state, name, id);
    if (transfer !== undefined) throw new InUseError("id", `is in use: transfer ${transfer} is under way with it`);
    this.#check(name, records.toSpliced(index, 1), -1);
    for (const [key, record] of state[name]) if (idOf(name, asSeedRecord(record)) === id) state[name].delete(key);
    this.#announce(name, id, "deleted", String(records[index]?.accountId));
    return true;
  };

  /** Puts `last` into the state. It is checked after the others, so that of two records that collide it gets the error. */
  #put(name: CollectionName, others: readonly SeedRecord[], last: SeedRecord): void {
    const checked = this.#check(name, [...others, last], others.length);
    insert({ [name]: checked[name]?.slice(-1) }, this.#world);
  }

  /** Checks the whole state with one collection changed as one seed, so that references both ways must hold. */
  #check(name: CollectionName, records: readonly SeedRecord[], changedIndex: number): CheckedSeed {
    const seed = { ...asSeed(this.#world.state), [name]: records };
    try {
      return checkSeed(seed, createState(), this.#world.clock.now());
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const changedRecord = `${name}[${changedIndex}]`;
      if (error.field.startsWith(changedRecord))
        throw new InputError(error.field.slice(changedRecord.length).replace(/^\./, ""), error.explanation);
      throw new InUseError(idFields[name].at(-1) ?? "id", `is in use: ${referrer(seed, error.field)} refers to it`);
    }
  }

  #announce(name: CollectionName, id: string, change: string, accountId?: string): void {
    if (name === "calls") resumeCall(this.#world, id, accountId);
    this.#world.expiries.refresh();
    this.#world.events.emit("state.changed", { id, collection: name, change });
    this.#changed();
  }
}

/** The fields that identify a record of each collection. */
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

/** Names the record that a field of a seed belongs to, with the field: `members c0…01 (userId)`. */
function referrer(seed: Readonly<Record<string, readonly SeedRecord[]>>, field: string): string {
  const [, name = "", index = "", rest = ""] = /^(\w+)\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  const record = seed[name]?.[Number(index)];
  const isKnown = (other: string): other is CollectionName => Object.hasOwn(idFields, other);
  return record !== undefined && isKnown(name) ? `${name} ${idOf(name, record)} (${rest})` : field;
}

/** The id of a transfer under way that rings a record, connects it, or was started for it. */
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
