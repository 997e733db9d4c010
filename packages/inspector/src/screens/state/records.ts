import type { BackendEvent } from "@call-transfer/backend";
import { day, timeOfDay } from "../../data/values/format.ts";
import { type CollectionName, fieldsOf, type RecordField } from "./fields.ts";

/** A record, in the form of a seed. */
export type StateRecord = Readonly<Record<string, unknown>>;

/** The records of the collections that are read already. */
export type RecordsByCollection = Readonly<Partial<Record<CollectionName, readonly StateRecord[]>>>;

/** What the control plane sends in place of a secret. */
export const redactedValue = "[redacted]";

/** The id of a record, as the control plane's paths have it. */
export function recordId(collection: CollectionName, record: StateRecord): string {
  if (collection === "contacts") return `${record.accountId}:${record.number}`;
  return String(record.id ?? record.number ?? record.role);
}

/** Whether a field is part of a record's id, and so does not change. */
export function identifies(collection: CollectionName, record: StateRecord, name: string): boolean {
  return recordId(collection, { ...record, [name]: "" }) !== recordId(collection, { ...record, [name]: "other" });
}

/** An id that is short enough for a row: its first and its last digits. */
export const shortId = (id: string): string => (id.length <= 20 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);

/** Finds records by their ids. */
export type Lookup = (collection: CollectionName, id: unknown) => StateRecord | undefined;

/** A record by its id, among all others. */
export interface RecordPlace {
  readonly collection: CollectionName;
  readonly id: string;
  readonly records: RecordsByCollection;
  readonly lookup: Lookup;
}

/** Creates a {@link Lookup}. */
export function createLookup(records: RecordsByCollection): Lookup {
  const indexes = new Map<CollectionName, Map<string, StateRecord>>();
  return (collection, id) => {
    const index =
      indexes.get(collection) ??
      new Map((records[collection] ?? []).map((record) => [recordId(collection, record), record] as const));
    indexes.set(collection, index);
    return index.get(String(id));
  };
}

/** What people call a record: its name, its user's name, its number, or its id in short. */
export function titleOf(collection: CollectionName, record: StateRecord, lookup: Lookup): string {
  const { name, number, userId, id, role, keyHint } = record;
  if (typeof name === "string") return name;
  if (userId !== undefined) return String(lookup("users", userId)?.name ?? shortId(String(userId)));
  if (collection !== "calls" && typeof number === "string") return number;
  if (keyHint !== undefined) return `…${keyHint}`;
  return id === undefined ? String(role) : shortId(String(id));
}

/** What a row says about a record beside its title: values of few words, and flags that differ from their default. */
export function summaryOf(collection: CollectionName, record: StateRecord, lookup: Lookup): string {
  const title = titleOf(collection, record, lookup);
  return fieldsOf(collection)
    .map((field) => summaryOfField(field, record[field.name]))
    .filter((text) => text !== undefined && text !== "" && text !== title)
    .join(" · ");
}

function summaryOfField(
  { kind, name, label, default: usual, isRequired }: RecordField,
  value: unknown,
): string | undefined {
  if (value === undefined || value === null || name === "id" || value === redactedValue) return undefined;
  if (kind === "flag") {
    if (value === usual) return undefined;
    return value === true ? label.toLowerCase() : `not ${label.toLowerCase()}`;
  }
  if (kind === "choice") return String(value).replaceAll("_", " ");
  if (kind === "text" && name !== "name") return String(value);
  if (kind === "list") return `${entries(value).length} ${label.toLowerCase()}`;
  if (kind === "lines")
    return entries(value).length <= 3 ? entries(value).join(", ") : `${entries(value).length} ${name}`;
  if (kind === "time" && isRequired) return `${day(String(value))} ${timeOfDay(String(value))}`;
  return undefined;
}

const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A reference of a record to another one. */
export interface Reference {
  /** The field that holds it, such as `members[0].destinationId`. */
  readonly path: string;
  readonly collection: CollectionName;
  readonly id: string;
}

/** The references of a record. */
export function referencesOf(collection: CollectionName, record: StateRecord): readonly Reference[] {
  return referencesIn(fieldsOf(collection), record, "");
}

function referencesIn(fields: readonly RecordField[], record: StateRecord, prefix: string): Reference[] {
  return fields.flatMap(({ name, collection, kind, fields: inner = [] }) => {
    const value = record[name];
    if (collection !== undefined)
      return value === undefined ? [] : [{ path: prefix + name, collection, id: String(value) }];
    if (kind !== "list") return [];
    return entries(value).flatMap((entry, index) =>
      referencesIn(inner, Object(entry) as StateRecord, `${prefix}${name}[${index}].`),
    );
  });
}

/** A record that refers to another one. */
export interface Referrer {
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: StateRecord;
  readonly path: string;
}

/** The records that refer to a record. */
export function referrersOf(records: RecordsByCollection, to: CollectionName, id: string): readonly Referrer[] {
  return (Object.entries(records) as [CollectionName, readonly StateRecord[]][]).flatMap(([collection, list]) =>
    list.flatMap((record) => {
      const found = referencesOf(collection, record).find((one) => one.collection === to && one.id === id);
      return found === undefined ? [] : [{ collection, id: recordId(collection, record), record, path: found.path }];
    }),
  );
}

/** The records that contain every word of a filter in a field, in their title or in the name of a record they refer to. */
export function filterRecords(
  collection: CollectionName,
  records: readonly StateRecord[],
  filter: string,
  lookup: Lookup,
): readonly StateRecord[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return records;
  return records.filter((record) => {
    const names = referencesOf(collection, record).map((one) => String(lookup(one.collection, one.id)?.name ?? ""));
    const text = [...names, titleOf(collection, record, lookup), JSON.stringify(record)].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The collections that an event may have changed. */
export function collectionsChangedBy(event: BackendEvent, names: readonly CollectionName[]): readonly CollectionName[] {
  const { type } = event;
  if (type === "record.changed") return names.filter((name) => name === event.collection);
  if (/^(?:stream\.gap|sandbox\.|scenario\.)/.test(type)) return names;
  if (/^(?:member|availability)\./.test(type)) return ["members"];
  if (type.startsWith("call.")) return ["calls"];
  if (type.startsWith("transfer.")) return ["members", "calls"];
  if (type.startsWith("secret.")) return ["destinations"];
  // A request of the API that changed records: its operation names their kind.
  const operation = event.changeCount === undefined ? "" : String(event.operationId).toLowerCase();
  return names.filter((name) => operation.includes(name.slice(0, -1).toLowerCase()));
}
