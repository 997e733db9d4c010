// What a run shows, in words and tables.
import { allCells, conditions, faultNames, operationList } from "./faults.ts";
import { answerClasses, kindNames } from "./middleware.ts";
import { cellKey } from "./records.ts";
import type { Totals } from "./run.ts";

/** Cells that a run never met. */
export const missedCells = ({ cells }: Totals): string[] =>
  allCells.map(({ fault, operation }) => cellKey(fault, operation.id)).filter((key) => !cells.has(key));

/** Kinds of middleware that never handed on an answer of a class. */
export const missedAnswers = ({ handedOn }: Totals): string[] =>
  kindNames.flatMap((kind) => answerClasses.map((answer) => `${kind} × ${answer}`)).filter((key) => !handedOn.has(key));

/** How often each fault met each operation. */
export function cellTable({ cells }: Totals): string {
  const letters = operationList.map((_, index) => String.fromCharCode(65 + index));
  const legend = operationList.map(({ id }, index) => `${letters[index]} ${id}`).join(", ");
  const known = new Set(allCells.map(({ fault, operation }) => cellKey(fault, operation.id)));
  const rows = [...faultNames, ...conditions].map((fault) => {
    const counts = operationList.map(({ id }) => {
      const key = cellKey(fault, id);
      return (known.has(key) ? String(cells.get(key) ?? 0) : "-").padStart(8);
    });
    return `${fault.padEnd(26)}${counts.join("")}`;
  });
  return [legend, "".padEnd(26) + letters.map((letter) => letter.padStart(8)).join(""), ...rows].join("\n");
}

/** The figures of a run, a line each. */
export function figures(totals: Totals, seconds: number): string[] {
  const { user, system } = process.cpuUsage();
  const perCore = Math.round(totals.attempts / ((user + system) / 1e6));
  const { attempts, calls, worlds, offers, offerCopies, risky, cells, handedOn } = totals;
  const hit = allCells.length - missedCells(totals).length;
  const lines = [
    `${attempts} attempts of ${calls} calls in ${worlds} worlds, ${Math.round(attempts / seconds)} attempts/s (${perCore} per second of one core's work)`,
    `${hit} of ${allCells.length} cells (fault × operation) met, ${sum(cells)} times in all`,
    `${kindNames.length * answerClasses.length - missedAnswers(totals).length} of ${kindNames.length * answerClasses.length} cells (middleware × class of answer) met, ${sum(handedOn)} answers read through middleware`,
    `${offers} offers delivered and verified, ${offerCopies} of them twice`,
  ];
  for (const [policy, words] of [
    ["never", "under the default policy"],
    ["check", "under retry.unsafe: check"],
    ["always", "under retry.unsafe: always"],
  ] as const) {
    const { calls: asked = 0, duplicates = 0 } = risky[policy] ?? {};
    lines.push(`${duplicates} of ${asked} placements and rotations carried out more than once ${words}`);
  }
  return lines;
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((one, other) => one + other, 0);

/** Tells how far a run is: in place on a terminal, else a line now and then. */
export function createProgress(goal: (totals: Totals) => number): (totals: Totals, seconds: number) => void {
  const { stderr } = process;
  let next = 0;
  return (totals, seconds) => {
    const done = Math.min(1, goal(totals));
    if (seconds < next && done < 1) return;
    next = seconds + (stderr.isTTY ? 0.2 : 15);
    const rate = Math.round(totals.attempts / seconds);
    const line = `${Math.floor(done * 100)} %  ${totals.worlds} worlds  ${totals.attempts} attempts  ${rate}/s`;
    stderr.write(stderr.isTTY ? `\r\x1b[2K${line}${done < 1 ? "" : "\n"}` : `${line}\n`);
  };
}
