import type { Schema } from "@call-transfer/backend/control-client";
import { moved } from "../../data/values/moved.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { criteriaOf, type Fault, type Step, stepsOf, withSteps } from "./fault.ts";
import { type CodeGroups, firstSteps, StepField } from "./step-field.tsx";
import { WhenFields } from "./when-fields.tsx";

type Criteria = Schema<"FaultMatch"> & Schema<"WebhookMatch">;

/** What the builder offers. */
export interface Choices {
  readonly operationIds: readonly string[];
  /** The error codes, grouped for a fault of this operation or of all. */
  codesFor(operationId: string | undefined): CodeGroups;
  /** The destinations that webhooks go to, with their names. */
  readonly apps: readonly (readonly [id: string, name: string])[];
}

/** Writes a fault with choices instead of a text. */
export function Builder({
  fault,
  choices,
  onChange,
}: {
  readonly fault: Fault;
  readonly choices: Choices;
  readonly onChange: (fault: Fault) => void;
}) {
  const isOfWebhooks = "webhooks" in fault;
  const criteria = criteriaOf(fault);
  const change = (changes: Partial<Record<keyof Criteria, string>>) => onChange(withCriteria(fault, changes));
  return (
    <div class="builder">
      <div class="builder-row">
        <SelectField
          label="What fails"
          value={isOfWebhooks ? "webhooks" : "requests"}
          options={[
            ["requests", "API requests"],
            ["webhooks", "Webhooks"],
          ]}
          onChange={(kind) => onChange(emptyFault(kind === "webhooks"))}
        />
        {isOfWebhooks ? (
          <SelectField
            label="To"
            value={criteria.destinationId ?? ""}
            options={[["", "Every app"], ...choices.apps]}
            onChange={(destinationId) => change({ destinationId })}
          />
        ) : (
          <RequestTarget criteria={criteria} operationIds={choices.operationIds} change={change} />
        )}
      </div>
      <Steps fault={fault} codes={choices.codesFor(criteria.operationId)} onChange={onChange} />
      <WhenFields fault={fault} onChange={onChange} />
    </div>
  );
}

function Steps({
  fault,
  codes,
  onChange,
}: {
  readonly fault: Fault;
  readonly codes: CodeGroups;
  readonly onChange: (fault: Fault) => void;
}) {
  const steps = stepsOf(fault);
  const setSteps = (next: readonly Step[]) => onChange(withSteps(fault, next));
  return (
    <fieldset class="steps">
      <legend>What happens{steps.length > 1 ? ", one step for each match" : ""}</legend>
      <ol>
        {steps.map((step, index) => (
          <li key={index} class="step">
            <StepField
              step={step}
              number={index + 1}
              isOfWebhooks={"webhooks" in fault}
              codes={codes}
              onChange={(next) => setSteps(steps.with(index, next))}
            />
            {steps.length > 1 && <StepTools steps={steps} index={index} onChange={setSteps} />}
          </li>
        ))}
      </ol>
      <Button onPress={() => setSteps([...steps, steps.length === 1 ? "pass" : (steps.at(-1) ?? "pass")])}>
        Add a step
      </Button>
    </fieldset>
  );
}

function StepTools({
  steps,
  index,
  onChange,
}: {
  readonly steps: readonly Step[];
  readonly index: number;
  readonly onChange: (steps: readonly Step[]) => void;
}) {
  return (
    <span class="step-tools">
      <Button
        label={`Move step ${index + 1} up`}
        disabled={index === 0}
        onPress={() => onChange(moved(steps, index, index - 1))}
      >
        ↑
      </Button>
      <Button
        label={`Move step ${index + 1} down`}
        disabled={index === steps.length - 1}
        onPress={() => onChange(moved(steps, index, index + 1))}
      >
        ↓
      </Button>
      <Button icon="close" label={`Remove step ${index + 1}`} onPress={() => onChange(steps.toSpliced(index, 1))} />
    </span>
  );
}

/** A fault of the other kind starts anew: neither criteria nor steps fit. */
function emptyFault(isOfWebhooks: boolean): Fault {
  return withSteps(isOfWebhooks ? { webhooks: {}, do: "reorder" } : { do: "reset" }, [
    firstSteps[isOfWebhooks ? "webhooks" : "requests"],
  ]);
}

/** The choice for a method and a path instead of an operation. */
const byPath = "by path";

function RequestTarget({
  criteria: { operationId, method, path },
  operationIds,
  change,
}: {
  readonly criteria: Criteria;
  readonly operationIds: readonly string[];
  readonly change: (changes: Partial<Record<keyof Criteria, string>>) => void;
}) {
  const hasPath = method !== undefined || path !== undefined;
  return (
    <>
      <SelectField
        label="Operation"
        value={operationId ?? (hasPath ? byPath : "")}
        options={[
          ["", "Every request"],
          ...operationIds.map((id) => [id, id] as const),
          [byPath, "By method and path"],
        ]}
        onChange={(next) =>
          change(
            next === byPath
              ? { operationId: "", method: "GET", path: "" }
              : { operationId: next, method: "", path: "" },
          )
        }
      />
      {hasPath && operationId === undefined && (
        <>
          <SelectField
            label="Method"
            value={method ?? ""}
            options={["", "GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one || "Any"] as const)}
            onChange={(next) => change({ method: next, path: path ?? (next === "" ? "*" : "") })}
          />
          <TextField
            label="Path"
            value={path ?? ""}
            placeholder="any"
            onChange={(next) => change({ method: method ?? "", path: next })}
          />
        </>
      )}
    </>
  );
}

/** The fault with other criteria; an empty text removes one. */
function withCriteria(fault: Fault, changes: Partial<Record<keyof Criteria, string>>): Fault {
  const entries = Object.entries({ ...criteriaOf(fault), ...changes }).filter(([, value]) => value !== "");
  const criteria = Object.fromEntries(entries);
  if ("webhooks" in fault) return { ...fault, webhooks: criteria };
  const { match: _, ...rest } = fault;
  return entries.length === 0 ? rest : { ...rest, match: criteria };
}
