import { type ErrorCode, errorCodes, operations } from "@call-transfer/spec";
import { brokenResponses } from "../cases/broken-responses.ts";
import { retriedResponses } from "../cases/retries.ts";
import { callersOf, errorCodeNames, faultOnlyCodes, operationIds, webhookEvents } from "../document/document.ts";
import { fieldName, fieldsOf, rulesOf } from "../document/fields.ts";
import { type ClaimedCell, type Idempotency, transitions } from "../suite/case.ts";

/** Something that the contract documents and that a case must show. */
export type CoverageCell =
  | ClaimedCell
  | { readonly kind: "status"; readonly operation: string; readonly status: number }
  | { readonly kind: "code"; readonly operation: string; readonly code: string }
  /** A success in a case written for the operation's resource. Derived cases alone do not show what it does. */
  | { readonly kind: "story"; readonly operation: string };

/** The classes of cells, in the order of the report. */
export const cellClasses = {
  status: "operation × status",
  code: "operation × code",
  field: "field × keyword × valid or invalid",
  role: "operation × caller",
  story: "operation × case of its own",
  transition: "transition",
  webhook: "webhook × signed or rotated",
  reaction: "fault × client reaction",
  demand: "code × on demand",
} as const satisfies Record<CoverageCell["kind"], string>;

/** How a cell was reached: by the platform's behaviour, or only by a fault. */
export type CellOrigin = "behaviour" | "on demand";

/** A cell, and how it must be reached. */
export interface DocumentedCell {
  readonly cell: CoverageCell;
  readonly expected: CellOrigin;
}

/** A key that is equal for equal cells. */
export const keyOf = (cell: CoverageCell): string => JSON.stringify(Object.values(cell));

const isForced = (code: ErrorCode): boolean => faultOnlyCodes.includes(code);
const behaviour = (cell: CoverageCell): DocumentedCell => ({ cell, expected: "behaviour" });
const faultOnly = (cell: CoverageCell): DocumentedCell => ({ cell, expected: "on demand" });

function* operationCells(): Generator<DocumentedCell> {
  for (const operation of operationIds) {
    const { statuses, errorCodes: listed } = operations[operation];
    for (const status of statuses) {
      const causes = listed.filter((code) => errorCodes[code].status === status);
      const cell = { kind: "status", operation, status } as const;
      yield causes.length > 0 && causes.every(isForced) ? faultOnly(cell) : behaviour(cell);
    }
    for (const code of listed) {
      const cell = { kind: "code", operation, code } as const;
      yield isForced(code) ? faultOnly(cell) : behaviour(cell);
    }
    yield behaviour({ kind: "story", operation });
    for (const role of callersOf(operation)) yield behaviour({ kind: "role", operation, role });
    for (const field of fieldsOf(operation)) {
      for (const { keyword, sides } of rulesOf(field)) {
        for (const side of sides) yield behaviour({ kind: "field", operation, field: fieldName(field), keyword, side });
      }
    }
  }
}

const retryClasses: readonly Idempotency[] = [...new Set(operationIds.map((id) => operations[id].idempotency))];

/** Every cell that the contract documents. */
export function* documentedCells(): Generator<DocumentedCell> {
  yield* operationCells();
  for (const transition of transitions) yield behaviour({ kind: "transition", transition });
  for (const event of webhookEvents) {
    for (const signing of ["signed", "rotated"] as const) yield behaviour({ kind: "webhook", event, signing });
  }
  for (const fault of [...retriedResponses.map(({ name }) => name), ...Object.keys(brokenResponses)]) {
    for (const idempotency of retryClasses) yield faultOnly({ kind: "reaction", fault, idempotency });
  }
  for (const code of errorCodeNames) yield faultOnly({ kind: "demand", code });
}

/** Describes an uncovered cell. */
export const describeCell = ({ kind, ...parts }: CoverageCell): string =>
  `${cellClasses[kind]} was not reached: ${Object.values(parts).join(", ")}`;
