import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import type { ControlResult } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { fieldsOf } from "./fields.ts";
import {
  changesBetween,
  draftOf,
  errorOf,
  type FormError,
  FormProblem,
  parseJson,
  pathsOf,
  placeOf,
  recordOf,
} from "./form.ts";
import { RecordInput } from "./record-input.tsx";
import {
  type CollectionName,
  identifies,
  type Lookup,
  type RecordsByCollection,
  recordId,
  redactedValue,
  type StateRecord,
} from "./records.ts";

/**
 * Edits a record, or creates one. The server checks it; its message stands at the field that it names. Only fields that differ
 * are sent, so that changes from elsewhere stay.
 */
export function RecordForm({
  collection,
  record,
  isNew,
  only,
  title,
  records,
  lookup,
  done,
  cancel,
}: {
  readonly collection: CollectionName;
  /** The record before the changes, or what a new one starts with. */
  readonly record: StateRecord;
  readonly isNew: boolean;
  /** The only field to edit; all by default. */
  readonly only: string | undefined;
  readonly title: string;
  readonly records: RecordsByCollection;
  readonly lookup: Lookup;
  /** Runs after success with the id of the record. */
  readonly done: (id: string) => void;
  readonly cancel: () => void;
}) {
  const session = useSession();
  const form = useRef<HTMLFormElement>(null);
  const first = useRef(record).current;
  const fields = fieldsOf(collection)
    .filter(({ name }) => only === undefined || name === only)
    .filter(({ name }) => isNew || !identifies(collection, first, name));
  const draft = useSignal(draftOf(fields, first));
  const json = useSignal<string | undefined>(undefined);
  const error = useSignal<FormError | undefined>(undefined);
  const place =
    error.value && json.value === undefined ? placeOf(error.value, pathsOf(fields, draft.value)) : undefined;
  // The field with the error gets the focus, so that it is seen and read out.
  useEffect(() => {
    if (error.value !== undefined) form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [error.value]);

  const send = async (): Promise<ControlResult | undefined> => {
    const control = session.control.value;
    const before = recordOf(fields, draftOf(fields, first));
    const after = json.value === undefined ? recordOf(fields, draft.value) : (parseJson(json.value, "") as StateRecord);
    if (isNew)
      return control.POST("/_control/v1/state/{collection}", { params: { path: { collection } }, body: after });
    const changes = changesBetween(before, after);
    if (Object.keys(changes).length === 0) return undefined;
    return control.PATCH("/_control/v1/state/{collection}/{id}", {
      params: { path: { collection, id: recordId(collection, first) } },
      body: changes,
    });
  };
  const save = async () => {
    try {
      const result = await send();
      if (result !== undefined && !result.response.ok) {
        error.value = errorOf(result.error);
        return;
      }
      error.value = undefined;
      if (result !== undefined) session.notify("ok", isNew ? "Created." : "Saved.");
      done(recordId(collection, result === undefined ? first : (Object(result.data) as StateRecord)));
    } catch (reason) {
      error.value =
        reason instanceof FormProblem
          ? reason
          : { path: "", message: `The server could not be reached. ${String(reason)}` };
    }
  };
  const toggleJson = () => {
    try {
      const text = json.value;
      if (text !== undefined) draft.value = draftOf(fields, parseJson(text, "") as StateRecord);
      json.value = text === undefined ? JSON.stringify(recordOf(fields, draft.value), null, 2) : undefined;
      error.value = undefined;
    } catch (reason) {
      if (!(reason instanceof FormProblem)) throw reason;
      error.value = reason;
    }
  };
  const context = {
    records,
    lookup,
    accountTimeZone: String(lookup("accounts", draft.value.accountId ?? first.accountId)?.timeZone ?? "UTC"),
    errorAt: (path: string) => (path === place ? error.value?.message : undefined),
    isHidden: (path: string) => first[path] === redactedValue,
  };
  return (
    <form
      ref={form}
      class="record-form"
      aria-label={title}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{title}</h2>
      {error.value !== undefined && place === undefined && json.value === undefined && (
        <p class="load-error" role="alert" dir="auto">
          {error.value.path === "" ? error.value.message : `${error.value.path}: ${error.value.message}`}
        </p>
      )}
      {json.value === undefined ? (
        fields.map((field) => (
          <RecordInput
            key={field.name}
            field={field}
            path={field.name}
            value={draft.value[field.name]}
            onChange={(value) => (draft.value = { ...draft.value, [field.name]: value })}
            context={context}
          />
        ))
      ) : (
        <JsonInput text={json.value} error={error.value} onChange={(text) => (json.value = text)} />
      )}
      {json.value === undefined && fields.some(({ isRequired }) => isRequired) && <p class="muted">* required</p>}
      <div class="form-tools form-end">
        <button type="submit" class="button button-primary">
          {isNew ? "Create" : "Save"}
        </button>
        <Button onPress={cancel}>Cancel</Button>
        {only === undefined && (
          <Button kind="quiet" onPress={toggleJson}>
            {json.value === undefined ? "Edit as JSON" : "Edit as a form"}
          </Button>
        )}
      </div>
    </form>
  );
}

function JsonInput({
  text,
  error,
  onChange,
}: {
  readonly text: string;
  readonly error: FormError | undefined;
  readonly onChange: (text: string) => void;
}) {
  const message = error && (error.path === "" ? error.message : `${error.path}: ${error.message}`);
  return (
    <Field label="Record as JSON" hint="Secrets are left out: they stay as they are." error={message}>
      {(ids) => (
        <textarea
          {...ids}
          class="json-input"
          rows={24}
          spellcheck={false}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
