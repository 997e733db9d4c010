import type { Schema } from "@call-transfer/backend/control-client";

/** What the app under test has met, as the control plane counts it. */
export type Coverage = Schema<"Coverage">;

/** The counts of one operation. */
export type OperationCoverage = Coverage["operations"][number];

/** A status or a code that an operation documents or returned. */
interface Cell {
  readonly documented: boolean;
  readonly count: number;
}

/** How many of the documented things were seen. */
export interface Share {
  readonly seen: number;
  readonly of: number;
}

/** What of the coverage to show. */
export const shows = [
  ["all", "All"],
  ["never", "Never seen"],
  ["seen", "Seen"],
  ["undocumented", "Not documented"],
] as const;

/** The id of a choice of {@link shows}. */
export type Show = (typeof shows)[number][0];

/** Whether a status or a code is one that the choice shows. */
export function isShown({ documented, count }: Cell, show: Show): boolean {
  if (show === "never") return documented && count === 0;
  if (show === "seen") return count > 0;
  return show === "all" || !documented;
}

const shareOf = (cells: readonly Cell[]): Share => {
  const documented = cells.filter((cell) => cell.documented);
  return { seen: documented.filter(({ count }) => count > 0).length, of: documented.length };
};

/** The shares of the operations, of their documented statuses and of their documented codes that were seen. */
export function sharesOf({ operations }: Pick<Coverage, "operations">): {
  readonly operations: Share;
  readonly statuses: Share;
  readonly codes: Share;
} {
  const called = operations.filter(({ statuses }) => statuses.some(({ count }) => count > 0));
  return {
    operations: { seen: called.length, of: operations.length },
    statuses: shareOf(operations.flatMap(({ statuses }) => statuses)),
    codes: shareOf(operations.flatMap(({ codes }) => codes)),
  };
}

/** A share in whole percent. It is 100 only when nothing is missing, and 0 only when nothing was seen. */
export function percentOf({ seen, of }: Share): number {
  if (of === 0 || seen === of) return 100;
  return seen === 0 ? 0 : Math.min(99, Math.max(1, Math.round((seen / of) * 100)));
}

/** Every status that an operation documents or returned, lowest first: the columns of the table. */
export function statusesOf({ operations }: Pick<Coverage, "operations">): readonly number[] {
  const all = operations.flatMap(({ statuses }) => statuses.map(({ status }) => status));
  return [...new Set(all)].toSorted((one, other) => one - other);
}

/** A cell in words. */
export function wordsOf(cell: Cell | undefined): string {
  if (cell === undefined) return "–";
  if (cell.count === 0) return "never";
  return cell.documented ? `${cell.count}×` : `${cell.count}× undocumented`;
}

/** The coverage as Markdown, for a report or a pull request. */
export function markdownOf(coverage: Coverage): string {
  const { operations, statuses, codes } = sharesOf(coverage);
  const columns = statusesOf(coverage);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const shareText = (share: Share) => `${share.seen} of ${share.of} (${percentOf(share)} %)`;
  return [
    `Operations: ${shareText(operations)}. Statuses: ${shareText(statuses)}. Error codes: ${shareText(codes)}.`,
    "",
    line(["Operation", ...columns.map(String)]),
    line(["---", ...columns.map(() => "---")]),
    ...coverage.operations.map((operation) =>
      line([
        operation.operationId,
        ...columns.map((status) => wordsOf(operation.statuses.find((cell) => cell.status === status))),
      ]),
    ),
    "",
    "Error codes that were never seen:",
    "",
    ...coverage.operations.map(({ operationId, codes: own }) => {
      const never = own.filter((cell) => isShown(cell, "never")).map(({ code }) => `\`${code}\``);
      return `- ${operationId}: ${never.join(", ") || "none"}`;
    }),
    "",
  ].join("\n");
}
