import { useSignal } from "@preact/signals";
import { type AttackReport, groupedChecks, verdictOf } from "../../data/records/attack.ts";
import type { DestinationFacts } from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { useSession } from "../../data/session/context.ts";
import { milliseconds } from "../../data/values/format.ts";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Status } from "../../parts/data.tsx";
import { PartHeading } from "../../parts/screen.tsx";

const tones = { passed: "ok", failed: "bad", not_checked: "idle" } as const;

/** Attacks the receiver of a destination, and shows what it does wrong. */
export function Attack({
  destination: { id },
  isOverlap,
}: {
  readonly destination: DestinationFacts;
  /** Whether the previous secret still signs. */
  readonly isOverlap: boolean;
}) {
  const session = useSession();
  const report = useSignal<AttackReport | undefined>(undefined);
  const isRunning = useSignal(false);
  const withPrevious = useSignal(false);
  const attack = async () => {
    isRunning.value = true;
    const previousSecret = isOverlap && withPrevious.value;
    const attacking = session.control.value
      .POST("/_control/v1/webhooks/attacks", { body: { destinationId: id, previousSecret } })
      .then((result) => {
        if (result.response.ok) report.value = result.data as AttackReport;
        return result;
      });
    await act(session, attacking);
    isRunning.value = false;
  };
  return (
    <>
      <PartHeading>Attack</PartHeading>
      <p class="muted">
        Sends genuine, forged, replayed, late and broken offers to the app's own receiver in real time, for a minute at
        most, and says what it does wrong. They do not appear among the deliveries. A receiver with the sandbox's time
        needs the real time for this.
      </p>
      <div class="actions">
        <Button onPress={attack}>Attack the receiver</Button>
        {isOverlap && (
          <label>
            <input
              type="checkbox"
              checked={withPrevious.value}
              onChange={(event) => (withPrevious.value = event.currentTarget.checked)}
            />{" "}
            It has the previous secret, too
          </label>
        )}
        {report.value !== undefined && (
          <CopyButton text={() => JSON.stringify(report.value, null, 2)}>Copy the report</CopyButton>
        )}
      </div>
      <p role="status" aria-live="polite">
        {isRunning.value
          ? "The attack is running. It takes a minute at most."
          : report.value !== undefined && verdictOf(report.value)}
      </p>
      {report.value !== undefined && !isRunning.value && <Report report={report.value} />}
    </>
  );
}

function Report({ report }: { readonly report: AttackReport }) {
  const { answerTimes } = report;
  return (
    <div class="attack-report">
      {groupedChecks(report).map(({ title, passed, checks }) => (
        <section key={title}>
          <h4>
            {title} <span class="muted number">{`${passed} of ${checks.length}`}</span>
          </h4>
          <ul class="checks">
            {checks.map(({ check: { name, cites, outcome, reason, note }, findings }) => (
              <li key={name} class={`check-${outcome === "failed" ? "failed" : "other"}`}>
                <Status tone={tones[outcome]}>{outcome.replace("_", " ")}</Status>
                <div>
                  {name} <span class="muted">{cites}</span>
                  {findings.map(({ problem, fix, severity }) => (
                    <p key={problem}>
                      {problem} <span class="muted">Severity: {severity}.</span> <strong>What to do: </strong>
                      {fix}
                    </p>
                  ))}
                  {[reason, note].map((text) => text !== undefined && <p class="muted">{text}</p>)}
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p class="muted">
        Answers took {milliseconds(answerTimes.medianMs)} in the median, {milliseconds(answerTimes.maxMs)} at most.
      </p>
    </div>
  );
}
