import { type ErrorCode, errorCodes, operations } from "@call-transfer/spec";
import type { ClaimedCell } from "./case.ts";
import { at, operationIds, type Schema } from "./document.ts";
import { fieldName, fieldsOf, rulesOf } from "./fields.ts";
import type { Run } from "./run.ts";

/** Something that the contract documents and that a case has to show. */
export type Cell =
  | ClaimedCell
  | { readonly kind: "status"; readonly operation: string; readonly status: number }
  | { readonly kind: "code"; readonly operation: string; readonly code: string }
  /** A success in a case written for the operation's noun: derived cases alone say nothing about what it does. */
  | { readonly kind: "story"; readonly operation: string };

/** How a cell was reached: by the platform's own behaviour, or only because a fault said so. */
export type Way = "behaviour" | "on demand";

/** A cell with what is expected of it and what was met. */
export interface Row {
  readonly cell: Cell;
  readonly expected: Way;
  /** How each target reached it; absent where none of its cases did. */
  readonly reached: ReadonlyMap<string, Way>;
}

/** Everything that the suite met, against everything that the contract documents. */
export interface Coverage {
  readonly targets: readonly string[];
  readonly rows: readonly Row[];
  /** What behaviour answered although no operation documents it, in words. */
  readonly undocumented: readonly string[];
  /** Codes that only faults bring about. */
  readonly onDemandCodes: readonly string[];
  /** What the answers were where the specification leaves them open. */
  readonly findings: readonly string[];
  /** Cases that a target could not run, with the reason. */
  readonly notRun: readonly string[];
}

/** What the API answers where no operation is, so that no operation lists it (§7.2). */
export const answersOutsideOperations: readonly ErrorCode[] = ["not_found"];

const codes = Object.keys(errorCodes) as ErrorCode[];
const listed = new Set<string>(operationIds.flatMap((id) => operations[id].errorCodes));

/** Codes that only a fault brings about: flagged so, or listed by no operation of the contract (A-29). */
export const onDemandCodes: readonly ErrorCode[] = codes.filter(
  (code) => errorCodes[code].onDemand || !(listed.has(code) || answersOutsideOperations.includes(code)),
);

/** The built-in roles (§5.5). */
export const roles = ((at("#/components/schemas/Role") as Schema).enum ?? []) as readonly string[];

/** Everybody whom the role table tells apart for an operation: each role as a user and as a key, and oneself. */
export const callersOf = (operation: (typeof operationIds)[number]): string[] => [
  ...roles,
  ...roles.map((role) => `key as ${role}`),
  ...((operations[operation].roles as readonly string[]).includes("self") ? ["self"] : []),
];

export const keyOf = (cell: Cell): string => JSON.stringify(Object.values(cell));

/** Every cell that the contract documents, with the way in which it must be reached. */
function* documentedCells(): Generator<{ cell: Cell; expected: Way }> {
  const isForced = (code: ErrorCode) => onDemandCodes.includes(code);
  for (const operation of operationIds) {
    const { statuses, errorCodes: answers } = operations[operation];
    for (const status of statuses) {
      const causes = answers.filter((code) => errorCodes[code].status === status);
      const forced = causes.length > 0 && causes.every(isForced);
      yield { cell: { kind: "status", operation, status }, expected: forced ? "on demand" : "behaviour" };
    }
    for (const code of answers) {
      yield { cell: { kind: "code", operation, code }, expected: isForced(code) ? "on demand" : "behaviour" };
    }
    yield { cell: { kind: "story", operation }, expected: "behaviour" };
    for (const role of callersOf(operation)) yield { cell: { kind: "role", operation, role }, expected: "behaviour" };
    for (const field of fieldsOf(operation)) {
      for (const { keyword, sides } of rulesOf(field)) {
        for (const side of sides) {
          yield {
            cell: { kind: "field", operation, field: fieldName(field), keyword, side },
            expected: "behaviour",
          };
        }
      }
    }
  }
  for (const code of codes) yield { cell: { kind: "demand", code }, expected: "on demand" };
}

