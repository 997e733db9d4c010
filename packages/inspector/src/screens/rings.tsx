import type { Ring, Timer, Transfer } from "../data/control.ts";
import type { NameOf } from "../data/events.ts";
import { duration, timeOfDay } from "../data/format.ts";
import { act, useSession } from "../data/session.ts";
import { barsOf, calleeOf, marksOf, outcomeOf, ringKind, ringName, type Span } from "../data/transfers.ts";
import { Button } from "../parts/controls.tsx";
import { Status } from "../parts/data.tsx";
import { Link, useKeys } from "../parts/screen.tsx";
import { TimeLine, Track } from "../parts/timeline.tsx";

interface RingsProps {
  readonly transfer: Transfer;
  readonly span: Span;
  readonly timers: readonly Timer[];
  readonly nameOf: NameOf;
  /** The policy's number of missed calls after which a member becomes away; 0 for never. */
  readonly missedCallLimit: number;
}

/** The actions of a ring. Each shows its error. */
function useRingActions({ id }: Transfer) {
  const session = useSession();
  const control = session.control.value;
  return {
    answer: (ring: Ring) => act(session, () => control.answer(id, calleeOf(ring))),
    decline: (ring: Ring) => act(session, () => control.decline(id, calleeOf(ring))),
    /** Moves the clock to the end of a ring. */
    skipTo: (until: string) => act(session, () => control.advance({ to: until })),
  };
}

/** The rings of a transfer on a time line, one track each, with the buttons of each ring. `a` answers the first, `d` declines it. */
export function Rings(props: RingsProps) {
  const { transfer, span } = props;
  const { answer, decline } = useRingActions(transfer);
  const next = transfer.rings.find((ring) => ring.outcome === "ringing" && ring.kind !== "app");
  useKeys({
    a: () => void (next && answer(next)),
    d: () => void (next && decline(next)),
  });
  return (
    <TimeLine label="Rings" span={span}>
      {transfer.rings.map((ring, index) => (
        <RingTrack key={index} ring={ring} index={index} {...props} />
      ))}
    </TimeLine>
  );
}

function RingTrack({
  ring,
  index,
  transfer,
  span,
  timers,
  nameOf,
  missedCallLimit,
}: RingsProps & { readonly ring: Ring; readonly index: number }) {
  const name = ringName(ring, nameOf);
  // Without the clock's ticks: the caption alone follows them.
  const words = outcomeOf(transfer, ring, nameOf, Date.parse(ring.startedAt));
  const label = ring.outcome === "ringing" ? `Rings until ${timeOfDay(ring.endsAt)}` : words.text;
  return (
    <div class="ring" role="group" aria-label={`${name}. ${label}`}>
      <Track
        name={
          <>
            <strong title={name}>{name}</strong>
            <span class="ring-kind muted">{ringKind(ring, nameOf)}</span>
          </>
        }
        span={span}
        bars={barsOf(transfer, ring, { ...words, text: label }, span, timers)}
        marks={marksOf(transfer, ring, index, timers)}
        caption={
          <div class="ring-caption">
            <Outcome transfer={transfer} ring={ring} nameOf={nameOf} />
            {ring.missedCalls !== undefined && <MissedCalls count={ring.missedCalls} limit={missedCallLimit} />}
            {ring.lateAnswers?.slice(-1).map(({ at, code }) => (
              <span key={at} class="tone-bad">
                Late answer {timeOfDay(at)} <code class="code">{code}</code>
              </span>
            ))}
            {ring.deliveryId !== undefined && <Link to={["webhooks", ring.deliveryId]}>Webhook</Link>}
          </div>
        }
      >
        <RingButtons transfer={transfer} ring={ring} name={name} />
      </Track>
    </div>
  );
}

/** The outcome; it follows the clock while it rings. */
function Outcome({
  transfer,
  ring,
  nameOf,
}: {
  readonly transfer: Transfer;
  readonly ring: Ring;
  readonly nameOf: NameOf;
}) {
  const { clock } = useSession();
  const words = outcomeOf(transfer, ring, nameOf, ring.outcome === "ringing" ? clock.now.value : 0);
  return (
    <Status tone={words.tone}>
      <span dir="auto">{words.text}</span>
    </Status>
  );
}

/** Missed calls on the way to `away`. */
export function MissedCalls({ count, limit }: { readonly count: number; readonly limit: number }) {
  const text = limit === 0 ? `${count} missed in a row` : `${count} of ${limit} missed calls`;
  return (
    <span class={limit > 0 && count >= limit ? "tone-bad" : "tone-warn"}>
      {text}
      {limit > 0 && count >= limit && ": now away"}
    </span>
  );
}

function RingButtons({
  transfer,
  ring,
  name,
}: {
  readonly transfer: Transfer;
  readonly ring: Ring;
  readonly name: string;
}) {
  const { answer, decline, skipTo } = useRingActions(transfer);
  if (ring.outcome !== "ringing") return null;
  return (
    <>
      {ring.kind !== "app" && (
        <>
          <Button label={`Answer: ${name}`} onPress={() => answer(ring)}>
            Answer
          </Button>
          <Button label={`Decline: ${name}`} onPress={() => decline(ring)}>
            Decline
          </Button>
        </>
      )}
      <SkipButton name={name} until={ring.endsAt} skip={() => skipTo(ring.endsAt)} />
    </>
  );
}

/** Moves the clock to the timeout of a ring, and says by how much. */
function SkipButton({
  name,
  until,
  skip,
}: {
  readonly name: string;
  readonly until: string;
  readonly skip: () => unknown;
}) {
  const left = duration(Math.max(0, Date.parse(until) - useSession().clock.now.value));
  return (
    <Button icon="next" label={`Skip +${left}: moves the clock to the timeout of ${name}`} onPress={skip}>
      <span class="number">Skip +{left}</span>
    </Button>
  );
}
