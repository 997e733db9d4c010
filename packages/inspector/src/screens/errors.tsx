import { operations } from "@call-transfer/spec";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { appliesTo, operationIds } from "../data/code.ts";
import type { ActiveFault, Coverage } from "../data/control.ts";
import { matchesWords } from "../data/format.ts";
import { useLive } from "../data/live.ts";
import { act, useSession } from "../data/session.ts";
import { Button, Field, Filter, Form, Menu, SubmitButton } from "../parts/controls.tsx";
import { Code } from "../parts/data.tsx";
import { Link, LoadError, Panel, Screen } from "../parts/screen.tsx";

/** The screen Errors: each code of each operation, how often it was returned, and a press that returns it next time. */
export function Errors() {
  const filter = useSignal("");
  const coverage = useLive(
    (control) => control.coverage(),
    ({ type }) => type === "request.completed" || type === "requests.cleared",
  );
  const faults = useLive(
    (control) => control.faults(),
    ({ type }) => /^(?:fault|scenario)\./.test(type),
  );
  return (
    <Screen
      title="Errors"
      tools={
        <Filter
          value={filter.value}
          placeholder="Operation, status or code"
          onChange={(text) => (filter.value = text)}
        />
      }
      actions={<Scenarios />}
    >
      <LoadError error={coverage.error ?? faults.error} />
      <AddFault />
      <ActiveFaults faults={faults.data} />
      {coverage.data !== undefined && (
        <Codes coverage={coverage.data} faults={faults.data ?? []} filter={filter.value} />
      )}
    </Screen>
  );
}

const examples: readonly string[] = [
  "createCall 503, 503, pass",
  "* 503 10%",
  "GET * latency 800ms",
  "createCall process_then_reset",
  "listCalls rateLimit 5s",
  "webhooks sign wrong_secret",
];

