import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Availability, Collection, StateRecord } from "../data/control.ts";
import type { NameOf } from "../data/events.ts";
import { matchesWords, messageIn, newUuid } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import {
  changesBetween,
  changesCollection,
  collectionLabel,
  collections,
  columnsOf,
  copyOf,
  editable,
  hiddenFields,
  parseRecord,
  recordId,
  titleOf,
} from "../data/records.ts";
import { act, useSession } from "../data/session.ts";
import { emptyDirectory, useDirectory } from "../data/transfers.ts";
import { Button, CodeField, ConfirmButton, Filter, Form, SubmitButton } from "../parts/controls.tsx";
import { Secret } from "../parts/data.tsx";
import { Empty, Link, LoadError, Screen, Split, useKeys } from "../parts/screen.tsx";
import { AvailabilityButtons, AvailabilityLine, useAvailability } from "./calls.tsx";

/** The screen Records: a table for each collection, and each record as JSON. */
export function Records() {
  const session = useSession();
  const filter = useSignal("");
  const [first, id] = session.route.value.rest;
  const collection = collections.find((name) => name === first) ?? "members";
  const { nameOf } = useDirectory().data ?? emptyDirectory;
  const live = useLive(
    (control) => control.records(collection),
    (event) => changesCollection(event, collection),
    collection,
  );
  const availability = useAvailability().data ?? [];
  const records = live.data;
  const shown = (records ?? []).filter((record) => matchesWords(searchText(collection, record, nameOf), filter.value));
  return (
    <Screen
      title="Records"
      tools={
        <>
          <Filter value={filter.value} placeholder="Any field or name" onChange={(text) => (filter.value = text)} />
          <nav class="tabs" aria-label="Collections">
            {collections.map((name) => (
              <Link key={name} class="tab" to={["records", name]} current={name === collection}>
                {collectionLabel(name)}
              </Link>
            ))}
          </nav>
        </>
      }
      actions={
        collection !== "roles" && (
          <Button icon="plus" onPress={() => session.go("records", collection, "new")}>
            New
          </Button>
        )
      }
    >
      <LoadError error={live.error} />
      <Split
        list={
          records === undefined ? null : records.length === 0 ? (
            <Empty title={`No ${collectionLabel(collection).replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase())}`}>
              <p>Press “New”, or start the server with a seed that has some.</p>
            </Empty>
          ) : (
            <Table
              collection={collection}
              records={shown}
              nameOf={nameOf}
              selected={id}
              availability={collection === "members" ? availability : undefined}
            />
          )
        }
        detail={
          id === undefined || records === undefined ? undefined : (
            <Detail
              key={`${collection}/${id}`}
              collection={collection}
              id={id}
              records={records}
              nameOf={nameOf}
              availability={availability.find(({ memberId }) => memberId === id)}
            />
          )
        }
        close={() => session.go("records", collection)}
      />
    </Screen>
  );
}

const searchText = (collection: Collection, record: StateRecord, nameOf: NameOf): string =>
  [...columnsOf(collection).map(([, text]) => text(record, nameOf)), JSON.stringify(record)].join("\n");

