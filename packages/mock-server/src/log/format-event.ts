import type { BackendEvent } from "@call-transfer/backend";
import { maskNumbers } from "@call-transfer/backend/control-client";
import { describeEvent } from "./describe-event.ts";
import { type Columns, type Paint, type Part, paintFor } from "./text.ts";

export interface FormatOptions {
  readonly colour: boolean;
  /** The sandbox that the event is from; `default` is not shown. */
  readonly sandbox?: string | undefined;
  /** Returns the name of a destination, group or member; ids without a name are shortened. */
  readonly nameOf?: ((id: string) => string | undefined) | undefined;
  /** The real time, in milliseconds since the epoch; the present by default. Lines of another day show theirs. */
  readonly today?: number | undefined;
}

/** Widths of the columns before the text: time, what it is, and a status with a duration or one word. */
const [labelWidth, statusWidth, durationWidth] = [8, 3, 6];
const stateWidth = statusWidth + 1 + durationWidth;
// They could move the cursor, change the terminal's title, or show text in another order.
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
// Printable ASCII without what a phone number begins with. Nearly every text is, and the test takes a fraction of the time.
const plainText = /^[ -$&-*,-~…]*$/;

/** Formats an event for a person as one line; undefined for an event that another line already shows. */
export function formatEvent(event: BackendEvent, options: FormatOptions): string | undefined {
  const columns = describeEvent(event, options.nameOf ?? (() => undefined));
  if (columns === undefined) return undefined;
  const { sandbox = "default", today = Date.now() } = options;
  const name: readonly Part[] = sandbox === "default" ? [] : [{ text: `[${sandbox}]`, colour: "cyan" }];
  const paint = paintFor(options.colour);
  const parts = [...name, ...columns.parts].map(({ text, colour }) => paint(colour, cleaned(text)));
  const body = parts.filter((text) => text !== "").join("  ");
  return `${paint("dim", utcTime(event.at, today))} ${head(columns, paint)} ${body}`.trimEnd();
}

function head({ label, labelColour, state, stateColour, durationMs }: Columns, paint: Paint): string {
  const name = paint(labelColour, cleaned(label).padEnd(labelWidth));
  const shown = cleaned(state);
  if (durationMs === undefined) return `${name} ${paint(stateColour, shown.padEnd(stateWidth))}`;
  const duration = paint("dim", formatMs(durationMs).padStart(durationWidth));
  return `${name} ${paint(stateColour, shown.padEnd(statusWidth))} ${duration}`;
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
