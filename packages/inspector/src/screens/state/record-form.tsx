import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button, SubmitButton } from "../../parts/button.tsx";
import { DialogEnd } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { LoadError } from "../../parts/screen.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { type FormError, pathsOf, placeOf } from "./form.ts";
import { RecordInput } from "./record-input.tsx";
import { type Lookup, type RecordsByCollection, redactedValue } from "./records.ts";
import { type Edited, useRecordForm } from "./use-record-form.ts";

/** Edits a record, or creates one. The server checks it; its message stands at the field that it names. */
export function RecordForm({
  title,
  records,
  lookup,
  cancel,
  ...edited
}: Edited & {
  readonly title: string;
  readonly records: RecordsByCollection;
  readonly lookup: Lookup;
  readonly cancel: () => void;
}) {
  const { first, fields, draft, json, error, save, toggleJson } = useRecordForm(edited);
  const isForm = json.value === undefined;
  const { isBusy, submit } = useSubmit(save);
  const place = error.value && isForm ? placeOf(error.value, pathsOf(fields, draft.value)) : undefined;
  const context = {
    records,
    lookup,
    accountTimeZone: String(lookup("accounts", draft.value.accountId ?? first.accountId)?.timeZone ?? "UTC"),
    errorAt: (path: string) => (path === place ? error.value?.message : undefined),
    isHidden: (path: string) => first[path] === redactedValue,
  };
  return (
    <FormFrame title={title} error={error.value} submit={submit}>
      {place === undefined && isForm && <LoadError error={error.value && messageOf(error.value)} />}
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
      {isForm && fields.some(({ isRequired }) => isRequired) && <p class="muted">* required</p>}
      <DialogEnd close={cancel}>
        {edited.only === undefined && (
          <Button onPress={toggleJson}>{isForm ? "Edit as JSON" : "Edit as a form"}</Button>
        )}
        <SubmitButton isBusy={isBusy.value}>{edited.isNew ? "Create" : "Save"}</SubmitButton>
      </DialogEnd>
    </FormFrame>
  );
}

/** The form, in which the field with the error gets the focus, so that it is seen and read out. */
function FormFrame({
  title,
  error,
  submit,
  children,
}: {
  readonly title: string;
  readonly error: FormError | undefined;
  readonly submit: (event: Event) => void;
  readonly children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [error]);
  return (
    <form ref={form} class="record-form" aria-label={title} noValidate onSubmit={submit}>
      <h2>{title}</h2>
      {children}
    </form>
  );
}

const messageOf = ({ path, message }: FormError) => (path === "" ? message : `${path}: ${message}`);

function JsonInput({
  text,
  error,
  onChange,
}: {
  readonly text: string;
  readonly error: FormError | undefined;
  readonly onChange: (text: string) => void;
}) {
  return (
    <Field label="Record as JSON" hint="Secrets are left out: they stay as they are." error={error && messageOf(error)}>
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
