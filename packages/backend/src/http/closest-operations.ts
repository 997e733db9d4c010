import type { OperationDescription } from "@call-transfer/spec";
import type { ClosestOperation } from "../generated/models.gen.ts";
import { isUuid } from "../utils/ids.ts";
import { editsBetween, mostEdits } from "../utils/text.ts";

type Named = Pick<OperationDescription, "id" | "method" | "path">;

const maxResults = 3;
/** Longer paths are compared by their first segments. */
const maxSegments = 32;
/**
 * The cost of each mistake; a missing or extra segment costs 1. Replacing a segment by an unrelated one costs less than
 * removing one and adding the other.
 */
const costs = { method: 0.5, notAnId: 0.25, misspelled: 0.5, unrelated: 1.5, slash: 0.5 };

/** Returns the operations that an unmatched request resembles most, closest first. */
export function closestOperations(
  operations: readonly Named[],
  request: { readonly method: string; readonly path: string },
): readonly ClosestOperation[] {
  const segments = request.path.split("/").slice(1, maxSegments);
  return operations
    .map((operation) => {
      const cost = costBetween(operation.path.split("/").slice(1), segments);
      return { operation, cost: cost + (operation.method === request.method ? 0 : costs.method) };
    })
    .sort((a, b) => a.cost - b.cost)
    .slice(0, maxResults)
    .map(({ operation: { id, method, path } }) => ({ operationId: id, method, path }));
}

/** The lowest cost of the differences between a template and a path. */
function costBetween(template: readonly string[], segments: readonly string[]): number {
  const extra = segments.map((segment) => (segment === "" ? costs.slash : 1));
  let row = [0];
  for (const cost of extra) row.push((row.at(-1) ?? 0) + cost);
  for (const expected of template) {
    const next = [(row[0] ?? 0) + 1];
    for (const [at, segment] of segments.entries()) {
      const [replaced = 0, missing = 0, left = 0] = [row[at], row[at + 1], next[at]];
      next.push(Math.min(replaced + substitution(expected, segment), missing + 1, left + (extra[at] ?? 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function substitution(expected: string, segment: string): number {
  if (segment === "") return isParameter(expected) ? costs.misspelled : costs.unrelated;
  if (isParameter(expected)) return isUuid(segment) ? 0 : costs.notAnId;
  if (expected === segment) return 0;
  return isSimilar(expected, segment.toLowerCase()) ? costs.misspelled : costs.unrelated;
}

/** Whether a segment is a misspelling, a part or another form of a word, such as its plural. */
function isSimilar(expected: string, segment: string): boolean {
  const isPart = segment.length > 2 && (expected.includes(segment) || segment.includes(expected));
  const limit = mostEdits(expected);
  const isMisspelling = Math.abs(expected.length - segment.length) <= limit && editsBetween(segment, expected) <= limit;
  return isPart || isMisspelling;
}
