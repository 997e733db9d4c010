// Tests the packages on each version of Node and Python that they support, in rows: `npm run check -- matrix node-22 python-3.13`
// runs two, and without names all run. Requires built packages. Fails if a row leaves out more or less than left-out.txt says.
import { differences, listedFor } from "./left-out.ts";
import { type RowResult, runNodeRow, runStoresRow } from "./node-row.ts";
import { runPythonRow } from "./python-row.ts";

const rows: Readonly<Record<string, () => Promise<RowResult | undefined>>> = Object.fromEntries([
  ...[20, 22, 24, 26].flatMap((major) => [
    [`node-${major}`, () => runNodeRow(major)] as const,
    [`stores-${major}`, () => runStoresRow(major)] as const,
  ]),
  ...[10, 11, 12, 13, 14].map((minor) => [`python-3.${minor}`, () => runPythonRow(`3.${minor}`)] as const),
]);

const neededBy = (row: string): string =>
  row.startsWith("stores-") ? "redis-server and PostgreSQL" : "that version of Python, with venv";

/** Runs a row and prints its result. Returns whether it passed. */
async function check(row: string, run: () => Promise<RowResult | undefined>, mustBeThere: boolean): Promise<boolean> {
  console.log(`\n--- ${row}`);
  const result = await run();
  if (result === undefined) {
    console.log(
      `${mustBeThere ? "failed" : "absent"}  ${row}: this machine lacks what it needs. Install ${neededBy(row)}.`,
    );
    return !mustBeThere;
  }
  for (const { what, why } of result.leftOut) console.log(`left out: ${what}: ${why}`);
  const problems = differences(row, result.leftOut, listedFor(row));
  for (const problem of problems) console.error(problem);
  const isGood = result.passed && problems.length === 0;
  console.log(`${isGood ? "ok    " : "failed"}  ${row}, ${result.summary}`);
  return isGood;
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`Unknown row ${unknown.join(", ")}. There are ${Object.keys(rows).join(", ")}.`);
  process.exitCode = 2;
} else {
  const chosen = Object.entries(rows).filter(([row]) => named.length === 0 || named.includes(row));
  for (const [row, run] of chosen) if (!(await check(row, run, named.length > 0))) process.exitCode = 1;
}
