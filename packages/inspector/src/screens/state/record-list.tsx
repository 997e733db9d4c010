import type { Schema } from "@call-transfer/backend/control-client";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/screen.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { type Availability, AvailabilityStatus, availabilitySummary } from "./availability-panel.tsx";
import type { CollectionName } from "./fields.ts";
import { type Lookup, recordId, type StateRecord, summaryOf, titleOf } from "./records.ts";

/** The records of a collection. */
export function RecordList({
  collection,
  records,
  total,
  lookup,
  changed,
  availability,
  selected,
}: {
  readonly collection: CollectionName;
  /** Those that pass the filter. */
  readonly records: readonly StateRecord[];
  /** How many there are without the filter; undefined until they are read. */
  readonly total: number | undefined;
  readonly lookup: Lookup;
  readonly changed: ReadonlySet<string>;
  /** The availability of members by their ids. */
  readonly availability: ReadonlyMap<string, Availability>;
  readonly selected: string | undefined;
}) {
  const session = useSession();
  if (total === undefined) return null;
  if (total === 0) return <NoRecord collection={collection} />;
  if (records.length === 0)
    return (
      <Empty title="Nothing passes the filter">
        <p>The filter searches all fields, and the names of the records they refer to. Use fewer words.</p>
      </Empty>
    );
  return (
    <VirtualList
      label={collectionLabel(collection)}
      head={<RecordHead collection={collection} />}
      items={records}
      keyOf={(record) => recordId(collection, record)}
      selected={selected}
      onSelect={(id) => session.go("state", collection, id)}
      row={(record) => (
        <RecordRow
          collection={collection}
          record={record}
          lookup={lookup}
          availability={availability.get(recordId(collection, record))}
          isChanged={changed.has(`${collection}/${recordId(collection, record)}`)}
        />
      )}
    />
  );
}

function NoRecord({ collection }: { readonly collection: CollectionName }) {
  const session = useSession();
  return (
    <Empty
      title={`No ${collectionLabel(collection).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`}
      action={
        collection !== "roles" && (
          <Button rank="primary" icon="plus" onPress={() => session.go("state", collection, "new")}>
            New
          </Button>
        )
      }
    >
      <p>They appear here when you create one, or start the server with a seed that has some.</p>
    </Empty>
  );
}

/** What the columns of {@link RecordRow} show. */
function RecordHead({ collection }: { readonly collection: CollectionName }) {
  const isOfMembers = collection === "members";
  return (
    <div class={`record-row${isOfMembers ? " with-status" : ""}`}>
      <span class="record-title">Name</span>
      {isOfMembers && <span>Status</span>}
      <span class="record-summary">{isOfMembers ? "Role, and until when" : "Details"}</span>
      {collection !== "accounts" && <span class="record-account">Account</span>}
    </div>
  );
}

function RecordRow({
  collection,
  record,
  lookup,
  availability,
  isChanged,
}: {
  readonly collection: CollectionName;
  readonly record: StateRecord;
  readonly lookup: Lookup;
  readonly availability: Availability | undefined;
  readonly isChanged: boolean;
}) {
  const account = record.accountId === undefined ? undefined : lookup("accounts", record.accountId)?.name;
  return (
    <div class={`record-row${collection === "members" ? " with-status" : ""}${isChanged ? " changed" : ""}`}>
      <span class="record-title" dir="auto">
        {titleOf(collection, record, lookup)}
      </span>
      {availability !== undefined && <AvailabilityStatus {...availability} />}
      <span class="record-summary" dir="auto">
        {summaryOf(collection, record, lookup)}
        {availability !== undefined && <AvailabilitySummary availability={availability} />}
      </span>
      {account !== undefined && (
        <span class="record-account" dir="auto">
          {String(account)}
        </span>
      )}
    </div>
  );
}

/** Moves with the clock, without the rest of its row. */
function AvailabilitySummary({ availability }: { readonly availability: Availability }) {
  const text = availabilitySummary(availability, useSession().clock.now.value);
  return text === "" ? null : ` · ${text}`;
}

/** What a collection is called. */
export function collectionLabel(collection: Schema<"Collection">): string {
  return collection === "apiKeys" ? "API keys" : collection.charAt(0).toUpperCase() + collection.slice(1);
}
