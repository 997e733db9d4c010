import { defined } from "./defined.ts";
import type { World } from "./exchange.ts";
import { InputError } from "./input-error.ts";
import { checkSeed, goOn, insert } from "./load-seed.ts";
import type { Seed } from "./seed.ts";
import { createState, type State } from "./state.ts";

/** A collection of the state that can be browsed and edited. */
export type CollectionName = keyof Seed;
/** A record in the form of a seed. */
export type SeedRecord = Readonly<Record<string, unknown>>;

/** The collections of a state, record by record, checked like a seed. Throws InputError that names the bad field. */
export interface Collections {
  list(name: CollectionName): readonly SeedRecord[];
  get(name: CollectionName, id: string): SeedRecord | undefined;
  create(name: CollectionName, record: SeedRecord): SeedRecord;
  /** Replaces fields, null removes one; undefined for an unknown id. */
  update(name: CollectionName, id: string, changes: SeedRecord): SeedRecord | undefined;
  /** Removes a record that nothing refers to; false for an unknown id. */
  delete(name: CollectionName, id: string): boolean;
}

/** Everything that a state knows, as the seed that makes it. */
export function asSeed(state: State): Readonly<Record<CollectionName, readonly SeedRecord[]>> {
  const iso = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString();
  const records = <Record extends object>(map: ReadonlyMap<string, Record>) => [...map.values()].map(defined);
  return structuredClone({
    accounts: records(state.accounts),
    users: records(state.users),
    members: records(state.members).map((member) => ({ ...member, availability: defined(member.availability) })),
    destinations: [...state.destinations.values()].map((destination) =>
      defined({ ...destination, previousSecretExpiresAt: iso(destination.previousSecretExpiresAt) }),
    ),
    groups: records(state.groups),
    flows: records(state.flows),
    providers: records(state.providers),
    numbers: records(state.numbers),
    contacts: records(state.contacts),
    calls: [...state.calls.values()].map((call) =>
      defined({ ...call, createdAt: new Date(call.createdAt).toISOString(), startedAt: iso(call.startedAt) }),
    ),
    apiKeys: [...state.apiKeys.values()].map(({ scopes, allowedIps, expiresAt, ...key }) =>
      defined({
        ...key,
        scopes: scopes && [...scopes],
        allowedIps: allowedIps && [...allowedIps],
        expiresAt: iso(expiresAt),
      }),
    ),
    roles: records(state.roles),
  });
}

/** Creates the editor of one backend's collections. */
export function createCollections(world: World): Collections {
  const { state, events } = world;
  const list = (name: CollectionName): readonly SeedRecord[] => asSeed(state)[name];
  const find = (name: CollectionName, id: string): SeedRecord | undefined =>
    list(name).find((record) => idOf(name, record) === id);
  const note = (name: CollectionName, id: string, change: string): void =>
    events.emit("state.changed", { id, collection: name, change });
  /** The whole state with one collection changed, checked as one seed, so that references both ways must hold. */
  const check = (
    name: CollectionName,
    records: readonly SeedRecord[],
    changed: number,
  ): ReturnType<typeof checkSeed> => {
    try {
      return checkSeed({ ...asSeed(state), [name]: records }, createState());
    } catch (error) {
      const own = `seed.${name}[${changed}]`;
      if (!(error instanceof InputError) || !error.field.startsWith(own)) throw error;
      throw new InputError(error.field.slice(own.length).replace(/^\./, ""), error.explanation);
    }
  };
  const put = (name: CollectionName, records: readonly SeedRecord[], index: number): void => {
    const checked = check(name, records, index);
    insert({ [name]: checked[name]?.slice(index, index + 1) }, world);
  };
  return {
    list,
    get: find,
    create(name, record) {
      const records = [...list(name), record];
      put(name, records, records.length - 1);
      // What was left out of the record is filled in by now, its id of a key for one.
      const created = list(name).at(-1) ?? record;
      const id = idOf(name, created);
      if (name === "calls") goOn(world, id);
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
      put(name, records.with(index, merged), index);
      if (name === "calls") goOn(world, id);
      note(name, id, "updated");
      return find(name, id);
    },
    delete(name, id) {
      const records = list(name);
      const index = records.findIndex((record) => idOf(name, record) === id);
      if (index === -1) return false;
      check(name, records.toSpliced(index, 1), -1);
      for (const [key, record] of state[name])
        if (name === "apiKeys" ? "id" in record && record.id === id : key.replace(" ", ":") === id)
          state[name].delete(key);
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

function idOf(name: CollectionName, record: SeedRecord): string {
  return idFields[name].map((field) => String(record[field])).join(":");
}

function withoutNulls(record: SeedRecord): SeedRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
