import type { Schema } from "../../../control/client.ts";
import { useSession } from "../../data/context.ts";
import { Status, type Tone } from "../../parts/data.tsx";
import { Empty } from "../../parts/screen.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { type CollectionName, type Lookup, recordId, type StateRecord, summaryOf, titleOf } from "./records.ts";

/** What a status of availability looks like. */
export const availabilityTones: Readonly<Record<string, Tone>> = { available: "ok", away: "warn", offline: "idle" };

/** The records of a collection. */
export function RecordList({
  collection,
  records,
  total,
  lookup,
  changed,
  selected,
}: {
  readonly collection: CollectionName;
  /** Those that pass the filter. */
  readonly records: readonly StateRecord[];
  /** How many there are without the filter; undefined until they are read. */
  readonly total: number | undefined;
  readonly lookup: Lookup;
  readonly changed: ReadonlySet<string>;
  readonly selected: string | undefined;
}) {
  const session = useSession();
  if (total === undefined) return null;
  if (total === 0)
    return (
      <Empty title={`There are no ${collectionLabel(collection).toLowerCase()}`}>
        <p>Create one here, or start the server with a seed that has some.</p>
      </Empty>
    );
  if (records.length === 0)
    return (
      <Empty title="Nothing passes the filter">
        <p>The filter searches all fields, and the names of the records they refer to. Use fewer words.</p>
      </Empty>
    );
  return (
    <VirtualList
      label={collectionLabel(collection)}
      items={records}
      keyOf={(record) => recordId(collection, record)}
      selected={selected}
      onSelect={(id) => session.go("state", collection, id)}
      row={(record) => (
        <RecordRow
          collection={collection}
          record={record}
          lookup={lookup}
          isChanged={changed.has(`${collection}/${recordId(collection, record)}`)}
        />
      )}
    />
  );
}

function RecordRow({
  collection,
  record,
  lookup,
  isChanged,
}: {
  readonly collection: CollectionName;
  readonly record: StateRecord;
  readonly lookup: Lookup;
  readonly isChanged: boolean;
}) {
  const account = record.accountId === undefined ? undefined : lookup("accounts", record.accountId)?.name;
  return (
    <div class={`record-row${collection === "members" ? " with-status" : ""}${isChanged ? " changed" : ""}`}>
      <span class="record-title" dir="auto">
        {titleOf(collection, record, lookup)}
      </span>
      {collection === "members" && (
        <Status tone={availabilityTones[shownStatus(record)] ?? "idle"}>{shownStatus(record)}</Status>
      )}
      <span class="record-summary" dir="auto">
        {summaryOf(collection, record, lookup)}
      </span>
      {account !== undefined && (
        <span class="record-account" dir="auto">
          {String(account)}
        </span>
      )}
    </div>
  );
}

function shownStatus({ availability }: StateRecord): string {
  return String((Object(availability) as { status?: unknown }).status ?? "");
}

/** What a collection is called. */
export function collectionLabel(collection: Schema<"Collection">): string {
  return collection === "apiKeys" ? "API keys" : collection.charAt(0).toUpperCase() + collection.slice(1);
}
