import { dataAs } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { curlOf, sdkCodeOf } from "../../data/code/request-code.ts";
import { useSession } from "../../data/session/context.ts";
import { type Caller, callers } from "../../data/session/credentials.ts";
import type { Session } from "../../data/session/session.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { Panel } from "../../parts/screen.tsx";
import { type Answer, AnswerView } from "./answer-view.tsx";
import type { Operation, Parameter } from "./document.ts";
import { buildRequest } from "./request.ts";
import { type Resolve, sampleOf } from "./schema.ts";
import {
  type Collection,
  type Records,
  type Suggestion,
  suggestedCollections,
  suggestionsFor,
  withSuggestions,
} from "./suggestions.ts";

/** Sends the operation to the current sandbox, and shows the answer. */
export function TryIt({ operation, resolve }: { readonly operation: Operation; readonly resolve: Resolve }) {
  const session = useSession();
  const records = useRecords(session);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const body = useSignal<string | undefined>(undefined);
  const caller = useSignal<Caller>("owner");
  const answer = useSignal<Answer | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  // The caller's headers carry the account.
  const parameters = operation.parameters.filter(({ in: place }) => place !== "header");
  const suggestions = (name: string) => (records === undefined ? [] : suggestionsFor(operation, name, records));
  const currentValue = ({ name, required, schema }: Parameter) =>
    values.value[name] ?? (required ? (suggestions(name)[0]?.value ?? String(resolve(schema).enum?.[0] ?? "")) : "");
  const example = () => {
    if (operation.body === undefined) return "";
    const { schema, example: written } = operation.body;
    const value = written ?? sampleOf(schema, resolve);
    return JSON.stringify(records === undefined ? value : withSuggestions(operation, value, records), null, 2);
  };
  const bodyText = body.value ?? example();
  const request = () =>
    buildRequest(
      session.source.baseUrl,
      operation,
      Object.fromEntries(parameters.map((one) => [one.name, currentValue(one)])),
      operation.body === undefined || bodyText.trim() === "" ? undefined : bodyText,
    );
  const send = async () => {
    error.value = undefined;
    try {
      const built = request();
      const startedAt = performance.now();
      const response = await (operation.api === "api"
        ? session.credentials.send(caller.value, built.clone())
        : session.controlFetch(built.clone()));
      answer.value = await readAnswer(response, startedAt);
    } catch (reason) {
      answer.value = undefined;
      error.value = reason instanceof Error ? reason.message : String(reason);
    }
  };
  /** The request for copied code, which reads its credential from the environment. */
  const described = async () => {
    const built = request();
    const isApi = operation.api === "api";
    const own = isApi ? await session.credentials.headers(caller.value) : {};
    const headers = Object.fromEntries([...built.headers, ...new Headers(own)]);
    const sandbox = session.sandbox.value;
    const hasCredential = isApi ? headers.authorization !== undefined : session.token.value !== undefined;
    return {
      method: operation.method,
      url: built.url.replace(session.source.baseUrl, session.source.address),
      headers: {
        ...headers,
        ...(hasCredential && { authorization: "Bearer [redacted]" }),
        ...(sandbox !== "default" && { "x-sandbox": sandbox }),
      },
      ...(operation.body !== undefined && bodyText.trim() !== "" && { body: JSON.parse(bodyText) as unknown }),
      ...(isApi && { operationId: operation.id }),
    };
  };
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
          void send();
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
            value={currentValue(one)}
            options={optionsOf(one, resolve)}
            suggestions={suggestions(one.name)}
            onChange={(value) => (values.value = { ...values.value, [one.name]: value })}
          />
        ))}
        {operation.body !== undefined && (
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
        )}
        <div class="try-buttons">
          <Button kind={operation.method === "DELETE" ? "danger" : "primary"} disabled={isStream} onPress={send}>
            Send
          </Button>
          <CopyButton text={async () => curlOf(await described())}>Copy as curl</CopyButton>
          {operation.api === "api" && (
            <CopyButton text={async () => sdkCodeOf(await described()) ?? ""}>Copy as SDK code</CopyButton>
          )}
          {body.value !== undefined && (
            <Button kind="quiet" onPress={() => (body.value = undefined)}>
              Back to the example
            </Button>
          )}
        </div>
        {isStream && <p class="field-hint">The response is a stream that does not end. Follow it with curl -N.</p>}
        {error.value !== undefined && (
          <p class="load-error" role="alert" dir="auto">
            {error.value}
          </p>
        )}
      </form>
      {answer.value !== undefined && <AnswerView answer={answer.value} isRecorded={operation.api === "api"} />}
    </Panel>
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

/** Reads the records whose ids fields suggest, once for each operation. Undefined while they are read. */
function useRecords(session: Session): Records | undefined {
  const records = useSignal<Records | undefined>(undefined);
  const control = session.control.value;
  useEffect(() => {
    let isCurrent = true;
    const read = async (collection: Collection) => {
      const result = await control.GET("/_control/v1/state/{collection}", { params: { path: { collection } } });
      return [collection, dataAs<"RecordList">(result).records] as const;
    };
    Promise.all(suggestedCollections.map(read)).then(
      (all) => {
        if (isCurrent) records.value = Object.fromEntries(all);
      },
      // Without suggestions the fields are empty.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [control]);
  return records.value;
}

async function readAnswer(response: Response, startedAt: number): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    body: text,
    durationMs: performance.now() - startedAt,
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
}
