import type { Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { policyTitle } from "./policy-title.ts";

type Policy = Schema<"PolicyList">["policies"][number];
type Save = (value: unknown) => Promise<boolean>;

/** The value of a policy in an input of its type. It is saved on Enter and when the user leaves the input. */
export function PolicyValue({
  policy: { name, value, choices, unit },
  error,
  save,
}: {
  readonly policy: Policy;
  readonly error: string | undefined;
  readonly save: Save;
}) {
  const id = useId();
  const described = { "aria-describedby": `${id}-error`, "aria-invalid": error !== undefined };
  return (
    <div class="policy-value">
      {typeof value === "boolean" ? (
        <label>
          <input
            {...described}
            type="checkbox"
            aria-label={name}
            checked={value}
            onChange={(event) => save(event.currentTarget.checked)}
          />{" "}
          {shownValue(value)}
        </label>
      ) : choices !== undefined ? (
        <select
          {...described}
          aria-label={name}
          value={String(value)}
          onChange={(event) => save(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isParts(value) ? (
        Object.entries(value).map(([part, partValue]) => (
          <span key={part} class="policy-part">
            <TextInput
              label={`${name}.${part}`}
              described={described}
              value={partValue}
              save={(next) => save({ ...value, [part]: next })}
            />
            {partTitle(part)}
          </span>
        ))
      ) : (
        <span class="policy-part">
          <TextInput label={name} described={described} value={value} save={save} />
          {unit !== undefined && "s"}
        </span>
      )}
      <p id={`${id}-error`} class="field-error" role="alert">
        {error}
      </p>
    </div>
  );
}

/** What the user writes is sent as it is, so that the server checks it: a number if it reads as one. */
function TextInput({
  label,
  described,
  value,
  save,
}: {
  readonly label: string;
  readonly described: { readonly "aria-describedby": string; readonly "aria-invalid": boolean };
  readonly value: unknown;
  readonly save: Save;
}) {
  const text = useSignal<string | undefined>(undefined);
  const submit = async () => {
    const written = text.value;
    if (written === undefined) return;
    // A value that was refused stays, so that it can be corrected.
    if (await save(writtenValue(written, value))) text.value = undefined;
  };
  return (
    <input
      {...described}
      type="text"
      inputMode={typeof value === "number" ? "decimal" : "text"}
      aria-label={label}
      spellcheck={false}
      class={typeof value === "number" ? "policy-number" : ""}
      value={text.value ?? String(value)}
      onInput={(event) => (text.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") void submit();
        if (event.key === "Escape") text.value = undefined;
      }}
      onBlur={submit}
    />
  );
}

function writtenValue(written: string, value: unknown): unknown {
  const isNumber = typeof value === "number" && /^-?\d+(?:\.\d+)?$/.test(written.trim());
  return isNumber ? Number(written) : written.trim();
}

function isParts(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What a part of a value is called, with its unit. */
const partTitle = (name: string): string =>
  policyTitle(name).toLowerCase() + (name.endsWith("Secs") ? " in seconds" : "");

/** A value as a text. */
export function shownValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return isParts(value)
    ? Object.entries(value)
        .map(([name, part]) => `${partTitle(name)} ${String(part)}`)
        .join(", ")
    : String(value);
}
