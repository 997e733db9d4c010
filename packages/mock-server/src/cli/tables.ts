// Tables, fields, ids and times for a terminal.
import { longUnits } from "@call-transfer/backend/control-client";
import { type Colour, paintFor, shortIds as shortened, wrapWords } from "../log/text.ts";
import type { Terminal } from "./output.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string | number | undefined;
  /** Whether the column may be cut off when the table is wider than the terminal. */
  readonly flexible?: boolean;
  readonly colour?: (row: Row) => Colour | undefined;
}

const gap = "  ";
const narrowest = 6;

/**
 * Formats rows as a table with a line of titles. Columns without any content are left out. To fit the width of a terminal,
 * flexible columns are cut off, the widest first.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  terminal: Pick<Terminal, "width" | "hasColour">,
  columns: readonly Column<Row>[],
): string {
  const paint = paintFor(terminal.hasColour);
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => oneLine(String(column.cell(row) ?? ""))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map((column) => ({
      ...column,
      width: Math.max(column.title.length, ...column.cells.map((cell) => cell.length)),
    }));
  const widths = fitted(filled, terminal.width);
  const line = (cellOf: (column: (typeof filled)[number]) => { text: string; colour?: Colour | undefined }): string =>
    filled
      .map((column, index) => {
        const width = widths[index] ?? 0;
        const { text, colour } = cellOf(column);
        const cut = cutOff(text, width);
        const padding = index === filled.length - 1 ? "" : " ".repeat(width - cut.length);
        return paint(colour, cut) + padding;
      })
      .join(gap)
      .trimEnd();
  return [
    line(({ title }) => ({ text: title.toUpperCase(), colour: "dim" })),
    ...rows.map((row, index) => line(({ cells, colour }) => ({ text: cells[index] ?? "", colour: colour?.(row) }))),
  ].join("\n");
}

/**
 * Formats names with their values, one a line; values that are undefined are left out. To fit the width of a terminal, a
 * value is broken between its words.
 */
export function formatFields(
  fields: Readonly<Record<string, string | number | undefined>>,
  terminalWidth = Number.POSITIVE_INFINITY,
): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  const indent = width + gap.length;
  const lines = (value: unknown): string[] => wrapWords(String(value), terminalWidth - indent);
  return given
    .map(([name, value]) => `${name.padEnd(indent)}${lines(value).join(`\n${" ".repeat(indent)}`)}`)
    .join("\n");
}

interface Size {
  readonly width: number;
  readonly flexible?: boolean;
}

function fitted(columns: readonly Size[], width = Number.POSITIVE_INFINITY): number[] {
  const widths = columns.map((column) => column.width);
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const candidates = columns.flatMap(({ flexible }, index) => (flexible ? [index] : []));
    const widest = candidates.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0))[0];
    const current = widths[widest ?? -1] ?? 0;
    if (widest === undefined || current <= narrowest) break;
    widths[widest] = current - 1;
    excess -= 1;
  }
  return widths;
}

function cutOff(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Values may hold characters that would move the cursor or show text in another order. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ");
}

const units = [...longUnits, [1000, "s"]] as const;

/** A time relative to another one, e.g. `3 s ago` or `in 15 min`. */
export function relativeTime(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  const ms = Math.abs(distance);
  // A unit is used from twice its length on, so that no digit is lost that matters.
  const [length, unit] = units.find(([one]) => ms >= 2 * one) ?? [1000, "s"];
  const amount = `${Math.round(ms / length)} ${unit}`;
  if (ms < 500) return "now";
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}

/**
 * Returns a function that shortens the ids of records in a terminal, as the log does: `432a…7c56`. Commands accept that form.
 * Ids that would look the same stay whole, and so do all ids outside a terminal.
 */
export function shortIds(
  records: readonly { readonly id?: string | undefined }[],
  { width }: Pick<Terminal, "width">,
): (id: string) => string {
  const distinct = [...new Set(records.map(({ id = "" }) => id))];
  const isUnique = new Set(distinct.map(shortened)).size === distinct.length;
  return width !== undefined && isUnique ? shortened : (id) => id;
}

/** An object as lines: nested fields by their path, e.g. `availability.status`. */
export function flatFields(value: object, prefix = ""): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, field]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      if (typeof field === "object" && field !== null && !Array.isArray(field) && Object.keys(field).length > 0)
        return flatFields(field, `${path}.`);
      return { [path]: compact(field) };
    }),
  );
}

/** A value in short: a text as it is, anything else as JSON. */
export function compact(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
