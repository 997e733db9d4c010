import type { BackendEvent } from "@call-transfer/backend";
import type { Collection, StateRecord } from "./control.ts";
import type { NameOf } from "./events.ts";

/** The collections in the order of the tabs: those that people change first. */
export const collections = [
  "members",
  "destinations",
  "groups",
  "numbers",
  "contacts",
  "apiKeys",
  "calls",
  "accounts",
  "users",
  "flows",
  "providers",
  "roles",
] as const satisfies readonly Collection[];

/** The name of a collection for people. */
export function collectionLabel(collection: Collection): string {
  return collection === "apiKeys" ? "API keys" : collection.charAt(0).toUpperCase() + collection.slice(1);
}

/** A column of a collection's table: its head, and the text of a record. */
export type Column = readonly [head: string, text: (record: StateRecord, nameOf: NameOf) => string];

const field =
  (name: string) =>
  (record: StateRecord): string => {
    const value = record[name];
    if (value === undefined || value === null) return "";
    if (typeof value === "boolean") return value ? "yes" : "no";
    return Array.isArray(value) ? value.map(String).join(", ") : String(value).replaceAll("_", " ");
  };
const nameIn =
  (name: string) =>
  (record: StateRecord, nameOf: NameOf): string =>
    record[name] === undefined ? "" : nameOf(String(record[name]));
const inner = (name: string, part: string) => (record: StateRecord) => String(Object(record[name])[part] ?? "");
/** A flag that is on unless the record says otherwise. */
const usually = (name: string) => (record: StateRecord) => (record[name] === false ? "no" : "yes");
const account: Column = ["Account", nameIn("accountId")];
const id: Column = ["ID", field("id")];

const columns: Readonly<Record<Collection, readonly Column[]>> = {
  members: [["Name", nameIn("userId")], ["Role", field("role")], account],
  destinations: [
    ["Name", field("name")],
    ["Kind", field("kind")],
    ["Address", (record) => inner("config", "url")(record) || inner("config", "number")(record)],
    ["Enabled", usually("enabled")],
    account,
  ],
  groups: [
    ["Name", field("name")],
    ["Rings", (record, nameOf) => membersOf(record).map(nameOf).join(", ")],
    ["Seconds", field("totalTimeoutSecs")],
    account,
  ],
  numbers: [
    ["Number", field("number")],
    ["Active", usually("active")],
    ["Verified", usually("verified")],
    ["Places calls", usually("canInitiateCalls")],
    account,
  ],
  contacts: [
    ["Number", field("number")],
    ["Do not call", field("doNotCall")],
    ["Time zone", field("timeZone")],
    account,
  ],
  apiKeys: [
    ["Key", (record) => `…${String(record.keyHint ?? "")}`],
    ["State", (record) => field("state")(record) || "valid"],
    ["Role", field("role")],
    ["Expires", field("expiresAt")],
    account,
  ],
  calls: [
    ["To", inner("request", "toNumber")],
    ["Status", field("status")],
    ["Direction", field("direction")],
    ["Created", field("createdAt")],
    id,
  ],
  accounts: [["Name", field("name")], ["Time zone", field("timeZone")], ["Suspended", field("suspended")], id],
  users: [["Name", field("name")], id],
  flows: [["Published", field("published")], account, id],
  providers: [["Active", usually("active")], ["Rejects calls", field("rejects")], account, id],
  roles: [
    ["Role", field("role")],
    ["Permissions", field("permissions")],
  ],
};

/** The columns of a collection's table. */
export const columnsOf = (collection: Collection): readonly Column[] => columns[collection];

function membersOf({ members }: StateRecord): readonly string[] {
  return Array.isArray(members) ? members.map((member) => String(Object(member).destinationId)) : [];
}

/** The id of a record, as the control plane's paths have it. */
export function recordId(collection: Collection, record: StateRecord): string {
  if (collection === "contacts") return `${record.accountId}:${record.number}`;
  return String(record.id ?? record.number ?? record.role);
}

/** The title of a record: its name, its user's name, its number, or its id in short. */
export function titleOf(collection: Collection, record: StateRecord, nameOf: NameOf): string {
  const { name, number, userId, keyHint } = record;
  if (typeof name === "string") return name;
  if (userId !== undefined) return nameOf(String(userId));
  if (typeof number === "string") return number;
  if (keyHint !== undefined) return `API key …${keyHint}`;
  const found = recordId(collection, record);
  return found.length <= 20 ? found : `${found.slice(0, 8)}…${found.slice(-4)}`;
}

/** The fields of a record that the control plane hides, or parts of them. */
export function hiddenFields(record: StateRecord): readonly string[] {
  return Object.keys(record).filter((name) => JSON.stringify(record[name])?.includes("[redacted]"));
}

/** The fields of a record that can be edited: those that are whole, without the hints at secrets. */
export function editable(record: StateRecord): StateRecord {
  const hidden = hiddenFields(record);
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !hidden.includes(name) && !name.endsWith("Hint")),
  );
}

/** A copy of a record to begin a new one with: an id of its own, without secrets. */
export function copyOf(record: StateRecord, newId: () => string): StateRecord {
  const copy = editable(record);
  return "id" in copy ? { ...copy, id: newId() } : copy;
}

/** Reads a record that a user typed. Throws an Error with the place of a mistake. */
export function parseRecord(text: string): StateRecord {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SyntaxError('A record is a JSON object, such as { "name": "Reception" }.');
  return Object.fromEntries(Object.entries(value));
}

/**
 * The fields that differ between a record and its edited version: their new values, and null for those that are gone. Hidden
 * ones stay as they are unless they were typed.
 */
export function changesBetween(record: StateRecord, after: StateRecord): StateRecord {
  const before = editable(record);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name] ?? null]),
  );
}

/** Whether an event may have changed the records of a collection. */
export function changesCollection(event: BackendEvent, collection: Collection): boolean {
  const { type } = event;
  if (/^record\.changed$/.test(type)) return event.collection === collection;
  if (/^(?:member|availability)\./.test(type)) return collection === "members";
  if (type.startsWith("call.")) return collection === "calls";
  if (type.startsWith("transfer.")) return collection === "members" || collection === "calls";
  if (type.startsWith("secret.")) return collection === "destinations";
  // A request of the API that changed records.
  return type === "request.completed" && event.changeCount !== undefined;
}
