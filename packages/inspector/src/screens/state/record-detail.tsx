import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { Code, Json, Relative, Secret, Time } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Panel } from "../../parts/screen.tsx";
import { type Availability, AvailabilityPanel } from "./availability-panel.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { fieldsOf, type RecordField } from "./fields.ts";
import {
  type CollectionName,
  type Lookup,
  type RecordsByCollection,
  recordId,
  redactedValue,
  type StateRecord,
  titleOf,
} from "./records.ts";
import { Referrers } from "./referrers.tsx";
import type { Hours } from "./week.ts";
import { WeekGrid } from "./week-grid.tsx";

/** A record for reading, and what can be done with it. */
export function RecordDetail({
  collection,
  record,
  records,
  lookup,
  availability,
}: {
  readonly collection: CollectionName;
  readonly record: StateRecord;
  readonly records: RecordsByCollection;
  readonly lookup: Lookup;
  /** Of a member. */
  readonly availability: Availability | undefined;
}) {
  const session = useSession();
  const isDeleting = useSignal(false);
  const id = recordId(collection, record);
  const title = titleOf(collection, record, lookup);
  const fields = fieldsOf(collection).filter(({ name }) => record[name] !== undefined);
  const isOwnPanel = ({ kind }: RecordField) => kind === "group" || kind === "list" || kind === "hours";
  const edit = (field: string) => () => session.go("state", collection, id, "edit", field);
  const zone = String(lookup("accounts", record.accountId)?.timeZone ?? "UTC");
  return (
    <article aria-label={title}>
      <DetailHead collection={collection} id={id} title={title} remove={() => (isDeleting.value = true)} />
      <dl class="facts">
        {fields
          .filter((field) => !isOwnPanel(field))
          .map((field) => (
            <Fact key={field.name} name={field.label} value={record[field.name]}>
              <Value
                field={field}
                value={record[field.name]}
                lookup={lookup}
                hint={record[`${field.name}Hint`]}
                reveal={() => readSecret(session, collection, id, field.name)}
              />
            </Fact>
          ))}
      </dl>
      {fieldsOf(collection)
        .filter((field) => isOwnPanel(field))
        .map((field) =>
          field.name === "availability" && availability !== undefined ? (
            <AvailabilityPanel key={field.name} availability={availability} edit={edit(field.name)} />
          ) : (
            <Panel
              key={field.name}
              title={field.label}
              tools={
                <Button onPress={edit(field.name)} label={`Edit ${field.label.toLowerCase()}`}>
                  Edit
                </Button>
              }
            >
              <PanelValue field={field} value={record[field.name]} zone={zone} lookup={lookup} />
            </Panel>
          ),
        )}
      <Referrers records={records} collection={collection} id={id} lookup={lookup} />
      {isDeleting.value && (
        <DeleteDialog
          collection={collection}
          id={id}
          title={title}
          records={records}
          lookup={lookup}
          close={() => (isDeleting.value = false)}
        />
      )}
    </article>
  );
}

function DetailHead({
  collection,
  id,
  title,
  remove,
}: {
  readonly collection: CollectionName;
  readonly id: string;
  readonly title: string;
  readonly remove: () => void;
}) {
  const session = useSession();
  return (
    <header class="detail-head">
      <h2 dir="auto">{title}</h2>
      <div class="form-tools">
        <Button kind="primary" onPress={() => session.go("state", collection, id, "edit")}>
          Edit
        </Button>
        {collection !== "roles" && (
          <>
            <Button onPress={() => session.go("state", collection, id, "copy")}>Duplicate</Button>
            <Button kind="danger" onPress={remove}>
              Delete
            </Button>
          </>
        )}
      </div>
    </header>
  );
}

/** Reads a secret when it is asked for. */
async function readSecret(
  session: ReturnType<typeof useSession>,
  collection: CollectionName,
  id: string,
  field: string,
): Promise<string | undefined> {
  const { data } = await session.control.value.GET("/_control/v1/state/{collection}/{id}", {
    params: { path: { collection, id } },
  });
  return data === undefined ? undefined : String(data[field]);
}

