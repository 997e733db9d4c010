import type { Schema } from "@call-transfer/backend/control-client";
import type { CodeGroups } from "./step-field.tsx";

type OperationCodes = Pick<Schema<"Coverage">["operations"][number], "operationId" | "codes">;

/**
 * The documented error codes: those of one operation, then all others. Without an operation those that all operations have,
 * then the others of each operation.
 */
export function codeGroups(operations: readonly OperationCodes[], operationId: string | undefined): CodeGroups {
  const codesOf = (operation: OperationCodes) =>
    operation.codes.filter(({ documented }) => documented).map(({ code }) => code);
  const all = [...new Set(operations.flatMap(codesOf))].sort();
  const own = operations.find((operation) => operation.operationId === operationId);
  if (own !== undefined) {
    const ownCodes = codesOf(own);
    return nonEmpty([
      [`Codes of ${own.operationId}`, ownCodes],
      ["Codes of other operations", all.filter((code) => !ownCodes.includes(code))],
    ]);
  }
  const common = all.filter((code) => operations.every((operation) => codesOf(operation).includes(code)));
  return nonEmpty([
    ["Codes of every operation", common],
    ...operations.map(
      (operation) =>
        [`Codes of ${operation.operationId}`, codesOf(operation).filter((code) => !common.includes(code))] as const,
    ),
  ]);
}

const nonEmpty = (groups: CodeGroups): CodeGroups => groups.filter(([, codes]) => codes.length > 0);
