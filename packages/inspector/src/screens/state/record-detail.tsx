import { useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { type Availability, AvailabilityPanel } from "./availability-panel.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { type CollectionName, fieldsOf, type RecordField } from "./fields.ts";
import { type Lookup, type RecordsByCollection, recordId, type StateRecord, titleOf } from "./records.ts";
import { Referrers } from "./referrers.tsx";
import { Fact, FieldPanel, Value } from "./values.tsx";

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
  const here = { collection, id, records, lookup };
  const title = titleOf(collection, record, lookup);
  const fields = fieldsOf(collection).filter(({ name }) => record[name] !== undefined);
  const isOwnPanel = ({ kind }: RecordField) => kind === "group" || kind === "list" || kind === "hours";
  const edit = (field: string) => () => session.go("state", collection, id, "edit", field);
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
            <FieldPanel key={field.name} field={field} record={record} lookup={lookup} edit={edit(field.name)} />
          ),
        )}
      <Referrers {...here} />
      {isDeleting.value && <DeleteDialog {...here} title={title} close={() => (isDeleting.value = false)} />}
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
      <div class="actions">
        <Button rank="primary" onPress={() => session.go("state", collection, id, "edit")}>
          Edit
        </Button>
        {collection !== "roles" && (
          <>
            <Button onPress={() => session.go("state", collection, id, "copy")}>Duplicate</Button>
            <Button rank="danger" onPress={remove}>
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
  const { data } = await session.control.value.GET("/_control/v1/records/{collection}", {
    params: { path: { collection }, query: { id } },
  });
  const record = data?.records[0];
  return record === undefined ? undefined : String(record[field]);
}
