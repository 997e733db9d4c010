import { operations } from "@call-transfer/spec";
import {
  type Coverage,
  isShown,
  type OperationCoverage,
  type Show,
  sharesOf,
  wordsOf,
} from "../../data/records/coverage.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { Button } from "../../parts/button.tsx";
import { Status, toneOfStatus } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";

/** The error codes of an operation: which were seen, and a button that provokes each. */
export function OperationDetail({
  operation,
  codes,
  show,
}: {
  readonly operation: OperationCoverage;
  /** What the codes mean. */
  readonly codes: Coverage["codes"];
  readonly show: Show;
}) {
  const { operationId } = operation;
  const { seen, of } = sharesOf({ operations: [operation] }).codes;
  const { summary } = Object.values(operations).find(({ id }) => id === operationId) ?? { summary: "" };
  const shown = operation.codes.filter((cell) => isShown(cell, show));
  return (
    <>
      <h2 class="delivery-title">{operationId}</h2>
      <p>
        {summary}. <Link to={["reference", operationId]}>Reference</Link>
      </p>
      <p class="muted">
        {seen} of {of} error codes seen. "Provoke" arms a fault: the next request of the app to this operation gets the
        code.
      </p>
      {shown.length === 0 && <p>No code of this operation fits the filter.</p>}
      <ul class="code-list">
        {shown.map((cell) => {
          const about = codes.find(({ code }) => code === cell.code);
          return (
            <li key={cell.code}>
              <div>
                <code>{cell.code}</code>
                {about !== undefined && <Status tone={toneOfStatus(about.status)}>{about.status}</Status>}
                <span class={`cell cell-${cell.count === 0 ? "never" : cell.documented ? "seen" : "undocumented"}`}>
                  {wordsOf(cell)}
                </span>
              </div>
              <Provoke operationId={operationId} code={cell.code} />
              {about !== undefined && <p class="muted">{about.meaning}</p>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Provoke({ operationId, code }: { readonly operationId: string; readonly code: string }) {
  const session = useSession();
  const text = `${operationId} ${code} once`;
  return (
    <Button
      label={`Provoke ${code}: arm the fault "${text}"`}
      onPress={() =>
        act(
          session,
          session.control.value.POST("/_control/v1/faults", { body: { text } }),
          `The next ${operationId} gets ${code}. The fault is on the screen Faults.`,
        )
      }
    >
      Provoke
    </Button>
  );
}
