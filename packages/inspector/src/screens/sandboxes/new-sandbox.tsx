import { headersOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { type Signal, useSignal } from "@preact/signals";
import { useSession } from "../../data/session/context.ts";
import { SubmitButton } from "../../parts/button.tsx";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { Field, SelectField, TextField } from "../../parts/field.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { useScenarios } from "../faults/scenarios.tsx";
import { readJsonFile } from "./read-json-file.ts";

/** What the user has written so far. An empty text leaves the option to the server. */
interface Form {
  readonly name: string;
  readonly clock: "" | Schema<"ClockMode">;
  readonly now: string;
  readonly randomSeed: string;
  readonly scenarios: readonly Schema<"ScenarioName">[];
  readonly seed: Schema<"Seed"> | undefined;
}

const empty: Form = { name: "", clock: "", now: "", randomSeed: "", scenarios: [], seed: undefined };

/** Where the server found something wrong. */
interface Problem {
  readonly field: string;
  readonly message: string;
}

/** Creates a sandbox and shows it. */
export function NewSandbox({ close, created }: { readonly close: () => void; readonly created: () => void }) {
  const session = useSession();
  const form = useSignal(empty);
  const problem = useSignal<Problem | undefined>(undefined);
  const create = async () => {
    const { name } = form.value;
    const result = await session.control.value
      .POST("/_control/v1/sandboxes", { headers: headersOf(name), body: bodyOf(form.value) })
      .catch((error: unknown) => ({ data: undefined, error: { detail: String(error) } }));
    if (result.data === undefined) {
      problem.value = { field: fieldOf(result.error), message: messageOf(result.error) };
      return;
    }
    session.notify("ok", `${name} is created and shown.`);
    created();
    close();
    session.switchTo(name);
  };
  const { isBusy, submit } = useSubmit(create);
  return (
    <Dialog title="New sandbox" close={close}>
      <form onSubmit={submit}>
        <SandboxFields form={form} problem={problem} />
        <DialogEnd close={close}>
          <SubmitButton isBusy={isBusy.value}>Create</SubmitButton>
        </DialogEnd>
      </form>
    </Dialog>
  );
}

/** The options of a form. */
const bodyOf = ({ name, clock, now, randomSeed, scenarios, seed }: Form) => ({
  name,
  ...(clock !== "" && { clock }),
  ...(now !== "" && { now }),
  // A text that is no number is sent as it is, so that the server says what is wrong with it.
  ...(randomSeed !== "" && {
    randomSeed: /^-?\d+$/.test(randomSeed) ? Number(randomSeed) : (randomSeed as unknown as number),
  }),
  ...(scenarios.length > 0 && { scenarios: [...scenarios] }),
  ...(seed !== undefined && { seed }),
});

type Change = (changes: Partial<Form>) => void;
type ErrorAt = (field: keyof Form) => string | undefined;

function SandboxFields({
  form,
  problem,
}: {
  readonly form: Signal<Form>;
  readonly problem: Signal<Problem | undefined>;
}) {
  const change: Change = (changes) => {
    form.value = { ...form.value, ...changes };
    problem.value = undefined;
  };
  const errorAt: ErrorAt = (field) =>
    problem.value?.field.split(/[.[]/)[0] === field ? problem.value.message : undefined;
  const elsewhere = problem.value !== undefined && Object.keys(empty).every((one) => !errorAt(one as keyof Form));
  return (
    <>
      <TextField
        label="Name"
        value={form.value.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
        hint="1 to 63 lower-case letters, digits and hyphens; no hyphen at the start. Such as checkout."
      />
      <StartFields form={form.value} change={change} errorAt={errorAt} />
      <Field label="Records" hint="A seed as a JSON file; the seed of default without one." error={errorAt("seed")}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept=".json,application/json"
            onChange={async (event) => {
              const read = await readJsonFile(event.currentTarget.files?.[0]);
              change({ seed: read.value as Schema<"Seed"> | undefined });
              if (read.error !== undefined) problem.value = { field: "seed", message: read.error };
            }}
          />
        )}
      </Field>
      <ScenarioFields chosen={form.value.scenarios} change={change} error={errorAt("scenarios")} />
      {elsewhere && (
        <p class="field-error" role="alert" dir="auto">
          {problem.value?.message}
        </p>
      )}
    </>
  );
}

function StartFields({
  form,
  change,
  errorAt,
}: {
  readonly form: Form;
  readonly change: Change;
  readonly errorAt: ErrorAt;
}) {
  return (
    <div class="builder-row">
      <SelectField
        label="Clock"
        value={form.clock}
        options={[
          ["", "As default"],
          ["running", "Flowing"],
          ["frozen", "Frozen"],
        ]}
        onChange={(clock) => change({ clock: clock === "running" || clock === "frozen" ? clock : "" })}
        error={errorAt("clock")}
      />
      <TextField
        label="Time at the start"
        value={form.now}
        placeholder="2026-03-02T09:00:00Z"
        onChange={(now) => change({ now })}
        error={errorAt("now")}
      />
      <TextField
        label="Seed of the random generator"
        value={form.randomSeed}
        placeholder="1"
        onChange={(randomSeed) => change({ randomSeed })}
        error={errorAt("randomSeed")}
      />
    </div>
  );
}

function ScenarioFields({
  chosen,
  change,
  error,
}: {
  readonly chosen: Form["scenarios"];
  readonly change: Change;
  readonly error: string | undefined;
}) {
  const { scenarios } = useScenarios();
  return (
    <fieldset class="sandbox-scenarios">
      <legend>Scenarios</legend>
      {scenarios.map(({ name, description }) => (
        <label key={name} title={description}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              change({ scenarios: checked ? [...chosen, name] : chosen.filter((other) => other !== name) })
            }
          />{" "}
          {name}
        </label>
      ))}
      <p class="field-error">{error}</p>
    </fieldset>
  );
}

/** The field that an error of the control plane is about; empty for none. */
function fieldOf(error: unknown): string {
  const { error: inner } = Object(error) as { readonly error?: { readonly field?: unknown } };
  return typeof inner?.field === "string" ? inner.field : "";
}
