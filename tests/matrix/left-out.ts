// What a row of the matrix cannot run, compared with the committed list.
import { readFileSync } from "node:fs";

const list = new URL("left-out.txt", import.meta.url);

/** Something that a row did not run. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

const lineOf = ({ what, why }: LeftOut): string => `${what} | ${why}`;

/** The lines of the list that are for one row, without its name. */
export function listedFor(row: string, text: string = readFileSync(list, "utf8")): string[] {
  return text.split("\n").flatMap((line) => (line.startsWith(`${row} | `) ? [line.slice(row.length + 3)] : []));
}

/** How the list differs from what a row left out, each with its fix. */
export function differences(row: string, leftOut: readonly LeftOut[], listed: readonly string[]): string[] {
  const found = leftOut.map(lineOf);
  return [
    ...found
      .filter((line) => !listed.includes(line))
      .map(
        (line) => `${row} left out more than it may: ${line}. Run it, or add the line to tests/matrix/left-out.txt.`,
      ),
    ...listed
      .filter((line) => !found.includes(line))
      .map((line) => `${row} no longer leaves out: ${line}. Remove the line from tests/matrix/left-out.txt.`),
  ];
}

/** What a report of `node --test` in TAP counts, and what it skipped, by the names of its suites. */
export function readTap(text: string): { passed: number; failed: number; leftOut: LeftOut[] } {
  const suites: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const line of text.split("\n")) {
    const depth = (/^ */.exec(line)?.[0].length ?? 0) / 4;
    const subtest = /^ *# Subtest: (.+)$/.exec(line)?.[1];
    if (subtest !== undefined) suites.splice(depth, Number.POSITIVE_INFINITY, subtest);
    const why = /^ *ok \d+ - .+ # SKIP *(.*)$/.exec(line)?.[1];
    if (why !== undefined)
      leftOut.push({ what: suites.slice(0, depth + 1).join(" > "), why: why || "without a reason" });
  }
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail") + count("cancelled"), leftOut };
}
