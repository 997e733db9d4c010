import type { Schema } from "@call-transfer/backend/control-client";
import { type Signal, useSignal } from "@preact/signals";
import type { Directory } from "../../data/records/directory.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogEnd } from "../../parts/dialog.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { useScenarios } from "../faults/scenarios.tsx";
import { type Behaviour, type Callee, calleeKind, calleesOf, noBehaviour, scriptOf } from "./layout.ts";

interface RunningCall {
  readonly id: string;
  readonly accountId: string;
  readonly direction: string;
  readonly status: string;
}

/** Starts a transfer: whom it rings, for which call, and what phones and members do. */
export function StartDialog({ directory, close }: { readonly directory: Directory; readonly close: () => void }) {
  const target = useSignal(directory.groups[0]?.id ?? directory.destinations[0]?.id ?? "");
  const call = useSignal("");
  const scenario = useSignal("");
  const behaviours = useSignal<Readonly<Record<string, Behaviour>>>({});
  const group = directory.groups.find(({ id }) => id === target.value);
  const destination = directory.destinations.find(({ id }) => id === target.value);
  const callees = calleesOf(directory, target.value);
  const start = useStart(scenario, close, () => ({
    ...(group === undefined ? { destinationId: target.value } : { groupId: target.value }),
    ...(call.value !== "" && { callId: call.value }),
    script: scriptOf(callees, behaviours.value),
  }));
  return (
    <Dialog title="Start a transfer" close={close}>
      <div class="start">
        <Field label="Ring">
          {(ids) => (
            <select {...ids} value={target.value} onChange={(event) => (target.value = event.currentTarget.value)}>
              <Options label="Groups" records={directory.groups} directory={directory} />
              <Options label="Destinations" records={directory.destinations} directory={directory} />
            </select>
          )}
        </Field>
        <CallField call={call} accountId={(group ?? destination)?.accountId} />
        <ScenarioField scenario={scenario} />
        <fieldset class="start-callees">
          <legend>What they do</legend>
          {callees.map((callee) => (
            <CalleeRow
              key={callee.id}
              callee={callee}
              behaviour={behaviours.value[callee.id] ?? noBehaviour}
              onChange={(behaviour) => (behaviours.value = { ...behaviours.value, [callee.id]: behaviour })}
            />
          ))}
        </fieldset>
        <DialogEnd close={close}>
          <Button rank="primary" icon="play" disabled={target.value === ""} onPress={start}>
            Start
          </Button>
        </DialogEnd>
      </div>
    </Dialog>
  );
}

/** Returns the function that applies the scenario, starts the transfer, and shows it. */
function useStart(scenario: Signal<string>, close: () => void, body: () => Schema<"NewTransfer">) {
  const session = useSession();
  return async () => {
    const control = session.control.peek();
    if (scenario.value !== "") {
      const path = { name: scenario.value as Schema<"ScenarioName"> };
      if (!(await act(session, control.POST("/_control/v1/scenarios/{name}", { params: { path } })))) return;
    }
    const task = control.POST("/_control/v1/transfers", { body: body() });
    if (!(await act(session, task))) return;
    close();
    const { data } = await task;
    if (data !== undefined) session.go("transfers", data.id);
  };
}

/** The calls of the account that are in progress. */
function CallField({ call, accountId }: { readonly call: Signal<string>; readonly accountId: string | undefined }) {
  const calls = useLive<{ readonly records: readonly RunningCall[] }>(
    (control) => control.GET("/_control/v1/records/{collection}", { params: { path: { collection: "calls" } } }),
    ({ type }) => type.startsWith("call."),
  );
  const running = (calls.data?.records ?? []).filter(
    (record) => record.status === "in_progress" && record.accountId === accountId,
  );
  return (
    <SelectField
      label="For the call"
      value={call.value}
      onChange={(value) => (call.value = value)}
      options={[
        ["", running.length === 0 ? "None (no call of this account is in progress)" : "None"],
        ...running.map(({ id, direction }) => [id, `${direction} ${id.slice(0, 8)}`] as const),
      ]}
    />
  );
}

function ScenarioField({ scenario }: { readonly scenario: Signal<string> }) {
  const { scenarios } = useScenarios();
  return (
    <SelectField
      label="Scenario"
      value={scenario.value}
      onChange={(value) => (scenario.value = value)}
      options={[["", "None"], ...scenarios.map(({ name }) => [name, name.replaceAll("-", " ")] as const)]}
      hint={
        scenarios.find(({ name }) => name === scenario.value)?.description ??
        "Changes the sandbox before it rings, until a reset."
      }
    />
  );
}

function Options({
  label,
  records,
  directory,
}: {
  readonly label: string;
  readonly records: readonly { readonly id: string; readonly name: string; readonly accountId: string }[];
  readonly directory: Directory;
}) {
  return (
    <optgroup label={label}>
      {records.map(({ id, name, accountId }) => (
        <option key={id} value={id}>
          {name} · {directory.nameOf(accountId)}
        </option>
      ))}
    </optgroup>
  );
}

function CalleeRow({
  callee,
  behaviour,
  onChange,
}: {
  readonly callee: Callee;
  readonly behaviour: Behaviour;
  readonly onChange: (behaviour: Behaviour) => void;
}) {
  return (
    <div class="start-callee">
      <span class="start-name">
        <strong dir="auto">{callee.name}</strong>
        <span class="muted" dir="auto">
          {calleeKind(callee)}
        </span>
      </span>
      {callee.kind === "app" ? (
        <span class="muted">Answers by its HTTP response</span>
      ) : (
        <>
          <select
            aria-label={`What ${callee.name} does`}
            value={behaviour.does}
            onChange={(event) => onChange({ ...behaviour, does: behaviourOf(event.currentTarget.value) })}
          >
            <option value="nothing">Does not answer</option>
            <option value="answers">Answers after</option>
            <option value="declines">Declines after</option>
          </select>
          {behaviour.does !== "nothing" && (
            <label class="start-seconds">
              <span class="visually-hidden">Seconds until {callee.name} does so</span>
              <input
                type="number"
                min="0"
                max="86400"
                step="any"
                value={behaviour.afterSecs}
                onInput={(event) => onChange({ ...behaviour, afterSecs: event.currentTarget.value })}
              />
              <span aria-hidden="true">s</span>
            </label>
          )}
        </>
      )}
    </div>
  );
}

function behaviourOf(value: string): Behaviour["does"] {
  return value === "answers" || value === "declines" ? value : "nothing";
}
