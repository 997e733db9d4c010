import { shellCommand } from "../../data/code/shell-command.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { useLive } from "../../data/session/live.ts";
import { Button } from "../../parts/button.tsx";
import { Code, Relative } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Empty, LoadError, Panel } from "../../parts/screen.tsx";
import { type Fault, type ListedFault, stepsOf } from "./fault.ts";
import { type FaultHistory, useFaultHistories } from "./fault-history.ts";
import { criteriaInWords, remainingInWords, stepInWords, targetInWords, timesInWords } from "./fault-in-words.ts";

/** The faults that apply, and those that ended. */
export function ActiveFaults() {
  const session = useSession();
  const live = useLive<{ readonly faults: readonly ListedFault[] }>(
    (control) => control.GET("/_control/v1/faults", { params: { query: { redact: true } } }),
    ({ type }) => /^(?:fault|scenario)\./.test(type),
  );
  const histories = useFaultHistories();
  const faults = live.data?.faults ?? [];
  const ended = [...histories.values()].filter(({ removed, fault }) => removed !== undefined && fault !== undefined);
  return (
    <Panel
      title="Active faults"
      tools={
        faults.length > 0 && (
          <Button
            rank="danger"
            onPress={() => act(session, session.control.value.DELETE("/_control/v1/faults"), "All faults are removed.")}
          >
            Remove all
          </Button>
        )
      }
    >
      <LoadError error={live.error} />
      {live.data !== undefined && faults.length === 0 && (
        <Empty title="No faults" command={shellCommand(session, 'fault add "createCall 503, 503, pass"')}>
          <p>
            Every request and webhook works. A fault makes some fail, and appears here with its hits. “Add the fault”
            adds the one of the form.
          </p>
        </Empty>
      )}
      <ul class="faults">
        {faults.map((fault) => (
          <FaultItem key={fault.id} fault={fault} history={histories.get(fault.id)} />
        ))}
      </ul>
      {ended.length > 0 && (
        <details class="ended">
          <summary>Ended ({ended.length})</summary>
          <ul class="faults">
            {ended.toReversed().map((history) => (
              <EndedItem key={history.id} history={history} />
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}

function FaultItem({ fault, history }: { readonly fault: ListedFault; readonly history: FaultHistory | undefined }) {
  const session = useSession();
  const remove = () =>
    act(
      session,
      session.control.value.DELETE("/_control/v1/faults", { params: { query: { id: fault.id } } }),
      `${fault.id} is removed.`,
    );
  return (
    <li class="fault" {...(session.route.value.rest[0] === fault.id && { "aria-current": "true" })}>
      <FaultWords fault={fault} id={fault.id} />
      <Button icon="close" label={`Remove ${fault.id}`} onPress={remove} />
      <p class="fault-remains">{remainingInWords(fault)}</p>
      <Hits id={fault.id} hits={fault.hits} history={history} />
    </li>
  );
}

function EndedItem({ history }: { readonly history: FaultHistory }) {
  const { id, fault, removed } = history;
  if (fault === undefined || removed === undefined) return null;
  return (
    <li class="fault fault-ended">
      <FaultWords fault={fault} id={id} />
      <p class="fault-remains">
        {removed.isUsedUp ? "Used up" : "Removed"} <Relative at={removed.at} />
      </p>
      <Hits id={id} hits={removed.hits} history={history} />
    </li>
  );
}

function FaultWords({ fault, id }: { readonly fault: Fault; readonly id: string }) {
  const steps = stepsOf(fault);
  const next = fault.when?.step ?? 1;
  return (
    <div class="fault-words" dir="auto">
      <strong>{fault.name ?? targetInWords(fault)}</strong> <span class="fault-id">{id}</span>
      {fault.name !== undefined && <span class="fault-criterion">{targetInWords(fault)}</span>}
      {criteriaInWords(fault).map((criterion) => (
        <Code key={criterion}>{criterion}</Code>
      ))}
      <ol class="fault-steps">
        {steps.map((step, index) => (
          <li key={index} {...(steps.length > 1 && index === next - 1 && { "aria-current": "step" })}>
            {stepInWords(step)}
            {steps.length > 1 && index === next - 1 && <span class="fault-next"> next</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** How often a fault was hit, when last, and what it hit. */
function Hits({
  id,
  hits,
  history,
}: {
  readonly id: string;
  readonly hits: number;
  readonly history: FaultHistory | undefined;
}) {
  const last = history?.hits[0];
  if (hits === 0) return <p class="fault-hits tone-idle">No hit yet</p>;
  return (
    <p class="fault-hits">
      <strong>Hit {timesInWords(hits)}</strong>
      {last !== undefined && (
        <>
          , last <Relative at={last.at} />
        </>
      )}
      {last?.deliveryId === undefined ? (
        <Link to={["traffic", "matching", `fault:${id}`]}>Show the requests</Link>
      ) : (
        <Link to={["webhooks", last.deliveryId]}>Show the latest delivery</Link>
      )}
      <span class="visually-hidden"> of {id}</span>
    </p>
  );
}
