import { type CheckedSeed, type CollectionName, recordSchemas, withTimeTexts } from "../model/records.ts";
import type { BackendState, State } from "../model/state.ts";
import { resumeCall } from "../platform/calls.ts";
import { withCanonicalIds, withCanonicalUuids } from "../utils/ids.ts";
import { InputError, InUseError } from "../utils/input-error.ts";
import { checkSeed, insert } from "./load-seed.ts";
import { findReferrer, transferWith } from "./references.ts";

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
  readonly #backend: BackendState;
  readonly #changed: () => void;

  /** `changed` runs after each change. */
  constructor(backend: BackendState, changed: () => void) {
    this.#backend = backend;
    this.#changed = changed;
  }

  readonly list = (name: CollectionName): readonly SeedRecord[] => {
    return recordsIn(this.#backend.state, name);
  };

  readonly get = (name: CollectionName, id: string): SeedRecord | undefined => {
    const [, record] = this.#find(name, withCanonicalUuids(id)) ?? [];
    return record && asSeedRecord(record);
  };

  readonly create = (name: CollectionName, given: SeedRecord): SeedRecord => {
    const record = withCanonicalIds(given);
    const checked = this.#check(name, record);
    if (name === "roles") throw new InputError("role", "is taken. Another of the roles has the same role.");
    insert(checked, this.#backend);
    // Fields that were left out have their values by now, such as the id of a key.
    const created = asSeedRecord([...this.#backend.state[name].values()].at(-1) ?? record);
    this.#announce(name, idOf(name, created), "created");
    return created;
  };

  readonly update = (name: CollectionName, givenId: string, given: SeedRecord): SeedRecord | undefined => {
    const [id, changes] = [withCanonicalUuids(givenId), withCanonicalIds(given)];
    const [key, record] = this.#find(name, id) ?? [];
    if (key === undefined || record === undefined) return undefined;
    const before = asSeedRecord(record);
    const isAvailabilitySet = name === "members" && "availability" in changes;
    const updated = name === "destinations" || name === "groups" ? { updatedAt: this.#backend.clock.iso() } : {};
    const merged = withoutNulls({ ...before, ...updated, ...(isAvailabilitySet && { missedCalls: 0 }), ...changes });
    if (idOf(name, merged) !== id) throw new InputError(idFields[name].at(-1) ?? "id", "an id does not change");
    const checked = this.#check(name, merged, record);
    // A group refers to destinations of its own account. Whatever else refers to a record does so by its id alone.
    if (name === "destinations" && merged.accountId !== before.accountId) this.#refuseIfUsed(name, id);
    insert(checked, this.#backend);
    if (name === "apiKeys" && merged.key !== key) this.#backend.state.apiKeys.delete(key);
    this.#announce(name, id, "updated");
    return this.get(name, id);
  };

  readonly delete = (name: CollectionName, givenId: string): boolean => {
    const id = withCanonicalUuids(givenId);
    const { state } = this.#backend;
    const [key, record] = this.#find(name, id) ?? [];
    if (key === undefined || record === undefined) return false;
    if (name === "roles") throw new InUseError("role", "is built in: change its permissions instead");
    const transfer = transferWith(state, name, id);
    if (transfer !== undefined) throw new InUseError("id", `is in use: transfer ${transfer} is under way with it`);
    this.#refuseIfUsed(name, id);
    state[name].delete(key);
    this.#announce(name, id, "deleted", String(Object(record).accountId));
    return true;
  };

  /** Finds a record with its key in the state. */
  #find(name: CollectionName, id: string): readonly [key: string, record: object] | undefined {
    const records: ReadonlyMap<string, object> = this.#backend.state[name];
    if (name === "apiKeys" || name === "contacts")
      return [...records].find(([, record]) => idOf(name, Object(record)) === id);
    const record = records.get(id);
    return record && [id, record];
  }

  /**
   * Checks a record as a seed of its own beside the rest of the state, which is valid already. So no other record is copied
   * or checked again.
   */
  #check(name: CollectionName, record: SeedRecord, replaced?: object): CheckedSeed {
    const { state, clock } = this.#backend;
    try {
      return checkSeed({ [name]: [record] }, state, clock.now(), replaced);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(error.field.slice(`${name}[0]`.length).replace(/^\./, ""), error.explanation);
    }
  }

  #refuseIfUsed(name: CollectionName, id: string): void {
    const referrer = findReferrer(this.#backend.state, name, id);
    if (referrer === undefined) return;
    const { collection, record, field } = referrer;
    const user = `${collection} ${idOf(collection, Object(record))} (${field})`;
    throw new InUseError(idFields[name].at(-1) ?? "id", `is in use: ${user} refers to it`);
  }

  #announce(name: CollectionName, id: string, change: string, accountId?: string): void {
    if (name === "calls") resumeCall(this.#backend, id, accountId);
    this.#backend.expiries.refresh();
    this.#backend.events.emit("record.changed", { id, collection: name, change });
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

function idOf(name: CollectionName, record: SeedRecord): string {
  return idFields[name].map((field) => String(record[field])).join(":");
}

function withoutNulls(record: SeedRecord): SeedRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
