import type { OperationDescription } from "@call-transfer/spec";

/** An operation that a request nearly met, and what was missing. */
export interface NearMiss {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly why: string;
}

const mostShown = 3;
/** What a wrong method costs, in wrong segments. */
const methodCost = 0.5;

/** The operations that come nearest to a request that met none, nearest first. */
export function nearMisses(
  operations: readonly OperationDescription[],
  request: { readonly method: string; readonly path: string },
): readonly NearMiss[] {
  const wanted = request.path.split("/").filter(Boolean);
  return operations
    .map((operation) => {
      const { wrong, why } = compare(operation.path.split("/").filter(Boolean), wanted);
      const isOtherMethod = operation.method !== request.method;
      const reasons = [...why, ...(isOtherMethod ? [`the method is ${operation.method}`] : [])];
      return { operation, cost: wrong + (isOtherMethod ? methodCost : 0), why: reasons.join(", ") };
    })
    .sort((a, b) => a.cost - b.cost)
    .slice(0, mostShown)
    .map(({ operation: { id, method, path }, why }) => ({ operationId: id, method, path, why }));
}

/** Counts the segments that differ, where the path is laid over the template's end so that a lost prefix costs once. */
function compare(template: readonly string[], wanted: readonly string[]): { wrong: number; why: string[] } {
  const missing = template.length - wanted.length;
  const shifts = [0, missing];
  const results = shifts.map((shift) => {
    const why: string[] = [];
    for (const [index, segment] of wanted.entries()) {
      const expected = template[index + shift];
      if (expected === undefined) why.push(`there is no ${segment}`);
      else if (!expected.startsWith("{") && expected !== segment) why.push(`${segment} is ${expected}`);
    }
    if (missing > 0)
      why.push(
        shift === 0 ? "the path ends too early" : `the path starts with ${template.slice(0, missing).join("/")}`,
      );
    return { wrong: why.length, why };
  });
  return results.reduce((best, result) => (result.wrong < best.wrong ? result : best));
}
