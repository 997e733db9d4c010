import { limits } from "@call-transfer/spec";
import { type DestinationFacts, overlapOf } from "../../data/records/webhooks.ts";
import { act } from "../../data/session/act.ts";
import { callApi } from "../../data/session/call-api.ts";
import { useSession } from "../../data/session/context.ts";
import { day, duration, timeOfDay } from "../../data/values/format.ts";
import { Button } from "../../parts/button.tsx";
import { Facts, Secret } from "../../parts/data.tsx";
import { Axis, Track } from "../../parts/timeline.tsx";

/** What the time line shows before and after the overlap, in milliseconds. */
const marginMs = 3 * 3_600_000;

/** The secrets of a destination, and the time in which the old and the new one both sign. */
export function Secrets({ destination }: { readonly destination: DestinationFacts }) {
  const session = useSession();
  const control = session.control.value;
  const { id, previousSecretExpiresAt } = destination;
  const now = session.clock.now.value;
  const overlap = overlapOf(destination);
  const isOpen = overlap !== undefined && now < overlap.to;
  const read = (field: "signingSecret" | "previousSecret") => async () => {
    const params = { path: { collection: "destinations" as const }, query: { id } };
    const { data } = await control.GET("/_control/v1/records/{collection}", { params });
    return (data?.records[0] as DestinationFacts | undefined)?.[field];
  };
  const rotate = () =>
    act(
      session,
      callApi(session, "rotateDestinationSecret", { params: { id } }),
      `The secret is rotated. Both secrets sign for ${limits.previousSecretOverlapHours} hours.`,
    );
  return (
    <>
      <Facts
        facts={{
          "Current secret": (
            <Secret key={`new ${previousSecretExpiresAt}`} name="current secret" load={read("signingSecret")} />
          ),
          "Previous secret": isOpen ? (
            <>
              <Secret key={`old ${previousSecretExpiresAt}`} name="previous secret" load={read("previousSecret")} />
              <span class="muted">
                {" "}
                signs until {day(overlap.to)} {timeOfDay(overlap.to)} UTC
              </span>
            </>
          ) : undefined,
        }}
      />
      {overlap === undefined ? (
        <p class="muted">
          One secret signs. After a rotation the old and the new one both sign for {limits.previousSecretOverlapHours}{" "}
          hours, so that a receiver can change its secret without a lost offer.
        </p>
      ) : (
        <Overlap overlap={overlap} now={now} />
      )}
      <div class="actions">
        <Button onPress={rotate}>Rotate the secret</Button>
        {isOpen && previousSecretExpiresAt !== undefined && (
          <Button
            icon="next"
            onPress={() =>
              act(session, control.POST("/_control/v1/clock/advance", { body: { to: previousSecretExpiresAt } }))
            }
          >
            Jump to the end of the overlap
          </Button>
        )}
      </div>
    </>
  );
}

function Overlap({
  overlap,
  now,
}: {
  readonly overlap: { readonly from: number; readonly to: number };
  readonly now: number;
}) {
  const { from, to } = overlap;
  const span = { from: from - marginMs, to: to + marginMs };
  const left =
    now < to ? `${duration(to - now)} left: each webhook has two signatures` : `over since ${duration(now - to)}`;
  return (
    <div class="overlap" role="group" aria-label="Overlap of the secrets">
      <p>
        Overlap: <strong>{left}</strong>
      </p>
      <Track
        name="Previous secret"
        span={span}
        now={now}
        bars={[
          { from: span.from, to, tone: "warn", label: `The previous secret signs until ${day(to)} ${timeOfDay(to)}` },
        ]}
      />
      <Track
        name="Current secret"
        span={span}
        now={now}
        bars={[
          { from, to: span.to, tone: "ok", label: `The current secret signs from ${day(from)} ${timeOfDay(from)}` },
        ]}
      />
      <Axis span={span} at={[from, to]} />
    </div>
  );
}
