import { type Colour, paintFor } from "../../log/colour.ts";
import type { Terminal } from "./terminal.ts";

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
 * Formats rows as a table with a line of titles. Columns without any content are left out. In a terminal, flexible columns
 * are cut off to fit its width, the widest first.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  terminal: Pick<Terminal, "width" | "hasColour">,
  columns: readonly Column<Row>[],
): string {
  const paint = paintFor(terminal.hasColour);
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => oneLine(String(column.cell(row) ?? ""))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const widths = fitted(
    filled.map(({ title, cells, flexible = false }) => ({
      width: Math.max(title.length, ...cells.map((cell) => cell.length)),
      flexible,
    })),
    terminal.width,
  );
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

/** Formats names with their values, one a line; values that are undefined are left out. */
export function formatFields(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}${gap}${value}`).join("\n");
}

function fitted(columns: readonly { width: number; flexible: boolean }[], width: number | undefined): number[] {
  const widths = columns.map((column) => column.width);
  if (width === undefined) return widths;
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - width;
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