/** A name and a value, which is marked for a moment when it changes. */
function Fact({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly children: ComponentChildren;
}) {
  const text = JSON.stringify(value);
  const first = useRef(text);
  return (
    <div>
      <dt>{name}</dt>
      <dd key={text} dir="auto" class={text === first.current ? "" : "changed"}>
        {children}
      </dd>
    </div>
  );
}

function PanelValue({
  field,
  value,
  zone,
  lookup,
}: {
  readonly field: RecordField;
  readonly value: unknown;
  /** The account's time zone. */
  readonly zone: string;
  readonly lookup: Lookup;
}) {
  if (field.kind === "hours")
    return value === undefined ? (
      <p class="field-hint">No hours are set: every time is within them.</p>
    ) : (
      <WeekGrid hours={value as Hours} timeZone={(value as Hours).timeZone ?? zone} />
    );
  if (field.kind === "list") {
    const entries = Array.isArray(value) ? (value as readonly StateRecord[]) : [];
    return (
      <ol class="ring-list">
        {entries.map((entry, index) => (
          <li key={index}>
            <Inline fields={field.fields ?? []} record={entry} lookup={lookup} />
          </li>
        ))}
      </ol>
    );
  }
  const record = Object(value) as StateRecord;
  return (
    <dl class="facts">
      {field.fields
        ?.filter(({ name }) => record[name] !== undefined && record[name] !== null)
        .map((inner) => (
          <Fact key={inner.name} name={inner.label} value={record[inner.name]}>
            <Value field={inner} value={record[inner.name]} lookup={lookup} reveal={() => undefined} />
          </Fact>
        ))}
    </dl>
  );
}

/** The fields of an entry in one line. */
function Inline({
  fields,
  record,
  lookup,
}: {
  readonly fields: readonly RecordField[];
  readonly record: StateRecord;
  readonly lookup: Lookup;
}) {
  return (
    <>
      {fields
        .filter(({ name }) => record[name] !== undefined)
        .map((field) => (
          <span key={field.name} class="inline-value">
            {field.kind === "reference" ? "" : `${field.label}: `}
            <Value field={field} value={record[field.name]} lookup={lookup} reveal={() => undefined} />
          </span>
        ))}
    </>
  );
}

function Value({
  field,
  value,
  lookup,
  hint,
  reveal,
}: {
  readonly field: RecordField;
  readonly value: unknown;
  readonly lookup: Lookup;
  /** The end of a secret, by which it is recognised. */
  readonly hint?: unknown;
  readonly reveal: () => Promise<string | undefined> | undefined;
}) {
  if (value === redactedValue)
    return (
      <>
        <Secret name={field.label} load={reveal} />
        {hint !== undefined && <span class="muted"> ends in {String(hint)}</span>}
      </>
    );
  if (field.collection !== undefined) {
    const target = lookup(field.collection, value);
    return target === undefined ? (
      <Code>{String(value)}</Code>
    ) : (
      <Link to={["state", field.collection, String(value)]}>{titleOf(field.collection, target, lookup)}</Link>
    );
  }
  switch (field.kind) {
    case "flag":
      return value === true ? "yes" : "no";
    case "choice":
      return String(value).replaceAll("_", " ");
    case "time":
      return (
        <>
          <Time at={String(value)} withDay /> (<Relative at={String(value)} />)
        </>
      );
    case "lines":
      return <Lines texts={Array.isArray(value) ? value.map(String) : []} />;
    case "json":
      return <Json value={value} label={field.label} />;
    default:
      return field.name === "id" ? <Code>{String(value)}</Code> : String(value);
  }
}

function Lines({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return "none";
  return (
    <ul class="plain-list">
      {texts.map((text) => (
        <li key={text}>
          <Code>{text}</Code>
        </li>
      ))}
    </ul>
  );
}
