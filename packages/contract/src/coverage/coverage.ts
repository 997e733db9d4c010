import { operations } from "@call-transfer/spec";
import { codesOutsideOperations } from "../suite/document.ts";
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
import { groupBy } from "./grouped.ts";

/** A documented cell and what was met. */
export interface CoverageRow extends DocumentedCell {
  /** How each target reached it; absent where none of its cases did. */
  readonly reached: ReadonlyMap<string, CellOrigin>;
  /** For each target that did not: why the cases that reach it elsewhere told nothing there; empty when nothing says. */
  readonly missed: ReadonlyMap<string, readonly string[]>;
}

/** What one target did with the cases. */
export interface Tally {
  readonly target: string;
  readonly passed: number;
  readonly failed: number;
  /** Cases that failed as listed, by reason. */
  readonly deviations: ReadonlyMap<string, readonly string[]>;
  /** Cases that were not run, by what the target cannot do. */
  readonly notRun: ReadonlyMap<Capability, { readonly why: string; readonly cases: number }>;
}

/** Everything that the suite met, against everything that the contract documents. */
export interface Coverage {
  /** One row for each target, in the order of the runs. */
  readonly tallies: readonly Tally[];
  readonly rows: readonly CoverageRow[];
  /** What behaviour answered although no operation documents it, in words. */
  readonly undocumented: readonly string[];
  /** What the answers were where the specification leaves them open. */
  readonly findings: readonly string[];
}

function* cellsOf(run: CaseResult): Generator<{ cell: CoverageCell; way: CellOrigin }> {
  for (const cell of run.covers) {
    yield { cell, way: cell.kind === "demand" || cell.kind === "reaction" ? "on demand" : "behaviour" };
  }
  for (const { operation, status, code, byFault: onDemand } of run.exchanges) {
    const way = onDemand ? "on demand" : "behaviour";
    if (!operation) continue;
    yield { cell: { kind: "status", operation, status }, way };
    if (code) yield { cell: { kind: "code", operation, code }, way };
    const isOwn = operations[operation].noun === run.noun;
    if (isOwn && status < 400) yield { cell: { kind: "story", operation }, way };
  }
}

const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].toSorted();

/** Behaviour that the contract does not document. */
function* undocumentedOf(run: CaseResult): Generator<string> {
  for (const { operation, status, code, byFault: onDemand } of run.exchanges) {
    if (onDemand) continue;
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

const caseOf = ({ noun, name }: CaseResult): string => `${noun}: ${name}`;
const hasPassed = (run: CaseResult): boolean => !(run.failure || run.missing || run.deviation);

/** Why a run told nothing of its target; undefined when it did, or failed. */
const silenceOf = ({ missing: hindrances, deviation }: CaseResult): string[] =>
  hindrances?.map(({ capability, why }) => `${capability}: ${why}`) ?? (deviation === undefined ? [] : [deviation]);

function tallyOf(target: string, runs: readonly CaseResult[]): Tally {
  const deviations = new Map<string, string[]>();
  const notRun = new Map<Capability, { why: string; cases: number }>();
  for (const run of runs) {
    if (run.deviation !== undefined)
      deviations.set(run.deviation, [...(deviations.get(run.deviation) ?? []), caseOf(run)]);
    for (const { capability, why } of run.missing ?? [])
      notRun.set(capability, { why, cases: (notRun.get(capability)?.cases ?? 0) + 1 });
  }
  return {
    target,
    passed: runs.filter(hasPassed).length,
    failed: runs.filter(({ failure }) => failure !== undefined).length,
    deviations,
    notRun,
  };
}

/** Which targets reached a cell and in which way, and which cases did. */
interface Reached {
  readonly ways: Map<string, CellOrigin>;
  readonly cases: Set<string>;
}

const nobody: Reached = { ways: new Map(), cases: new Set() };

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

/** Counts the cells that passed cases reached. */
export function measureCoverage(runs: readonly CaseResult[]): Coverage {
  const byTarget = groupBy(runs, ({ target }) => target);
  const passed = runs.filter(hasPassed);
  const reached = reachedBy(passed);
  const silences = new Map(
    [...byTarget].map(([target, own]) => [target, new Map(own.map((run) => [caseOf(run), silenceOf(run)]))]),
  );
  const rowOf = (documented: DocumentedCell): CoverageRow => {
    const { ways, cases } = reached.get(keyOf(documented.cell)) ?? nobody;
    const missed = [...silences]
      .filter(([target]) => !ways.has(target))
      .map(([target, own]) => [target, sortedSet([...cases].flatMap((name) => own.get(name) ?? []))] as const);
    return { ...documented, reached: ways, missed: new Map(missed) };
  };
  return {
    tallies: [...byTarget].map(([target, own]) => tallyOf(target, own)),
    rows: [...documentedCells()].map(rowOf),
    undocumented: sortedSet(passed.flatMap((run) => [...undocumentedOf(run)])),
    findings: sortedSet(
      passed.flatMap((run) =>
        run.findings.map(({ assumption, subject: what, observed: met }) => `${assumption}: ${what}: ${met}`),
      ),
    ),
  };
}

const isLimited = ({ deviations, notRun }: Tally): boolean => deviations.size > 0 || notRun.size > 0;

/**
 * What keeps the coverage from being whole, in words; empty when it is. A target that cannot do everything may miss what
 * its own limits explain; with no unlimited target to tell which cases reach a cell, it is held to nothing more.
 */
export function coverageGaps({ rows, tallies, undocumented }: Coverage): string[] {
  const isToldAll = tallies.some((tally) => !isLimited(tally));
  const gaps = rows.flatMap(({ cell, expected, reached, missed }) =>
    tallies.flatMap((tally) => {
      const way = reached.get(tally.target);
      if (way === expected) return [];
      if (way !== undefined) {
        const met =
          expected === "behaviour" ? "only on demand, not by behaviour" : "by behaviour, but should be on demand";
        return [`${tally.target}: ${describeCell(cell)}; it was reached ${met}`];
      }
      const isExplained = (missed.get(tally.target)?.length ?? 0) > 0 || (!isToldAll && isLimited(tally));
      return isExplained ? [] : [`${tally.target}: ${describeCell(cell)}`];
    }),
  );
  return [...gaps, ...undocumented.map((what) => `Answered but not documented: ${what}`)];
}