/** The line that adds a fault, with examples to begin from. */
function AddFault() {
  const session = useSession();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const add = async () => {
    error.value = undefined;
    try {
      await session.control.value.addFault(text.value);
      text.value = "";
    } catch (reason) {
      error.value = reason instanceof Error ? reason.message : String(reason);
    }
  };
  return (
    <section class="panel">
      <Form onSubmit={add} class="fault-line">
        <Field
          label="Add a fault"
          hint="Which requests or webhooks, what happens, and how often. Enter adds it."
          error={error.value}
        >
          {(ids) => (
            <input
              {...ids}
              type="text"
              dir="auto"
              spellcheck={false}
              autocomplete="off"
              placeholder="createCall 503, 503, 503"
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
                error.value = undefined;
              }}
            />
          )}
        </Field>
        <SubmitButton>Add</SubmitButton>
      </Form>
      <ul class="chips" aria-label="Examples">
        {examples.map((example) => (
          <li key={example}>
            <Button rank="plain" onPress={() => (text.value = example)}>
              {example}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ActiveFaults({ faults = [] }: { readonly faults: readonly ActiveFault[] | undefined }) {
  const session = useSession();
  const control = session.control.value;
  if (faults.length === 0) return null;
  return (
    <Panel
      title={`Active faults: ${faults.length}`}
      tools={
        <Button rank="danger" onPress={() => act(session, () => control.deleteFaults(), "All faults are removed.")}>
          Remove all
        </Button>
      }
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Fault</th>
            <th scope="col">Still applies to</th>
            <th scope="col">Hits</th>
            <th scope="col">
              <span class="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => (
            <tr key={fault.id} {...(session.route.value.rest[0] === fault.id && { "aria-current": "true" })}>
              <td>
                <Code>{textOf(fault)}</Code>
                {fault.name !== undefined && <span class="muted"> {fault.name}</span>}
              </td>
              <td>{appliesTo(fault)}</td>
              <td class="number">
                {fault.hits === 0 ? "0" : <Link to={["events", "matching", fault.id]}>{`${fault.hits}×`}</Link>}
              </td>
              <td>
                <Button
                  icon="close"
                  label={`Remove ${textOf(fault)}`}
                  onPress={() => act(session, () => control.deleteFault(fault.id))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** The fault as it was typed, or as JSON where only JSON can say it. */
function textOf({ text, id: _, hits: _hits, scenario: _scenario, ...fault }: ActiveFault): string {
  return text ?? JSON.stringify(fault);
}

type Operation = Coverage["operations"][number];

/** Where the row of an operation stands. */
function placeOf({ operationId }: Operation): number {
  const ids: readonly string[] = operationIds;
  return ids.includes(operationId) ? ids.indexOf(operationId) : ids.length;
}

/** A row for each operation, a button for each of its codes. */
function Codes({
  coverage,
  faults,
  filter,
}: {
  readonly coverage: Coverage;
  readonly faults: readonly ActiveFault[];
  readonly filter: string;
}) {
  const codes = useMemo(() => new Map(coverage.codes.map((one) => [one.code, one])), [coverage]);
  const all = coverage.operations.flatMap((operation) => operation.codes);
  const seen = all.filter(({ count }) => count > 0).length;
  const rows = coverage.operations
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((operation) => ({
      ...operation,
      codes: operation.codes
        .filter(({ code }) => matchesWords(`${operation.operationId} ${codes.get(code)?.status} ${code}`, filter))
        .toSorted((a, b) => (codes.get(a.code)?.status ?? 0) - (codes.get(b.code)?.status ?? 0)),
    }))
    .filter((operation) => operation.codes.length > 0);
  return (
    <Panel title={`Codes: ${seen} of ${all.length} returned so far`}>
      <p class="muted">
        Press a code, and the next request of the operation returns it. Press it again to take it back.
      </p>
      {rows.length === 0 && <p>No code matches the filter.</p>}
      <table class="codes">
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Codes, and how often each was returned</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((operation) => (
            <CodeRow key={operation.operationId} operation={operation} codes={codes} faults={faults} />
          ))}
        </tbody>
      </table>
      {coverage.unmatched > 0 && (
        <p class="muted">
          {coverage.unmatched} {coverage.unmatched === 1 ? "request matches" : "requests match"} no operation.{" "}
          <Link to={["events", "matching", "unmatched"]}>Show them</Link>
        </p>
      )}
    </Panel>
  );
}

function CodeRow({
  operation: { operationId, codes: cells },
  codes,
  faults,
}: {
  readonly operation: Operation;
  readonly codes: ReadonlyMap<string, Coverage["codes"][number]>;
  readonly faults: readonly ActiveFault[];
}) {
  const session = useSession();
  const control = session.control.value;
  const armed = new Map(faults.flatMap((fault) => (isOf(fault, operationId) ? [[codeOf(fault), fault.id]] : [])));
  const { summary = "" } = Object.values(operations).find(({ id }) => id === operationId) ?? {};
  return (
    <tr>
      <th scope="row" title={summary}>
        {operationId}
      </th>
      <td>
        <ul class="chips">
          {cells.map(({ code, count, documented }) => {
            const { status, meaning = "" } = codes.get(code) ?? {};
            const faultId = armed.get(code);
            return (
              <li key={code} class={count > 0 ? "seen" : ""}>
                <Button
                  rank="plain"
                  pressed={faultId !== undefined}
                  hint={documented ? meaning : `${meaning} The API does not document it here.`}
                  onPress={() =>
                    act(session, () =>
                      faultId === undefined
                        ? control.addFault(`${operationId} ${code} once`)
                        : control.deleteFault(faultId),
                    )
                  }
                >
                  <span class="number muted">{status} </span>
                  {code}
                  {faultId !== undefined && <strong> next</strong>}
                  {count > 0 ? (
                    <span class="number muted"> {count}×</span>
                  ) : (
                    <span class="visually-hidden"> never</span>
                  )}
                </Button>
              </li>
            );
          })}
        </ul>
      </td>
    </tr>
  );
}

/** Whether a fault returns one code for the next request of one operation, and nothing else. */
function isOf(fault: ActiveFault, operationId: string): boolean {
  const { probability = 1, nth = 1 } = fault.when ?? {};
  const isNext = probability === 1 && nth === 1;
  return isNext && "match" in fault && fault.match?.operationId === operationId && codeOf(fault) !== "";
}

function codeOf({ do: action }: ActiveFault): string {
  const { code } = Object(action) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

/** The scenarios: each sets records, policies, faults and the inbox. */
function Scenarios() {
  const session = useSession();
  const control = session.control.value;
  const scenarios = useLive((current) => current.scenarios());
  return (
    <Menu label="Apply a scenario" icon="play" text="Scenarios" isWide>
      {(close) => (
        <>
          <LoadError error={scenarios.error} />
          <p class="muted">
            A scenario changes records, policies, faults and the inbox. A reset of the sandbox ends it.
          </p>
          <ul class="menu-list">
            {scenarios.data?.map(({ name, description }) => (
              <li key={name}>
                <Button
                  rank="plain"
                  onPress={() => {
                    close();
                    return act(session, () => control.applyScenario(name), `${name} is applied.`);
                  }}
                >
                  {name}
                </Button>
                <p class="muted">{description}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </Menu>
  );
}
