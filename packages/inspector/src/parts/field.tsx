import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A labelled input with a hint and its error. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** The input; it receives the id that connects it with the label and the error. */
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": error !== undefined })}
      <p id={`${id}-hint`} class={error === undefined ? "field-hint" : "field-error"} dir="auto">
        {error ?? hint}
      </p>
    </div>
  );
}

/** A text field. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  type = "text",
  ...input
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly type?: "text" | "password" | "number" | "url" | "datetime-local";
  readonly placeholder?: string;
  readonly autocomplete?: "off" | "on";
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...input}
          {...ids}
          // The types of Preact know the kinds of inputs one by one only.
          type={type as "text"}
          dir="auto"
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of a few values. */
export function SelectField({
  label,
  value,
  onChange,
  options,
  hint,
  error,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values and what they are called. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The filter of a screen: the key `/` moves the focus to it. */
export function Filter({
  value,
  onChange,
  placeholder,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
}) {
  return (
    <input
      class="filter"
      type="search"
      data-filter=""
      dir="auto"
      spellcheck={false}
      aria-label="Filter"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
