import type { Schema } from "@call-transfer/backend/control-client";
import { useMemo } from "preact/hooks";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { SubmitButton } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/screen.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { Builder, type Choices } from "./builder.tsx";
import { codeGroups } from "./code-groups.ts";
import { createDraft, type Draft } from "./draft.ts";

const examples: readonly string[] = [
  "createCall 503",
  "createCall 503, 503, pass",
  "* 503 10%",
  "GET * latency 800ms",
  "createCall process_then_reset",
  "listCalls rateLimit 5s",
  "createCall body toNumber=+49* 422",
  "webhooks sign wrong_secret",
  "webhooks duplicate 2",
];

/** Adds a fault, as a text or with the builder: the one that was edited last. */
export function AddFault() {
  const session = useSession();
  const draft = useMemo(
    () =>
      createDraft({
        text: "createCall 503",
        fault: { match: { operationId: "createCall" }, do: { code: "service_unavailable" } },
      }),
    [],
  );
  const choices = useChoices();
  const { isBusy, submit } = useSubmit(() => {
    const task = session.control.value.POST("/_control/v1/faults", { body: draft.body() });
    return act(session, task, "The fault is added. It applies from the next match.");
  });
  return (
    <Panel title="Add a fault">
      <form class="fault-text" onSubmit={submit}>
        <TextOfFault draft={draft} />
        <SubmitButton isBusy={isBusy.value}>Add the fault</SubmitButton>
      </form>
      <ul class="chips" aria-label="Examples">
        {examples.map((example) => (
          <li key={example}>
            <button type="button" class="chip" onClick={() => draft.setText(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
      <Builder fault={draft.fault.value} choices={choices} onChange={draft.setFault} />
    </Panel>
  );
}

function TextOfFault({ draft }: { readonly draft: Draft }) {
  return (
    <Field
      label="As a text"
      hint={
        draft.form.value === "builder"
          ? "The builder was edited last, so its fault is added."
          : "Which requests, what happens, how often. Enter adds it."
      }
    >
      {(ids) => (
        <input
          {...ids}
          type="text"
          class="fault-line"
          data-filter=""
          dir="auto"
          spellcheck={false}
          autocomplete="off"
          value={draft.text.value}
          onInput={(event) => draft.setText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function useChoices(): Choices {
  const coverage = useLive<Schema<"Coverage">>((control) => control.GET("/_control/v1/coverage")).data;
  const destinations = useLive<{
    readonly records: readonly { readonly id?: unknown; readonly name?: unknown; readonly kind?: unknown }[];
  }>(
    (control) =>
      control.GET("/_control/v1/records/{collection}", {
        params: { path: { collection: "destinations" }, query: { redact: true } },
      }),
    ({ type, collection }) => type === "record.changed" && collection === "destinations",
  ).data;
  return {
    operationIds: coverage?.operations.map(({ operationId }) => operationId) ?? [],
    codesFor: (operationId) => codeGroups(coverage?.operations ?? [], operationId),
    apps: (destinations?.records ?? [])
      .filter(({ kind }) => kind === "app")
      .map(({ id, name }) => [String(id), String(name ?? id)] as const),
  };
}
