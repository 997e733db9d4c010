import { operations } from "@call-transfer/spec";
import { codesOutsideOperations } from "../document/document.ts";
import type { CaseResult } from "../suite/run.ts";
import type { Capability } from "../suite/target.ts";
import {
  type CellOrigin,
  type CoverageCell,
  type DocumentedCell,
  describeCell,
  documentedCells,
  keyOf,
} from "./cells.ts";

/** Groups values by key, like `Map.groupBy`, which Node 20 does not have. */
function groupBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** A documented cell and its coverage. */
export interface CoverageRow extends DocumentedCell {
  /** How each target reached it; without the targets that did not. */
  readonly reached: ReadonlyMap<string, CellOrigin>;
  /** For each target that did not reach it: why the cases that reach it elsewhere did not count there. */
  readonly missed: ReadonlyMap<string, readonly string[]>;
}

/** The results of one target. */
export interface TargetSummary {
  readonly target: string;
  readonly passed: number;
  readonly failed: number;
  /** The number of cases that failed as expected. */
  readonly deviating: number;
  /** The number of cases that were not run. */
  readonly notRun: number;
  /** The capabilities that those cases need. */
  readonly lacking: readonly Capability[];
}

/** What the suite covered of everything that the contract documents. */
export interface Coverage {
  /** One entry for each target, in the order of the runs. */
  readonly tallies: readonly TargetSummary[];
  /** One row for each part of the contract, with the targets that covered it. */
  readonly rows: readonly CoverageRow[];
  /** Responses that no operation documents. */
  readonly undocumented: readonly string[];
}

function* cellsOf(run: CaseResult): Generator<{ cell: CoverageCell; way: CellOrigin }> {
  for (const cell of run.covers) {
    yield { cell, way: cell.kind === "demand" || cell.kind === "reaction" ? "on demand" : "behaviour" };
  }
  for (const { operation, status, code, byFault } of run.exchanges) {
    const way = byFault ? "on demand" : "behaviour";
    if (!operation) continue;
    yield { cell: { kind: "status", operation, status }, way };
    if (code) yield { cell: { kind: "code", operation, code }, way };
    const isOwn = operations[operation].tag === run.resource;
    if (isOwn && status < 400) yield { cell: { kind: "story", operation }, way };
  }
}

const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].toSorted();

/** Responses that the contract does not document. */
function* undocumentedOf(run: CaseResult): Generator<string> {
  for (const { operation, status, code, byFault } of run.exchanges) {
    if (byFault) continue;
    if (!operation) {
      const known = codesOutsideOperations.some((answer) => answer === code);
      if (!known) yield `${run.target}: outside the operations: ${status} ${code ?? "without a code"}`;
      continue;
    }
    const { statuses, errorCodes: answers } = operations[operation];
    if (!(statuses as readonly number[]).includes(status)) yield `${run.target}: ${operation}: status ${status}`;
    if (code && !(answers as readonly string[]).includes(code)) yield `${run.target}: ${operation}: code ${code}`;
  }
}

const caseOf = ({ resource, name }: CaseResult): string => `${resource}: ${name}`;
const hasPassed = (run: CaseResult): boolean => !(run.failure || run.missing || run.deviation);

/** Why a case did not count on its target; empty when it passed or failed. */
const reasonsNotCounted = ({ missing, deviation }: CaseResult): string[] =>
  missing?.map(({ capability, reason }) => `${capability}: ${reason}`) ?? (deviation === undefined ? [] : [deviation]);

const tallyOf = (target: string, runs: readonly CaseResult[]): TargetSummary => ({
  target,
  ...totalsOf(runs),
  lacking: [...new Set(runs.flatMap(({ missing = [] }) => missing.map(({ capability }) => capability)))],
});

/** The targets that reached a cell, how they did, and the cases. */
interface Reached {
  readonly ways: Map<string, CellOrigin>;
  readonly cases: Set<string>;
}

const unreached: Reached = { ways: new Map(), cases: new Set() };

function reachedBy(passed: readonly CaseResult[]): ReadonlyMap<string, Reached> {
  const reached = new Map<string, Reached>();
  for (const run of passed) {
    for (const { cell, way } of cellsOf(run)) {
      const key = keyOf(cell);
      const { ways, cases } = reached.get(key) ?? { ways: new Map<string, CellOrigin>(), cases: new Set<string>() };
      reached.set(key, { ways, cases });
      cases.add(caseOf(run));
      if (ways.get(run.target) !== "behaviour") ways.set(run.target, way);
    }
  }
  return reached;
}

