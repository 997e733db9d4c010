import type { BackendEvent } from "@call-transfer/backend";
import { maskNumbers } from "@call-transfer/backend/unstable";
import { type Paint, paintFor } from "./colour.ts";
import type { Columns, Part } from "./columns.ts";
import { describeEvent } from "./describe-event.ts";

export interface FormatOptions {
  readonly colour: boolean;
  /** The sandbox that the event is from; `default` is not shown. */
  readonly sandbox?: string | undefined;
  /**
   * Columns of the terminal. A longer line loses optional parts first, then the middle of its path, then the end of its reason.
   * Unlimited by default.
   */
  readonly width?: number | undefined;
  /** Returns the name of a destination, group or member; ids without a name are shortened. */
  readonly nameOf?: ((id: string) => string | undefined) | undefined;
  /** The real time, in milliseconds since the epoch; the present by default. Lines of another day show theirs. */
  readonly today?: number | undefined;
}

/** Widths of the columns before the text: time, what it is, and a status with a duration or one word. */
const [labelWidth, statusWidth, durationWidth] = [8, 3, 6];
const stateWidth = statusWidth + 1 + durationWidth;
const [shortestSubject, shortestReason] = [20, 10];
// They could move the cursor, change the terminal's title, or show text in another order.
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
// Printable ASCII without what a phone number begins with. Nearly every text is, and the test takes a fraction of the time.
const plainText = /^[ -$&-*,-~…]*$/;

/** Formats an event as one line for a person; undefined for an event that another line already shows. */
export function formatEvent(event: BackendEvent, options: FormatOptions): string | undefined {
  const columns = describeEvent(event, options.nameOf ?? (() => undefined));
  if (columns === undefined) return undefined;
  const { sandbox = "default", width = Number.POSITIVE_INFINITY } = options;
  const name: readonly Part[] = sandbox === "default" ? [] : [{ text: `[${sandbox}]`, colour: "cyan" }];
  const paint = paintFor(options.colour);
  const time = utcTime(event.at, options.today ?? Date.now());
  const parts = fitted([...name, ...columns.parts], width - time.length - headWidth(columns));
  const body = parts.map(({ text, colour }) => paint(colour, cleaned(text))).join("  ");
  return `${paint("dim", time)} ${head(columns, paint)} ${body}`.trimEnd();
}

function headWidth({ label, state }: Columns): number {
  return 1 + Math.max(labelWidth, label.length) + 1 + Math.max(stateWidth, state.length) + 1;
}

function head({ label, labelColour, state, stateColour, durationMs }: Columns, paint: Paint): string {
  const name = paint(labelColour, cleaned(label).padEnd(labelWidth));
  const shown = cleaned(state);
  if (durationMs === undefined) return `${name} ${paint(stateColour, shown.padEnd(stateWidth))}`;
  const duration = paint("dim", formatMs(durationMs).padStart(durationWidth));
  return `${name} ${paint(stateColour, shown.padEnd(statusWidth))} ${duration}`;
}

/** Drops optional parts, the last first, then shortens the path and at last the reason, until the line fits. */
function fitted(parts: readonly Part[], width: number): readonly Part[] {
  let kept = parts.filter(({ text }) => text !== "");
  if (width === Number.POSITIVE_INFINITY) return kept;
  const excess = () => kept.reduce((sum, { text }) => sum + text.length + 2, -2) - width;
  while (excess() > 0 && kept.some((part) => part.isOptional)) {
    const last = kept.findLastIndex((part) => part.isOptional);
    kept = kept.filter((_, index) => index !== last);
  }
  for (const [isCut, shortened] of [
    [(part: Part) => part.isPath, withoutMiddle],
    [(part: Part) => part.isReason, withoutEnd],
  ] as const) {
    const over = excess();
    const cut = kept.findIndex(isCut);
    if (over > 0)
      kept = kept.map((part, index) => (index === cut ? { ...part, text: shortened(part.text, over) } : part));
  }
  return kept;
}

function withoutEnd(text: string, over: number): string {
  const length = Math.max(shortestReason, text.length - over);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function withoutMiddle(text: string, over: number): string {
  const length = Math.max(shortestSubject, text.length - over);
  if (text.length <= length) return text;
  const start = Math.ceil((length - 1) / 2);
  return `${text.slice(0, start)}…${text.slice(text.length - (length - 1 - start))}`;
}

function cleaned(text: string): string {
  return plainText.test(text) ? text : maskNumbers(text.replace(controlCharacters, "?"));
}

const dayMs = 86_400_000;
/** The latest day of {@link utcTime}, in days since the epoch and as a text. */
let latestDay = { number: Number.NaN, text: "" };

/** A timestamp to the second, with its day if that is not today: `14:03:09Z`, `2026-03-02 14:03:09Z`. */
function utcTime(at: string, today: number): string {
  const number = Math.floor(today / dayMs);
  if (number !== latestDay.number) latestDay = { number, text: new Date(today).toISOString().slice(0, -14) };
  const end = at.indexOf("T");
  if (end < 0) return `${at}Z`;
  const [day, time] = [at.slice(0, end), at.slice(end + 1, end + 9)];
  return day === latestDay.text ? `${time}Z` : `${day} ${time}Z`;
}

function formatMs(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 99_950 ? 1 : 0)} s`;
}
