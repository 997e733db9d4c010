import { dataAs } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import { milliseconds } from "../../data/values/format.ts";
import { jsonOrText } from "../../data/values/json.ts";
import { Code, Facts, Json, Status, toneOfStatus } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";

/** The answer to a request, as it was read. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly durationMs: number;
  readonly requestId: string | undefined;
}

/** An answer: status, headers and body. */
export function AnswerView({
  answer,
  isRecorded,
}: {
  readonly answer: Answer;
  /** Whether the request log has the request. */
  readonly isRecorded: boolean;
}) {
  const { status, headers, body, durationMs, requestId } = answer;
  return (
    <section class="answer" aria-label="Response" aria-live="polite">
      <p class="answer-head">
        <Status tone={toneOfStatus(status)}>{status}</Status>
        <span class="number">{milliseconds(durationMs)}</span>
        {isRecorded && requestId !== undefined && <TrafficLink requestId={requestId} />}
      </p>
      {body === "" ? <p class="schema-text">No body.</p> : <Json value={jsonOrText(body)} label="Response body" />}
      <details>
        <summary>Headers</summary>
        <Facts facts={Object.fromEntries(headers.map(([name, value]) => [name, <Code key={name}>{value}</Code>]))} />
      </details>
    </section>
  );
}

/** Leads to the request on the screen Traffic, once its id in the request log is found. */
function TrafficLink({ requestId }: { readonly requestId: string }) {
  const session = useSession();
  const id = useSignal<number | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    session.control.value.GET("/_control/v1/requests").then(
      (result) => {
        const { requests } = dataAs<"RequestList">(result);
        if (isCurrent) id.value = requests.findLast((entry) => entry.requestId === requestId)?.id;
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [requestId]);
  return id.value === undefined ? null : <Link to={["traffic", String(id.value)]}>Show in Traffic</Link>;
}
