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
      const isOtherMethod = operation.method !== request.method;
      const { cost, steps } = align(operation.path.split("/").slice(1), segments);
      const fixes = [...fixesOf(steps), ...(isOtherMethod ? [`use the method ${operation.method}`] : [])];
      return { operation, cost: cost + (isOtherMethod ? costs.method : 0), fix: fixes.join(", ") };
    })
    .sort((a, b) => a.cost - b.cost)
    .slice(0, maxResults)
    .map(({ operation: { id, method, path }, fix }) => ({ operationId: id, method, path, fix }));
}

/** A segment of the template, a segment of the path, or one of each at the same position. */
interface PathStep {
  readonly expected?: string;
  readonly segment?: string;
}

/** Aligns a path with a template so that the total cost of the differences is lowest. */
function align(template: readonly string[], segments: readonly string[]): { cost: number; steps: PathStep[] } {
  const memo = new Map<number, { cost: number; step?: PathStep; next?: number }>();
  const width = segments.length + 1;
  for (let cell = (template.length + 1) * width - 1; cell >= 0; cell -= 1) {
    const [expected, segment] = [template[Math.floor(cell / width)], segments[cell % width]];
    const costFrom = (next: number): number => memo.get(next)?.cost ?? 0;
    const choices = [];
    if (expected !== undefined && segment !== undefined) {
      const next = cell + width + 1;
      choices.push({ cost: substitution(expected, segment) + costFrom(next), step: { expected, segment }, next });
    }
    if (expected !== undefined)
      choices.push({ cost: 1 + costFrom(cell + width), step: { expected }, next: cell + width });
    if (segment !== undefined) {
      const cost = (segment === "" ? costs.slash : 1) + costFrom(cell + 1);
      choices.push({ cost, step: { segment }, next: cell + 1 });
    }
    memo.set(
      cell,
      choices.reduce((best, choice) => (choice.cost < best.cost ? choice : best), choices[0] ?? { cost: 0 }),
    );
  }
  const steps: PathStep[] = [];
  for (let cell = memo.get(0); cell?.step !== undefined; cell = memo.get(cell.next ?? -1)) steps.push(cell.step);
  return { cost: memo.get(0)?.cost ?? 0, steps };
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

/** Returns the fixes; adjacent differences of the same kind share one. */
function fixesOf(steps: readonly PathStep[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < steps.length; ) {
    const kind = kindOf(steps[index] ?? {});
    let end = index + 1;
    // Replaced segments are fixed one by one.
    if (kind !== "both") while (end < steps.length && kindOf(steps[end] ?? {}) === kind) end += 1;
    found.push(...fixOf(steps.slice(index, end), kind, { isFirst: index === 0, isLast: end === steps.length }));
    index = end;
  }
  return found;
}

function kindOf({ expected, segment }: PathStep): "both" | "missing" | "extra" {
  if (segment === undefined) return "missing";
  return expected === undefined ? "extra" : "both";
}

function fixOf(
  steps: readonly PathStep[],
  kind: ReturnType<typeof kindOf>,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string[] {
  const expected = steps.map((step) => step.expected).join("/");
  const segment = steps.map((step) => step.segment).join("/");
  if (kind === "missing") return [isFirst ? `start the path with /${expected}` : `add ${expected}`];
  if (kind === "extra") {
    if (segment === "") return [isLast ? "remove the trailing slash" : "remove the empty segment"];
    const [sandbox] = /^_sandbox\/[^/]+/.exec(segment) ?? [];
    return [sandbox === undefined ? `remove ${segment}` : `put /${sandbox} before /api/v1`];
  }
  if (segment === "") return [`fill in ${expected}`];
  return isParameter(expected) || expected === segment ? [] : [`replace ${segment} with ${expected}`];
}
