// What a name on the command line means, and the times of the sandbox's clock.
import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { durationOf, isTime, suggestion, UsageError } from "./values.ts";

export type CollectionName = Schema<"Collection">;

/** A record of a sandbox, in the format of a seed. */
export type StateRecord = Readonly<Record<string, unknown>>;

/** Something that can be named on the command line. */
export interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

export const collectionNames = [
  "accounts",
  "users",
  "members",
  "destinations",
  "groups",
  "flows",
  "providers",
  "numbers",
  "contacts",
  "calls",
  "apiKeys",
  "roles",
] as const satisfies readonly CollectionName[];

export const roles = ["agent", "member", "admin", "owner"] as const satisfies readonly Schema<"Role">[];

/** Reads the records of a collection, or the one with an id. */
export async function readRecords(
  control: ControlClient,
  collection: CollectionName,
  id?: string,
): Promise<readonly StateRecord[]> {
  const params = { path: { collection }, query: { ...(id !== undefined && { id }) } };
  return dataAs<"RecordList">(await control.GET("/_control/v1/records/{collection}", { params })).records;
}

/** Reads the ids and names of a collection's records. A member has the name of its user. */
export async function readNames(control: ControlClient, collection: CollectionName): Promise<readonly Named[]> {
  const [records, users] = await Promise.all([
    readRecords(control, collection),
    collection === "members" ? readRecords(control, "users") : [],
  ]);
  const nameOfUser = new Map(users.map(({ id, name }) => [id, name]));
  return records.map((record) => ({
    id: idOf(collection, record),
    name: asText(
      record.name ?? nameOfUser.get(record.userId) ?? (collection === "contacts" ? record.number : undefined),
    ),
  }));
}

export async function readApps(control: ControlClient) {
  const apps = (await readRecords(control, "destinations")).filter(({ kind }) => kind === "app");
  return apps.map(({ id, name, accountId, previousSecretExpiresAt: ends }) => ({
    ...{ id: String(id), name: String(name), accountId: String(accountId) },
    previousSecretExpiresAt: ends === undefined ? undefined : String(ends),
  }));
}

/** Returns the name of a destination, group, member or account by its id. */
export async function readNameOf(control: ControlClient): Promise<(id: string) => string | undefined> {
  const collections = ["accounts", "destinations", "groups", "members", "users"] as const;
  const lists = await Promise.all(collections.map((collection) => readNames(control, collection)));
  const names = new Map(lists.flat().map(({ id, name }) => [id, name]));
  return (id) => names.get(id);
}

/** The id of a record in the control plane's paths. */
export function idOf(collection: CollectionName, record: StateRecord): string {
  if (collection === "numbers") return String(record.number);
  if (collection === "contacts") return `${record.accountId}:${record.number}`;
  if (collection === "roles") return String(record.role);
  return String(record.id);
}

/**
 * Finds what a text means: an id, its start, its shortened form, a name, or the start of a name. `last` is the newest. Throws an
 * Error that lists the possible ones if there are several, or the closest if there is none.
 */
export function findNamed<Item extends Named>(text: string, items: readonly Item[], what: string): Item {
  const found = candidates(text, items);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined)
    throw new Error(
      `"${text}" could be ${found.slice(0, mostShown).map(describe).join(" or ")}. Use more of the name, or the id.`,
    );
  const named = items.slice(0, mostShown).map(describe);
  const more = items.length > mostShown ? ", …" : "";
  const known = named.length === 0 ? "There is none yet." : `Known: ${named.join(", ")}${more}.`;
  const near = suggestion(
    text,
    items.flatMap(({ id, name = id }) => [name, ...name.split(" ")]),
  );
  throw new Error(`There is no ${what} "${text}".${near} ${known}`);
}

const mostShown = 3;

function candidates<Item extends Named>(text: string, items: readonly Item[]): readonly Item[] {
  const newest = items.at(-1);
  if (text === "last" && newest !== undefined) return [newest];
  const word = text.toLowerCase();
  const [start = "", end = ""] = word.split("…");
  const tests: readonly ((item: { id: string; name: string }) => boolean)[] = [
    ({ id }) => id === word,
    ({ name }) => name === word,
    ({ id }) => word.length >= 4 && id.startsWith(start) && id.endsWith(end),
    ({ name }) => word !== "" && name.startsWith(word),
    ({ name }) => word.length >= 3 && name.split(/\s+/).some((part) => part === word),
  ];
  for (const test of tests) {
    const found = items.filter(({ id, name = "" }) => test({ id: id.toLowerCase(), name: name.toLowerCase() }));
    if (found.length > 0) return found;
  }
  return [];
}

function describe({ id, name }: Named): string {
  return name === undefined || name === id ? id : `${name} (${id})`;
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Parses `--since`, in milliseconds: a duration before now on the sandbox's clock, or a date-time. Throws UsageError. */
export async function readSince(control: ControlClient, since: string): Promise<number> {
  const duration = durationOf(since);
  if (duration !== undefined) return (await readNow(control)) - duration;
  if (isTime(since)) return Date.parse(since);
  throw new UsageError(`--since ${since}: must be a duration such as 10m, or a time such as 2026-03-02T12:00:00Z.`);
}

/** Reads the time of the sandbox's clock, in milliseconds. */
export async function readNow(control: ControlClient): Promise<number> {
  return Date.parse(dataOf(await control.GET("/_control/v1/clock")).now);
}