/** Measures which documented cells the passed cases reached. */
export function measureCoverage(runs: readonly CaseResult[]): Coverage {
  const byTarget = groupBy(runs, ({ target }) => target);
  const passed = runs.filter(hasPassed);
  const reached = reachedBy(passed);
  const notCounted = new Map(
    [...byTarget].map(([target, own]) => [target, new Map(own.map((run) => [caseOf(run), reasonsNotCounted(run)]))]),
  );
  const rowOf = (documented: DocumentedCell): CoverageRow => {
    const { ways, cases } = reached.get(keyOf(documented.cell)) ?? unreached;
    const missed = [...notCounted]
      .filter(([target]) => !ways.has(target))
      .map(([target, own]) => [target, sortedSet([...cases].flatMap((name) => own.get(name) ?? []))] as const);
    return { ...documented, reached: ways, missed: new Map(missed) };
  };
  return {
    tallies: [...byTarget].map(([target, own]) => tallyOf(target, own)),
    rows: [...documentedCells()].map(rowOf),
    undocumented: sortedSet(passed.flatMap((run) => [...undocumentedOf(run)])),
  };
}

const isLimited = ({ deviating, notRun }: TargetSummary): boolean => deviating + notRun > 0;

/**
 * Describes the gaps in the coverage. A target with missing capabilities or deviations may miss the cells that they
 * explain. Without a full target it is unknown which cases reach a cell, so limited targets may then miss any cell.
 */
export function coverageGaps({ rows, tallies, undocumented }: Coverage): string[] {
  const hasFullTarget = tallies.some((tally) => !isLimited(tally));
  const gaps = rows.flatMap(({ cell, expected, reached, missed }) =>
    tallies.flatMap((tally) => {
      const way = reached.get(tally.target);
      if (way === expected) return [];
      if (way !== undefined) {
        const how =
          expected === "behaviour" ? "only by a fault, not by behaviour" : "by behaviour, but should need a fault";
        return [`${tally.target}: ${describeCell(cell)}; it was reached ${how}`];
      }
      const isExplained = (missed.get(tally.target)?.length ?? 0) > 0 || (!hasFullTarget && isLimited(tally));
      return isExplained ? [] : [`${tally.target}: ${describeCell(cell)}`];
    }),
  );
  return [...gaps, ...undocumented.map((what) => `Returned but not documented: ${what}`)];
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
const indented = (text: string, spaces: number): string =>
  text
    .split("\n")
    .map((line) => " ".repeat(spaces) + line)
    .join("\n");

/** A failed case: its name, the failure and the requests and responses. */
const failureText = ({ resource, name, failure = "", trace = [] }: CaseResult): string =>
  [
    `  FAILED ${resource}: ${name}`,
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
  runs.flatMap(({ missing = [] }) => missing.map(({ capability, reason }) => `not run, ${capability}: ${reason}`));

const deviationReasons = (runs: readonly CaseResult[]): string[] =>
  runs.flatMap(({ deviation }) => (deviation === undefined ? [] : [`expected deviation: ${deviation}`]));

/** The numbers of cases that passed, failed, deviated as expected, and were not run. */
export function totalsOf(runs: readonly CaseResult[]) {
  const failed = runs.filter(({ failure }) => failure !== undefined).length;
  const deviating = runs.filter(({ deviation }) => deviation !== undefined).length;
  const notRun = runs.filter(({ missing }) => missing !== undefined).length;
  return { passed: runs.length - failed - deviating - notRun, failed, deviating, notRun };
}

export function runsText(target: string, runs: readonly CaseResult[], durationMs: number): string {
  const { passed, failed, deviating, notRun } = totalsOf(runs);
  const numbers = [
    `${passed} passed`,
    `${failed} failed`,
    ...(deviating > 0 ? [`${deviating} expected deviations`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ];
  return [
    `${target}: ${numbers.join(", ")} in ${(durationMs / 1000).toFixed(1)} s`,
    ...reasonsText(notRunReasons(runs)),
    ...reasonsText(deviationReasons(runs)),
    ...runs.filter(({ failure }) => failure !== undefined).map(failureText),
  ].join("\n");
}