function Table({
  collection,
  records,
  nameOf,
  selected,
  availability,
}: {
  readonly collection: Collection;
  readonly records: readonly StateRecord[];
  readonly nameOf: NameOf;
  readonly selected: string | undefined;
  /** Of members. */
  readonly availability: readonly Availability[] | undefined;
}) {
  const session = useSession();
  const [main, ...columns] = columnsOf(collection);
  const position = records.findIndex((record) => recordId(collection, record) === selected);
  const step = (by: number) => () => {
    const next = records[Math.max(0, Math.min(position + by, records.length - 1))];
    if (next !== undefined) session.go("records", collection, recordId(collection, next));
  };
  useKeys({ j: step(1), k: step(-1) });
  if (records.length === 0) return <p class="empty">No record matches the filter.</p>;
  return (
    // A region that scrolls must be reachable by the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div class="records" tabIndex={0} role="region" aria-label={collectionLabel(collection)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{main?.[0]}</th>
            {availability !== undefined && <th scope="col">Status</th>}
            {columns.map(([head]) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => {
            const id = recordId(collection, record);
            const member = availability?.find(({ memberId }) => memberId === id);
            return (
              <tr key={id} {...(id === selected && { "aria-current": "true" })}>
                <th scope="row" dir="auto">
                  <Link to={["records", collection, id]}>
                    {main?.[1](record, nameOf) || titleOf(collection, record, nameOf)}
                  </Link>
                </th>
                {availability !== undefined && <td>{member !== undefined && <AvailabilityLine member={member} />}</td>}
                {columns.map(([head, text]) => (
                  <td key={head} dir="auto">
                    {text(record, nameOf)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Detail({
  collection,
  id,
  records,
  nameOf,
  availability,
}: {
  readonly collection: Collection;
  readonly id: string;
  readonly records: readonly StateRecord[];
  readonly nameOf: NameOf;
  readonly availability: Availability | undefined;
}) {
  const record = records.find((one) => recordId(collection, one) === id);
  if (id === "new") return <Editor collection={collection} record={firstOf(records)} isNew title="New record" />;
  if (record === undefined)
    return (
      <Empty title="This record does not exist">
        <p>It was deleted, or the sandbox was reset. Select another one.</p>
      </Empty>
    );
  return (
    <>
      <Editor collection={collection} record={record} isNew={false} title={titleOf(collection, record, nameOf)} />
      {availability !== undefined && (
        <div class="panel">
          <AvailabilityLine member={availability} />
          <p>
            {availability.ringable
              ? "A transfer would ring this member now."
              : `A transfer would not ring this member now: ${availability.silentBecause ?? "see the status"}.`}
          </p>
          <AvailabilityButtons member={availability} />
        </div>
      )}
      <RecordSecrets collection={collection} id={id} record={record} />
    </>
  );
}

/** The beginning of a new record: a copy of the first one, with an id of its own. */
const firstOf = ([first]: readonly StateRecord[]): StateRecord =>
  first === undefined ? { id: newUuid() } : copyOf(first, newUuid);

function hintFor(record: StateRecord, isNew: boolean): string {
  if (isNew) return "It begins as a copy of the first record.";
  const hidden = hiddenFields(record).join(", ");
  return `Only fields that differ are sent.${hidden === "" ? "" : ` Hidden, and kept unless you type it: ${hidden}.`}`;
}

/** A record as JSON. The control plane checks it, and names the field that is wrong. */
function Editor({
  collection,
  record,
  isNew,
  title,
}: {
  readonly collection: Collection;
  readonly record: StateRecord;
  readonly isNew: boolean;
  readonly title: string;
}) {
  const session = useSession();
  const first = useRef(record);
  const typed = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  // A change from elsewhere shows, unless something was typed.
  if (typed.value === undefined && !isNew) first.current = record;
  const before = first.current;
  const text = typed.value ?? JSON.stringify(editable(before), null, 2);
  const save = async () => {
    const control = session.control.value;
    try {
      const after = parseRecord(text);
      if (isNew) {
        const created = await control.createRecord(collection, after);
        session.go("records", collection, recordId(collection, created));
        return;
      }
      const changes = changesBetween(before, after);
      if (Object.keys(changes).length > 0)
        await control.updateRecord(collection, recordId(collection, before), changes);
      typed.value = undefined;
      error.value = undefined;
      session.notify("ok", "Saved.");
    } catch (reason) {
      error.value = messageIn(reason);
    }
  };
  const duplicate = async () => {
    const control = session.control.value;
    const created = await control.createRecord(collection, copyOf(before, newUuid));
    session.go("records", collection, recordId(collection, created));
  };
  const remove = async () => {
    const isDone = await act(session, () =>
      session.control.value.deleteRecord(collection, recordId(collection, before)),
    );
    if (isDone) session.go("records", collection);
  };
  return (
    <article aria-label={title}>
      <header class="detail-head">
        <h2 dir="auto">{title}</h2>
      </header>
      <Form onSubmit={save}>
        <CodeField
          label="Record as JSON"
          rows={Math.min(24, text.split("\n").length + 1)}
          value={text}
          onChange={(value) => {
            typed.value = value;
            error.value = undefined;
          }}
          hint={hintFor(before, isNew)}
          error={error.value}
        />
        <div class="actions">
          <SubmitButton>{isNew ? "Create" : "Save"}</SubmitButton>
          {typed.value !== undefined && (
            <Button
              onPress={() => {
                typed.value = undefined;
                error.value = undefined;
              }}
            >
              Undo
            </Button>
          )}
          {!isNew && collection !== "roles" && (
            <>
              {before.id !== undefined && <Button onPress={() => act(session, duplicate)}>Duplicate</Button>}
              <ConfirmButton action="Delete" question={`Delete ${title}?`} run={remove}>
                The record is gone until the sandbox is reset.
              </ConfirmButton>
            </>
          )}
        </div>
      </Form>
    </article>
  );
}

/** The secrets of a record, which are read when they are asked for. */
function RecordSecrets({
  collection,
  id,
  record,
}: {
  readonly collection: Collection;
  readonly id: string;
  readonly record: StateRecord;
}) {
  const { control } = useSession();
  const read = async (name: string) => {
    const value = (await control.value.record(collection, id))?.[name] ?? "";
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  return (
    <>
      {hiddenFields(record).map((name) => (
        <p key={name}>
          {name} <Secret name={name} load={() => read(name)} />
        </p>
      ))}
    </>
  );
}
