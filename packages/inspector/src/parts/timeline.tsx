import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { duration, timeOfDay } from "../data/format.ts";
import { useSession } from "../data/session.ts";
import type { Bar, Mark, Span } from "../data/transfers.ts";

/** A time on an axis. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Where a time stands in a span, in percent, kept within it. */
export function positionIn({ from, to }: Span, at: number): number {
  if (to <= from) return 0;
  return Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const wholeDay = 24 * hour;
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 30, 90, 365].map((count) => count * wholeDay),
];

/** At most `most` round times of a span, as durations from its start. */
export function ticksOf({ from, to }: Span, most = 6): readonly Tick[] {
  const step = steps.find((length) => (to - from) / length < most) ?? Math.max(1, (to - from) / (most - 1));
  const count = Math.max(0, Math.floor((to - from) / step));
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: from + index * step,
    text: index === 0 ? "0 s" : duration(index * step),
  }));
}

/**
 * Tracks under one axis, and a line at now across them. The line moves with each frame while the clock runs, and
 * nothing is drawn again for it.
 */
export function TimeLine({
  label,
  span,
  ticks = ticksOf(span),
  children,
}: {
  readonly label: string;
  readonly span: Span;
  readonly ticks?: readonly Tick[];
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDivElement>(null);
  useNowOf(element, span);
  return (
    <div class="timeline" ref={element} role="group" aria-label={label}>
      <div class="timeline-back" aria-hidden="true">
        {ticks.map(({ at, text }) => (
          <span key={at} class="timeline-tick" style={{ insetInlineStart: `${positionIn(span, at)}%` }}>
            <span>
              <span class="number">{text}</span>
            </span>
          </span>
        ))}
        <span class="timeline-now">
          <span>
            <NowLabel />
          </span>
        </span>
      </div>
      {children}
    </div>
  );
}

function NowLabel() {
  return <span class="number">{timeOfDay(useSession().clock.now.value)}</span>;
}

/** Keeps `--now` of an element: where now is in the span, from 0 to 1. */
function useNowOf(element: { readonly current: HTMLElement | null }, { from, to }: Span): void {
  const { clock } = useSession();
  useLayoutEffect(() => {
    let frame = 0;
    const draw = () => {
      const at = clock.read();
      element.current?.style.setProperty("--now", String(positionIn({ from, to }, at) / 100));
      element.current?.toggleAttribute("data-over", at > to);
      if (clock.clock.peek()?.mode === "running" && at <= to) frame = requestAnimationFrame(draw);
    };
    const stop = effect(() => {
      void clock.clock.value;
      cancelAnimationFrame(frame);
      draw();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [from, to]);
}

/** One row of a time line: its name, its bars, and a line at now. */
export function Track({
  name,
  span,
  bars,
  marks = [],
  caption,
  children,
}: {
  readonly name: ComponentChildren;
  readonly span: Span;
  readonly bars: readonly Bar[];
  readonly marks?: readonly Mark[];
  /** The text below the bars. */
  readonly caption?: ComponentChildren;
  /** Buttons after the bars. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="track">
      <div class="track-name" dir="auto">
        {name}
      </div>
      <div class="track-content">
        <div class="track-bars">
          {bars.map((bar, index) => (
            <BarShape key={index} bar={bar} span={span} />
          ))}
          {marks.map(({ at, tone, label, isPlanned = false }, index) => (
            <span
              key={index}
              class={`track-mark tone-${tone}${isPlanned ? " track-plan" : ""}`}
              role="img"
              aria-label={label}
              title={label}
              style={{ insetInlineStart: `${positionIn(span, at)}%` }}
            />
          ))}
        </div>
        {caption}
      </div>
      {children !== undefined && <div class="track-tools">{children}</div>}
    </div>
  );
}

function BarShape({ bar, span }: { readonly bar: Bar; readonly span: Span }) {
  const start = positionIn(span, bar.from);
  const length = positionIn(span, bar.to) - start;
  return (
    <span
      class={`track-bar tone-${bar.tone}${bar.isThin ? " bar-thin" : ""}`}
      {...(bar.isSaid ? { "aria-hidden": "true" } : { role: "img", "aria-label": bar.label })}
      title={bar.label}
      style={{
        insetInlineStart: `${start}%`,
        inlineSize: `max(4px, ${length}%)`,
        "--start": start / 100,
        "--length": Math.max(length / 100, 0.0001),
      }}
    />
  );
}
