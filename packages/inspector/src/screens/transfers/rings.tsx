import { useSession } from "../../data/session/context.ts";
import { timeOfDay } from "../../data/values/format.ts";
import { Button } from "../../parts/button.tsx";
import { Status } from "../../parts/data.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Link } from "../../parts/link.tsx";
import { type Span, TimeLine, Track } from "../../parts/timeline.tsx";
import type { TransferActions } from "./actions.ts";
import {
  barsOf,
  marksOf,
  type NameOf,
  outcomeOf,
  type Ring,
  ringKind,
  ringName,
  type Timer,
  type Transfer,
} from "./layout.ts";

/** What the rings of a transfer are drawn from. */
export interface RingsProps {
  readonly transfer: Transfer;
  readonly span: Span;
  readonly timers: readonly Timer[];
  readonly nameOf: NameOf;
  readonly actions: TransferActions;
  /** The policy's number of missed calls after which a member becomes away; 0 for never. */
  readonly missedCallLimit: number;
}

/** The rings of a transfer on a time line, one track each, with the buttons of each ring. */
export function Rings(props: RingsProps) {
  const { transfer, span, actions } = props;
  const next = transfer.rings.find((ring) => ring.outcome === "ringing" && ring.kind !== "app");
  useKeys({
    a: () => void (next && actions.answer(next)),
    d: () => void (next && actions.decline(next)),
  });
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
    const row = event.target.closest<HTMLElement>("[data-ring]");
    const ring = transfer.rings[Number(row?.dataset.ring ?? -1)];
    if (row === null || ring === undefined) return;
    const sibling = (step: -1 | 1) => () => {
      const found = step === 1 ? row.nextElementSibling : row.previousElementSibling;
      if (found instanceof HTMLElement) found.focus();
    };
    const keys: Readonly<Record<string, () => unknown>> = {
      a: () => ring.kind !== "app" && ring.outcome !== "answered" && actions.answer(ring),
      d: () => ring.outcome === "ringing" && actions.decline(ring),
      j: sibling(1),
      k: sibling(-1),
      ArrowDown: sibling(1),
      ArrowUp: sibling(-1),
    };
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  return (
    <TimeLine label="Rings" span={span}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: each row takes the focus, and the keys are those of its buttons */}
      <div class="rings" onKeyDown={press}>
        {transfer.rings.map((ring, index) => (
          <RingTrack key={index} ring={ring} index={index} {...props} />
        ))}
      </div>
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
  actions,
  missedCallLimit,
}: RingsProps & { readonly ring: Ring; readonly index: number }) {
  const name = ringName(ring, nameOf);
  // Without the clock's ticks: the caption alone follows them.
  const words = outcomeOf(transfer, ring, nameOf, Date.parse(ring.startedAt));
  const label = ring.outcome === "ringing" ? `Rings until ${timeOfDay(ring.endsAt)}` : words.text;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a and d act on the row that has the focus
    <div class="ring" data-ring={index} tabIndex={0} role="group" aria-label={`${name}. ${label}`}>
      <Track
        name={
          <>
            <span class="ring-name" title={name}>
              {name}
            </span>
            <span class="ring-kind">{ringKind(ring, nameOf)}</span>
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
            {ring.deliveryId !== undefined && <Link to={["webhooks", ring.deliveryId]}>Offer</Link>}
          </div>
        }
      >
        <RingButtons ring={ring} name={name} actions={actions} />
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

/** Missed calls on the way to `away`, as dots. */
export function MissedCalls({ count, limit }: { readonly count: number; readonly limit: number }) {
  const text = limit === 0 ? `${count} missed in a row` : `${count} of ${limit} missed calls`;
  return (
    <span class={`missed ${limit > 0 && count >= limit ? "tone-bad" : "tone-warn"}`}>
      {limit > 0 && limit <= 10 && (
        <span class="missed-dots" aria-hidden="true">
          {Array.from({ length: limit }, (_, index) => (
            <span key={index} class={index < count ? "missed-dot missed-full" : "missed-dot"} />
          ))}
        </span>
      )}
      {text}
      {limit > 0 && count >= limit && ": now away"}
    </span>
  );
}

function RingButtons({
  ring,
  name,
  actions,
}: {
  readonly ring: Ring;
  readonly name: string;
  readonly actions: TransferActions;
}) {
  // Its second answer could only be refused.
  if (ring.outcome === "skipped" || ring.outcome === "answered") return null;
  if (ring.outcome !== "ringing")
    return ring.kind === "app" ? null : (
      <Button label={`Answer late: ${name}`} onPress={() => actions.answer(ring)}>
        Answer late
      </Button>
    );
  return (
    <>
      {ring.kind !== "app" && (
        <>
          <Button label={`Answer: ${name}`} onPress={() => actions.answer(ring)}>
            Answer
          </Button>
          <Button label={`Decline: ${name}`} onPress={() => actions.decline(ring)}>
            Decline
          </Button>
        </>
      )}
      <Button
        icon="next"
        label={`Let it ring until ${timeOfDay(ring.endsAt)}: ${name}`}
        onPress={() => actions.letRing(ring.endsAt)}
      >
        {ring.kind === "app" && "Let it ring"}
      </Button>
    </>
  );
}
