import type { BackendEvent } from "@call-transfer/backend";
import { maskNumbers } from "@call-transfer/backend/control-client";
import { describeEvent } from "./describe-event.ts";
import { type Columns, type Paint, type Part, paintFor, wrapWords } from "./text.ts";

export interface FormatOptions {
  readonly colour: boolean;
  /** The sandbox that the event is from; `default` is not shown. */
  readonly sandbox?: string | undefined;
  /**
   * Columns of the terminal. A longer line loses optional parts first. Then its reason continues below it, and at last the
   * path is shortened. An error code is always whole. Unlimited by default.
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
const [shortestPath, shortestPart] = [20, 10];
/** Where the lines below begin, under the text, and how many there may be. */
const [belowIndent, mostBelow] = [10 + labelWidth + 1 + stateWidth + 1, 8];
// They could move the cursor, change the terminal's title, or show text in another order.
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
// Printable ASCII without what a phone number begins with. Nearly every text is, and the test takes a fraction of the time.
const plainText = /^[ -$&-*,-~…]*$/;

/**
 * Formats an event for a person; undefined for an event that another line already shows. It is one line, unless `width` is too
 * small for why something failed and what to change, which then follow in indented lines.
 */
export function formatEvent(event: BackendEvent, options: FormatOptions): string | undefined {
  const columns = describeEvent(event, options.nameOf ?? (() => undefined));
  if (columns === undefined) return undefined;
  const { sandbox = "default", width = Number.POSITIVE_INFINITY } = options;
  const name: readonly Part[] = sandbox === "default" ? [] : [{ text: `[${sandbox}]`, colour: "cyan" }];
  const paint = paintFor(options.colour);
  const time = utcTime(event.at, options.today ?? Date.now());
  const parts = [...name, ...columns.parts].map((part) => ({ ...part, text: cleaned(part.text) }));
  const { beside, below } = laidOut(parts, width - time.length - headWidth(columns));
  const body = beside.map(({ text, colour }) => paint(colour, text)).join("  ");
  const line = `${paint("dim", time)} ${head(columns, paint)} ${body}`.trimEnd();
  return [line, ...below.flatMap((part) => linesBelow(part, width, paint))].join("\n");
}

/** The lines of a reason below its event. */
function linesBelow({ text, colour }: Part, width: number, paint: Paint): string[] {
  const indent = Math.min(belowIndent, Math.floor(width / 2));
  // No longer text fits, and a handler's message may have any length.
  const lines = wrapWords(text.slice(0, mostBelow * width), width - indent);
  const kept = lines.length <= mostBelow ? lines : [...lines.slice(0, mostBelow - 1), "…"];
  return kept.map((line) => " ".repeat(indent) + paint(colour, line));
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

/** Which parts stand in the line of the event, and which reasons below it. */
function laidOut(parts: readonly Part[], width: number): { beside: readonly Part[]; below: readonly Part[] } {
  const all = parts.filter(({ text }) => text !== "");
  if (width === Number.POSITIVE_INFINITY) return { beside: all, below: [] };
  const beside = withoutOptional(all, width);
  if (excessOf(beside, width) <= 0) return { beside, below: [] };
  const isBelow = ({ isReason }: Part) => isReason === true;
  const others = all.filter((part) => !isBelow(part));
  return { beside: shortened(withoutOptional(others, width), width), below: all.filter(isBelow) };
}

function excessOf(parts: readonly Part[], width: number): number {
  return parts.reduce((sum, { text }) => sum + text.length + 2, -2) - width;
}

/** Drops optional parts, the last first, until the line fits. */
function withoutOptional(parts: readonly Part[], width: number): readonly Part[] {
  const last = excessOf(parts, width) > 0 ? parts.findLastIndex(({ isOptional }) => isOptional) : -1;
  return last === -1 ? parts : withoutOptional(parts.toSpliced(last, 1), width);
}

/** Shortens the path, and then the longest other part, if the line does not fit. */
function shortened(parts: readonly Part[], width: number): readonly Part[] {
  const replaced = (all: readonly Part[], index: number, cut: typeof withoutEnd): readonly Part[] => {
    const over = excessOf(all, width);
    return over <= 0 ? all : all.map((part, at) => (at === index ? { ...part, text: cut(part.text, over) } : part));
  };
  const lengths = parts.map(({ text, isPath, isWhole }) => (isPath || isWhole ? 0 : text.length));
  const longest = lengths.indexOf(Math.max(1, ...lengths));
  const path = parts.findIndex(({ isPath }) => isPath);
  return replaced(replaced(parts, path, withoutMiddle), longest, withoutEnd);
}

function withoutEnd(text: string, over: number): string {
  const length = Math.max(shortestPart, text.length - over);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function withoutMiddle(text: string, over: number): string {
  const length = Math.max(shortestPath, text.length - over);
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