function* cellsOf(run: Run): Generator<{ cell: Cell; way: Way }> {
  for (const cell of run.covers) yield { cell, way: cell.kind === "demand" ? "on demand" : "behaviour" };
  for (const { operation, status, code, onDemand } of run.exchanges) {
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
function* undocumentedOf(run: Run): Generator<string> {
  for (const { operation, status, code, onDemand } of run.exchanges) {
    if (onDemand) continue;
    if (!operation) {
      const known = answersOutsideOperations.some((answer) => answer === code);
      if (!known) yield `Outside the operations: ${status} ${code ?? "without a code"}`;
      continue;
    }
    const { statuses, errorCodes: answers } = operations[operation];
    if (!(statuses as readonly number[]).includes(status)) yield `${operation}: status ${status}`;
    if (code && !(answers as readonly string[]).includes(code)) yield `${operation}: code ${code}`;
  }
}

/** Counts the cells that passed cases reached. */
export function coverageOf(runs: readonly Run[]): Coverage {
  const passed = runs.filter((run) => !(run.failure || run.hindrances || run.deviation));
  const reached = new Map<string, Map<string, Way>>();
  for (const run of passed) {
    for (const { cell, way } of cellsOf(run)) {
      const key = keyOf(cell);
      const byTarget = reached.get(key) ?? new Map<string, Way>();
      reached.set(key, byTarget);
      if (byTarget.get(run.target) !== "behaviour") byTarget.set(run.target, way);
    }
  }
  return {
    targets: sortedSet(runs.map((run) => run.target)),
    rows: [...documentedCells()].map((row) => ({ ...row, reached: reached.get(keyOf(row.cell)) ?? new Map() })),
    undocumented: sortedSet(passed.flatMap((run) => [...undocumentedOf(run)])),
    onDemandCodes: onDemandCodes.toSorted(),
    findings: sortedSet(
      passed.flatMap((run) => run.findings.map(({ assumption, what, met }) => `${assumption}: ${what}: ${met}`)),
    ),
    notRun: sortedSet(
      runs.flatMap((run) =>
        (run.hindrances ?? []).map(({ capability, why }) => `${run.target}: ${run.name}: ${capability}: ${why}`),
      ),
    ),
  };
}

const nounOf = (operation: string): string => Object.values(operations).find(({ id }) => id === operation)?.noun ?? "";

/** The cell in words, with the file whose cases should reach it. */
function describe(cell: Cell): string {
  const file = (name: string) => `(packages/contract/src/${name})`;
  switch (cell.kind) {
    case "status":
    case "code": {
      const what = cell.kind === "status" ? `status ${cell.status}` : `code ${cell.code}`;
      return `${cell.operation} was never seen to answer ${what} ${file(`${nounOf(cell.operation)}.contract.ts, auth.ts, errors.ts`)}`;
    }
    case "story":
      return `${cell.operation} succeeds in no case of its own ${file(`${nounOf(cell.operation)}.contract.ts`)}`;
    case "role":
      return `${cell.operation} was never called by ${cell.role} ${file("auth.ts")}`;
    case "field":
      return `${cell.operation}: ${cell.side} values of ${cell.field} for ${cell.keyword} were never sent ${file("probes.ts")}`;
    case "demand":
      return `${cell.code} was never answered on demand ${file("errors.ts")}`;
  }
}

/** What keeps the coverage from being whole, in words; empty when it is. */
export function gapsOf({ rows, targets, undocumented }: Coverage): string[] {
  const gaps = rows.flatMap(({ cell, expected, reached }) =>
    targets.flatMap((target) => {
      const way = reached.get(target);
      if (way === expected) return [];
      if (way === undefined) return [`${target}: ${describe(cell)}`];
      const met =
        expected === "behaviour" ? "only on demand, not by behaviour" : "by behaviour, but should be on demand";
      return [`${target}: ${describe(cell)}; it was reached ${met}`];
    }),
  );
  return [...gaps, ...undocumented.map((what) => `Answered but not documented: ${what}`)];
}
