import type { Run } from "./run.ts";
import type { Capability } from "./target.ts";

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
const indented = (text: string, spaces: number): string =>
  text
    .split("\n")
    .map((line) => " ".repeat(spaces) + line)
    .join("\n");

/** A failed case: its name, what was expected and met, and the exchange. */
const failureText = ({ noun, name, failure = "", trace = [] }: Run): string =>
  [
    `  FAILED ${noun}: ${name}`,
    indented(failure, 4),
    ...(trace.length > 0 ? ["    The exchange:", ...trace.map((line) => indented(line, 6))] : []),
  ].join("\n");

/** Cases that were not run, by what their target cannot do. */
function hindrancesText(runs: readonly Run[]): string[] {
  const reasons = new Map<Capability, { why: string; cases: number }>();
  for (const { hindrances = [] } of runs)
    for (const { capability, why } of hindrances)
      reasons.set(capability, { why, cases: (reasons.get(capability)?.cases ?? 0) + 1 });
  return [...reasons].map(
    ([capability, { why, cases }]) => `  not run, ${capability}: ${why} (${count(cases, "case")})`,
  );
}

const deviationsText = (runs: readonly Run[]): string[] =>
  runs.flatMap(({ noun, name, deviation }) =>
    deviation === undefined ? [] : [`  deviates as listed, ${noun}: ${name}: ${deviation}`],
  );

/** How many runs passed, failed, deviated as listed, and were not run. */
export function totalsOf(runs: readonly Run[]) {
  const failed = runs.filter(({ failure }) => failure !== undefined).length;
  const deviating = runs.filter(({ deviation }) => deviation !== undefined).length;
  const notRun = runs.filter(({ hindrances }) => hindrances !== undefined).length;
  return { passed: runs.length - failed - deviating - notRun, failed, deviating, notRun };
}

/** What one target did, to read. */
export function runsText(target: string, runs: readonly Run[], tookMs: number): string {
  const { passed, failed, deviating, notRun } = totalsOf(runs);
  const numbers = [
    `${passed} passed`,
    `${failed} failed`,
    ...(deviating > 0 ? [`${deviating} deviate as listed`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ];
  return [
    `${target}: ${numbers.join(", ")} in ${(tookMs / 1000).toFixed(1)} s`,
    ...hindrancesText(runs),
    ...deviationsText(runs),
    ...runs.filter(({ failure }) => failure !== undefined).map(failureText),
  ].join("\n");
}
