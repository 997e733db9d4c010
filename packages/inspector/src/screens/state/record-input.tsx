import { useId } from "preact/hooks";
import { moved } from "../../data/values/moved.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField, TextField } from "../../parts/field.tsx";
import type { RecordField } from "./fields.ts";
import { type Draft, draftOf, newRecord } from "./form.ts";
import { HoursField } from "./hours-field.tsx";
import { type Lookup, type RecordsByCollection, recordId, titleOf } from "./records.ts";
import type { Hours } from "./week.ts";

/** What the inputs of a form share. */
export interface FormContext {
  readonly records: RecordsByCollection;
  readonly lookup: Lookup;
  readonly accountTimeZone: string;
  /** The error that belongs to an input. */
  readonly errorAt: (path: string) => string | undefined;
  /** Whether a field holds a secret that is not shown. */
  readonly isHidden: (path: string) => boolean;
}

/** More records than this are not put into a list to choose from. */
const mostOptions = 500;

interface InputProps {
  readonly field: RecordField;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly context: FormContext;
}

/** The input of one field, whatever its kind. */
export function RecordInput(props: InputProps) {
  const { field, path, value, onChange, context } = props;
  const label = labelIn(field);
  const common = { label, value: String(value ?? ""), onChange, hint: field.hint, error: context.errorAt(path) };
  switch (field.kind) {
    case "flag":
      return <FlagInput {...props} />;
    case "choice":
      return <SelectField {...common} options={choices(field)} />;
    case "reference":
      return <ReferenceInput {...props} />;
    case "group":
      return <GroupInput {...props} />;
    case "list":
      return <ListInput {...props} />;
    case "hours":
      return (
        <HoursField
          hours={value as Hours | undefined}
          accountTimeZone={context.accountTimeZone}
          onChange={onChange}
          errorAt={context.errorAt}
          path={path}
        />
      );
    case "lines":
      return <TextArea {...props} label={label} hint="One on each line." />;
    case "json":
      return <TextArea {...props} label={label} hint="JSON." />;
    default:
      return context.isHidden(path) ? (
        <TextField {...common} placeholder="unchanged" hint="Hidden. Type another one to replace it." />
      ) : (
        <TextField {...common} />
      );
  }
}

/** The label of a field, with a star if it is required. */
const labelIn = ({ label, isRequired }: RecordField): string => (isRequired ? `${label} *` : label);

function choices({ options = [], isRequired }: RecordField): readonly (readonly [string, string])[] {
  const shown = options.map((option) => [option, option.replaceAll("_", " ")] as const);
  return isRequired ? shown : [["", "not set"], ...shown];
}

function FlagInput({ field, path, value, onChange, context }: InputProps) {
  const id = useId();
  const error = context.errorAt(path);
  return (
    <div class="field field-flag">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-invalid={error !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{field.label}</label>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function ReferenceInput({ field, path, value, onChange, context }: InputProps) {
  const { collection } = field;
  if (collection === undefined) return null;
  const list = context.records[collection] ?? [];
  const common = {
    label: labelIn(field),
    value: String(value ?? ""),
    onChange,
    error: context.errorAt(path),
  };
  if (list.length > mostOptions) return <TextField {...common} hint={`The ID of one of the ${collection}.`} />;
  const options = list.map((record) => {
    const id = recordId(collection, record);
    return [id, titleOf(collection, record, context.lookup)] as const;
  });
  const isKnown = value === "" || value === undefined || options.some(([id]) => id === value);
  return (
    <SelectField
      {...common}
      options={[["", "none"], ...options, ...(isKnown ? [] : [[String(value), `${value} (not found)`] as const])]}
    />
  );
}

function GroupInput({ field, path, value, onChange, context }: InputProps) {
  const draft = Object(value) as Draft;
  const error = context.errorAt(path);
  return (
    <fieldset class="form-group">
      <legend>{field.label}</legend>
      {error !== undefined && <p class="field-error">{error}</p>}
      {field.fields?.map((inner) => (
        <RecordInput
          key={inner.name}
          field={inner}
          path={`${path}.${inner.name}`}
          value={draft[inner.name]}
          onChange={(next) => onChange({ ...draft, [inner.name]: next })}
          context={context}
        />
      ))}
    </fieldset>
  );
}

function ListInput({ field, path, value, onChange, context }: InputProps) {
  const drafts = Array.isArray(value) ? (value as readonly Draft[]) : [];
  const error = context.errorAt(path);
  const fields = field.fields ?? [];
  const empty = draftOf(
    fields,
    newRecord(fields, () => ""),
  );
  return (
    <fieldset class="form-group">
      <legend>{field.label}</legend>
      {error !== undefined ? <p class="field-error">{error}</p> : <p class="field-hint">{field.hint}</p>}
      <ol class="form-list">
        {drafts.map((draft, index) => (
          <li key={index}>
            <div class="form-list-fields">
              {fields.map((inner) => (
                <RecordInput
                  key={inner.name}
                  field={inner}
                  path={`${path}[${index}].${inner.name}`}
                  value={draft[inner.name]}
                  onChange={(next) => onChange(drafts.with(index, { ...draft, [inner.name]: next }))}
                  context={context}
                />
              ))}
            </div>
            <div class="actions">
              <Button disabled={index === 0} onPress={() => onChange(moved(drafts, index, index - 1))}>
                Up
              </Button>
              <Button disabled={index === drafts.length - 1} onPress={() => onChange(moved(drafts, index, index + 1))}>
                Down
              </Button>
              <Button onPress={() => onChange(drafts.toSpliced(index, 1))}>Remove</Button>
            </div>
          </li>
        ))}
      </ol>
      <Button onPress={() => onChange([...drafts, empty])}>Add</Button>
    </fieldset>
  );
}

/** An input for several lines of text. */
function TextArea({
  path,
  value,
  onChange,
  context,
  label,
  hint,
}: InputProps & { readonly label: string; readonly hint: string }) {
  const text = String(value ?? "");
  return (
    <Field label={label} hint={hint} error={context.errorAt(path)}>
      {(ids) => (
        <textarea
          {...ids}
          dir="auto"
          spellcheck={false}
          rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
