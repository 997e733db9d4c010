import type { CaseResult } from "../suite/run.ts";
import { groupBy } from "./group-by.ts";

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
const indented = (text: string, spaces: number): string =>
  text
    .split("\n")
    .map((line) => " ".repeat(spaces) + line)
    .join("\n");

/** A failed case: its name, the failure and the requests and responses. */
const failureText = ({ noun, name, failure = "", trace = [] }: CaseResult): string =>
  [
    `  FAILED ${noun}: ${name}`,
    indented(failure, 4),
    ...(trace.length > 0 ? ["    Requests and responses:", ...trace.map((line) => indented(line, 6))] : []),
  ].join("\n");

/** The number of cases for each reason, highest first. */
function reasonsText(reasons: readonly string[]): string[] {
  const groups = [...groupBy(reasons, (reason) => reason)].map(([reason, { length }]) => ({ reason, length }));
  return groups
    .toSorted((left, right) => right.length - left.length)
    .map(({ reason, length }) => `  ${reason} (${count(length, "case")})`);
}

const notRunReasons = (runs: readonly CaseResult[]): string[] =>
  runs.flatMap(({ missing = [] }) => missing.map(({ capability, why }) => `not run, ${capability}: ${why}`));

const deviationReasons = (runs: readonly CaseResult[]): string[] =>
  runs.flatMap(({ deviation }) => (deviation === undefined ? [] : [`expected deviation: ${deviation}`]));

/** The numbers of cases that passed, failed, deviated as expected, and were not run. */
export function totalsOf(runs: readonly CaseResult[]) {
  const failed = runs.filter(({ failure }) => failure !== undefined).length;
  const deviating = runs.filter(({ deviation }) => deviation !== undefined).length;
  const notRun = runs.filter(({ missing }) => missing !== undefined).length;
  return { passed: runs.length - failed - deviating - notRun, failed, deviating, notRun };
}

export function runsText(target: string, runs: readonly CaseResult[], tookMs: number): string {
  const { passed, failed, deviating, notRun } = totalsOf(runs);
  const numbers = [
    `${passed} passed`,
    `${failed} failed`,
    ...(deviating > 0 ? [`${deviating} expected deviations`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ];
  return [
    `${target}: ${numbers.join(", ")} in ${(tookMs / 1000).toFixed(1)} s`,
    ...reasonsText(notRunReasons(runs)),
    ...reasonsText(deviationReasons(runs)),
    ...runs.filter(({ failure }) => failure !== undefined).map(failureText),
  ].join("\n");
}
