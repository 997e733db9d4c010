import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import {
  barsOf,
  describeDay,
  type Hours,
  localTime,
  percent,
  shortDay,
  timeOf,
  type Weekday,
  type Window,
  weekdays,
  windowBetween,
} from "./week.ts";

/** A window that is being drawn: one end is fixed, the other follows the pointer. Places are fractions of the day. */
interface Drag {
  readonly day: Weekday;
  readonly index: number;
  readonly fixed: number;
  readonly moving: number;
  /** From the pointer to the moving end. */
  readonly offset: number;
  /** A click alone draws nothing. */
  readonly isMoved: boolean;
}

const marks = [0, 6, 12, 18, 24];

/**
 * A week of hours: a row for each day, a bar for each window, and a line at the present time in the member's time zone. With
 * `onDraw`, the pointer draws new windows and moves the ends of others; fields beside the grid do the same by keyboard.
 */
export function WeekGrid({
  hours,
  timeZone,
  onDraw,
}: {
  readonly hours: Hours;
  /** The zone of the hours: the member's, or the account's. */
  readonly timeZone: string;
  /** Puts a window at a place of a day. Without it the grid is for reading. */
  readonly onDraw?: (day: Weekday, index: number, window: Window) => void;
}) {
  const session = useSession();
  const drag = useSignal<Drag | undefined>(undefined);
  const now = localTime(session.clock.now.value, timeZone);
  return (
    <div class={onDraw === undefined ? "week" : "week week-editable"}>
      {weekdays.map((day) => (
        <DayRow
          key={day}
          day={day}
          windows={hours[day] ?? []}
          now={now?.day === day ? now.minutes : undefined}
          drag={drag.value?.day === day ? drag.value : undefined}
          onDrag={(next) => (drag.value = next)}
          onDraw={onDraw}
        />
      ))}
      <div class="week-axis number" aria-hidden="true">
        {marks.map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${percent(hour * 60)}%` }}>
            {hour}
          </span>
        ))}
      </div>
      {now !== undefined && (
        <p class="week-now">
          Now: {shortDay(now.day)} <span class="number">{timeOf(now.minutes)}</span> in {timeZone}
        </p>
      )}
    </div>
  );
}

interface DayRowProps {
  readonly day: Weekday;
  readonly windows: readonly Window[];
  readonly now: number | undefined;
  readonly drag: Drag | undefined;
  readonly onDrag: (drag: Drag | undefined) => void;
  readonly onDraw: ((day: Weekday, index: number, window: Window) => void) | undefined;
}

function DayRow({ now, ...drawing }: DayRowProps) {
  const { day, windows, drag } = drawing;
  const pointer = useDrawing(drawing);
  const shown =
    drag?.isMoved !== true ? windows : windows.toSpliced(drag.index, 1, windowBetween(drag.fixed, drag.moving));
  return (
    <div class={now === undefined ? "week-row" : "week-row week-today"}>
      <span class="week-day">{shortDay(day)}</span>
      <div {...pointer} class="week-lane" role="img" aria-label={describeDay(day, windows)}>
        {barsOf(shown).map(({ index, from, to, start: at, size }) => (
          <span
            key={index}
            class="week-bar"
            title={`${from}–${to}`}
            style={{ insetInlineStart: `${at}%`, inlineSize: `${size}%` }}
          >
            <span class="week-bar-text">
              {from}–{to}
            </span>
          </span>
        ))}
        {now !== undefined && <span class="week-line" style={{ insetInlineStart: `${percent(now)}%` }} />}
      </div>
    </div>
  );
}

/** What the pointer does in the row of a day. */
function useDrawing({ day, windows, drag, onDrag, onDraw }: Omit<DayRowProps, "now">) {
  const lane = useRef<HTMLDivElement>(null);
  const placeOf = (event: PointerEvent) => {
    const box = lane.current?.getBoundingClientRect();
    return box === undefined || box.width === 0 ? 0 : (event.clientX - box.left) / box.width;
  };
  const start = (event: PointerEvent) => {
    if (onDraw === undefined || event.button !== 0) return;
    const place = placeOf(event);
    lane.current?.setPointerCapture(event.pointerId);
    const held = barsOf(windows).find(({ start: at, size }) => at <= place * 100 && place * 100 <= at + size);
    // Of a window that is there, the end closer to the pointer moves.
    const [moving = place, fixed = place] =
      held === undefined
        ? []
        : [held.start / 100, (held.start + held.size) / 100].toSorted(
            (a, b) => Math.abs(a - place) - Math.abs(b - place),
          );
    onDrag({ day, index: held?.index ?? windows.length, fixed, moving, offset: moving - place, isMoved: false });
  };
  return {
    ref: lane,
    onPointerDown: start,
    onPointerMove(event: PointerEvent) {
      if (drag !== undefined) onDrag({ ...drag, moving: placeOf(event) + drag.offset, isMoved: true });
    },
    onPointerUp() {
      if (drag === undefined) return;
      onDrag(undefined);
      if (drag.isMoved) onDraw?.(day, drag.index, windowBetween(drag.fixed, drag.moving));
    },
    onPointerCancel: () => onDrag(undefined),
  };
}
