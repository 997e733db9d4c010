import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Code, Json, Relative, Secret, Time } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { EditPanel } from "./edit-panel.tsx";
import type { RecordField } from "./fields.ts";
import { type Lookup, redactedValue, type StateRecord, titleOf } from "./records.ts";
import type { Hours } from "./week.ts";
import { WeekGrid } from "./week-grid.tsx";

/** A name and a value, which is marked for a moment when it changes. */
export function Fact({
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

interface PanelField {
  readonly field: RecordField;
  readonly record: StateRecord;
  readonly lookup: Lookup;
}

/** A field that needs more room than a line. */
export function FieldPanel({ edit, ...shown }: PanelField & { readonly edit: () => void }) {
  const { field, record } = shown;
  return (
    <EditPanel title={field.label} edit={edit} isEmpty={field.kind === "hours" && record[field.name] === undefined}>
      <PanelValue {...shown} />
    </EditPanel>
  );
}

function PanelValue({ field, record: whole, lookup }: PanelField) {
  const value = whole[field.name];
  if (field.kind === "hours")
    return value === undefined ? (
      <p class="field-hint">No hours are set: every time is within them.</p>
    ) : (
      <WeekGrid
        hours={value as Hours}
        timeZone={(value as Hours).timeZone ?? String(lookup("accounts", whole.accountId)?.timeZone ?? "UTC")}
      />
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

export function Value({
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
