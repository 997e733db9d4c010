import type { ComponentChildren } from "preact";
import { timeOfDay } from "../data/format.ts";
import type { Tone } from "./data.tsx";

/** A span of time that a time line shows, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A bar on a time line. */
export interface Bar extends Span {
  readonly tone: Tone;
  /** What it says, for screen readers and as a hint. */
  readonly label: string;
}

/** Where a time stands in a span, in percent, kept within it. */
export function positionIn({ from, to }: Span, at: number): number {
  if (to <= from) return 0;
  return Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
}

/** The times below a time line, and where now is. */
export function Axis({ span, now }: { readonly span: Span; readonly now: number }) {
  const steps = 4;
  const marks = Array.from({ length: steps + 1 }, (_, index) => span.from + ((span.to - span.from) * index) / steps);
  return (
    <div class="axis number" aria-hidden="true">
      {marks.map((at, index) => (
        <span key={index} class="axis-mark" style={{ insetInlineStart: `${positionIn(span, at)}%` }}>
          {timeOfDay(at)}
        </span>
      ))}
      {now >= span.from && now <= span.to && (
        <span class="axis-now" style={{ insetInlineStart: `${positionIn(span, now)}%` }} />
      )}
    </div>
  );
}

/** One row of a time line: its name, its bars, and a line at now. */
export function Track({
  name,
  span,
  bars,
  now,
  children,
}: {
  readonly name: ComponentChildren;
  readonly span: Span;
  readonly bars: readonly Bar[];
  readonly now: number;
  /** What stands after the bars, such as buttons. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="track">
      <div class="track-name" dir="auto">
        {name}
      </div>
      <div class="track-bars">
        {bars.map((bar, index) => {
          const start = positionIn(span, bar.from);
          return (
            <span
              key={index}
              class={`bar tone-${bar.tone}`}
              role="img"
              aria-label={bar.label}
              title={bar.label}
              style={{ insetInlineStart: `${start}%`, inlineSize: `max(4px, ${positionIn(span, bar.to) - start}%)` }}
            />
          );
        })}
        {now >= span.from && now <= span.to && (
          <span class="track-now" style={{ insetInlineStart: `${positionIn(span, now)}%` }} />
        )}
      </div>
      {children !== undefined && <div class="track-tools">{children}</div>}
    </div>
  );
}
