import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useSession } from "../data/session/context.ts";
import { newUuid } from "../data/values/uuid.ts";
import { Button } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, LoadError, Screen, Split } from "../parts/screen.tsx";
import type { Availability } from "./state/availability-panel.tsx";
import type { CollectionName } from "./state/fields.ts";
import { collectionNames, fieldsOf } from "./state/fields.ts";
import { copyOf, newRecord } from "./state/form.ts";
import { firstHours } from "./state/hours-field.tsx";
import { RecordDetail } from "./state/record-detail.tsx";
import { RecordForm } from "./state/record-form.tsx";
import { collectionLabel, RecordList } from "./state/record-list.tsx";
import { createLookup, filterRecords, type Lookup, titleOf } from "./state/records.ts";
import { useAvailability } from "./state/use-availability.ts";
import { type LiveRecords, useRecords } from "./state/use-records.ts";

/** The screen State: every record of the sandbox, to read and to edit. */
export function State() {
  const session = useSession();
  const live = useRecords();
  const availability = useAvailability();
  const filter = useSignal("");
  const [first, id] = session.route.value.rest;
  const collection = collectionNames.find((name) => name === first) ?? "members";
  const lookup = useMemo(() => createLookup(live.records), [live.records]);
  const here = { collection, lookup };
  const list = live.records[collection];
  const shown = useMemo(
    () => filterRecords(collection, list ?? [], filter.value, lookup),
    [collection, list, filter.value, lookup],
  );
  return (
    <Screen
      title="State"
      tools={
        <Filter
          value={filter.value}
          placeholder="Filter by any field or name"
          onChange={(text) => (filter.value = text)}
        />
      }
      actions={
        collection !== "roles" && (
          <Button icon="plus" onPress={() => session.go("state", collection, "new")}>
            New
          </Button>
        )
      }
    >
      <div class="state">
        <Collections records={live.records} current={collection} />
        <LoadError error={live.error} />
        <Split
          list={
            <RecordList
              {...here}
              records={shown}
              total={list?.length}
              changed={live.changed}
              availability={availability}
              selected={id}
            />
          }
          detail={
            id === undefined || list === undefined ? undefined : (
              <Detail key={`${collection}/${id}`} {...here} live={live} id={id} availability={availability.get(id)} />
            )
          }
          close={() => session.go("state", collection)}
        />
      </div>
    </Screen>
  );
}

function Collections({
  records,
  current,
}: {
  readonly records: LiveRecords["records"];
  readonly current: CollectionName;
}) {
  return (
    <nav class="state-tabs" aria-label="Collections">
      {collectionNames.map((name) => (
        <Link key={name} class="state-tab" to={["state", name]} current={name === current}>
          {collectionLabel(name)} <span class="state-count number">{records[name]?.length ?? ""}</span>
        </Link>
      ))}
    </nav>
  );
}

/** The selected record, or the form that edits, copies or creates one: what the address says. */
function Detail({
  collection,
  id,
  live: { records },
  lookup,
  availability,
}: {
  readonly collection: CollectionName;
  readonly id: string;
  readonly live: LiveRecords;
  readonly lookup: Lookup;
  readonly availability: Availability | undefined;
}) {
  const session = useSession();
  const [, , mode, only] = session.route.value.rest;
  const record = lookup(collection, id);
  const fields = fieldsOf(collection);
  const show = (shownId: string) => session.go("state", collection, shownId);
  const common = { collection, records, lookup, done: show };
  if (id === "new")
    return (
      <RecordForm
        {...common}
        record={newRecord(fields, newUuid, records.accounts?.[0]?.id)}
        isNew
        only={undefined}
        title={`New: ${collectionLabel(collection)}`}
        cancel={() => session.go("state", collection)}
      />
    );
  if (record === undefined)
    return (
      <Empty title="This record does not exist">
        <p>It was deleted, or the sandbox was reset. Select another one.</p>
      </Empty>
    );
  const title = titleOf(collection, record, lookup);
  if (mode === "edit" || mode === "copy")
    return (
      <RecordForm
        {...common}
        key={`${mode}/${only ?? ""}`}
        record={mode === "copy" ? copyOf(fields, record, newUuid) : record}
        isNew={mode === "copy"}
        only={only}
        // Who sets hours where there are none begins with a week.
        {...(only === "hours" && record.hours === undefined && { proposed: { hours: firstHours } })}
        title={mode === "copy" ? `Copy of ${title}` : `Edit ${title}`}
        cancel={() => show(id)}
      />
    );
  return (
    <RecordDetail
      collection={collection}
      record={record}
      records={records}
      lookup={lookup}
      availability={availability}
    />
  );
}
