import { useId } from "preact/hooks";
import { curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { callers } from "../../data/session/credentials.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { LoadError, Panel } from "../../parts/screen.tsx";
import { AnswerView } from "./answer-view.tsx";
import type { Operation, Parameter } from "./document.ts";
import type { Resolve } from "./schema.ts";
import type { Suggestion } from "./suggestions.ts";
import { type Trial, useTrial } from "./use-trial.ts";

/** Sends the operation to the current sandbox, and shows the answer. */
export function TryIt({ operation, resolve }: { readonly operation: Operation; readonly resolve: Resolve }) {
  const trial = useTrial(operation, resolve);
  const { parameters, caller, values, answer, error } = trial;
  const isStream = operation.responses.some(({ mediaType }) => mediaType === "text/event-stream");
  return (
    <Panel title="Try it">
      <form
        class="try"
        aria-label="Try it"
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isStream) return;
          event.preventDefault();
          void trial.send();
        }}
      >
        {operation.api === "api" && (
          <SelectField
            label="As"
            value={caller.value}
            onChange={(value) => (caller.value = callers.find(([id]) => id === value)?.[0] ?? "owner")}
            options={callers}
          />
        )}
        {parameters.map((one) => (
          <ParameterField
            key={one.name}
            parameter={one}
            value={trial.currentValue(one)}
            options={optionsOf(one, resolve)}
            suggestions={trial.suggestions(one.name)}
            onChange={(value) => (values.value = { ...values.value, [one.name]: value })}
          />
        ))}
        {operation.body !== undefined && <BodyField trial={trial} />}
        <TryButtons trial={trial} isStream={isStream} />
        {isStream && <p class="field-hint">The response is a stream that does not end. Follow it with curl -N.</p>}
        <LoadError error={error.value} />
      </form>
      {answer.value !== undefined && <AnswerView answer={answer.value} isRecorded={operation.api === "api"} />}
    </Panel>
  );
}

function BodyField({ trial: { body, bodyText } }: { readonly trial: Trial }) {
  return (
    <Field label="Body" error={jsonError(bodyText)} hint="JSON. Ctrl+Enter sends it.">
      {(ids) => (
        <textarea
          {...ids}
          class="try-body"
          dir="auto"
          spellcheck={false}
          rows={Math.min(16, Math.max(4, bodyText.split("\n").length))}
          value={bodyText}
          onInput={(event) => (body.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function TryButtons({ trial, isStream }: { readonly trial: Trial; readonly isStream: boolean }) {
  const { operation, body, described } = trial;
  return (
    <div class="actions">
      <Button rank={operation.method === "DELETE" ? "danger" : "primary"} disabled={isStream} onPress={trial.send}>
        Send
      </Button>
      <CopyButton text={async () => curlOf(await described())}>Copy as curl</CopyButton>
      {operation.api === "api" && (
        <CopyButton text={async () => sdkCodeOf(await described()) ?? ""}>Copy as SDK code</CopyButton>
      )}
      {body.value !== undefined && <Button onPress={() => (body.value = undefined)}>Back to the example</Button>}
    </div>
  );
}

function ParameterField({
  parameter,
  value,
  options,
  suggestions,
  onChange,
}: {
  readonly parameter: Parameter;
  readonly value: string;
  /** The values that it can have; empty for any. */
  readonly options: readonly string[];
  readonly suggestions: readonly Suggestion[];
  readonly onChange: (value: string) => void;
}) {
  const { name, required, in: place } = parameter;
  const list = useId();
  const label = `${name}${required ? "" : " (optional)"}`;
  if (options.length > 0)
    return (
      <SelectField
        label={label}
        value={value}
        onChange={onChange}
        options={[...(required ? [] : [["", "not sent"] as const]), ...options.map((one) => [one, one] as const)]}
      />
    );
  return (
    <Field label={label} hint={suggestions.find((one) => one.value === value)?.label ?? `in the ${place}`}>
      {(ids) => (
        <>
          <input
            {...ids}
            type="text"
            dir="auto"
            spellcheck={false}
            autocomplete="off"
            list={list}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <datalist id={list}>
            {suggestions.map((one) => (
              <option key={one.value} value={one.value}>
                {one.label}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function optionsOf({ schema }: Parameter, resolve: Resolve): readonly string[] {
  const { type, enum: values = [] } = resolve(schema);
  return type === "boolean" ? ["true", "false"] : values.map(String);
}

/** Why a text is no JSON; undefined for JSON and for an empty text. */
function jsonError(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON. ${error instanceof Error ? error.message : ""}`;
  }
}
