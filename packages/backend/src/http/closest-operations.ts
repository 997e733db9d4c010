import type { OperationDescription } from "@call-transfer/spec";
import { editsBetween, mostEdits } from "../model/spelling.ts";
import { isUuid } from "../model/uuid.ts";

/** An operation that a request nearly met, and what was missing. */
export interface NearMiss {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly why: string;
}

type Named = Pick<OperationDescription, "id" | "method" | "path">;

const mostShown = 3;
/** Longer paths are compared by their beginning. */
const mostSegments = 32;
/** What a mistake costs, in segments that are missing or too many. Two segments that are unlike cost less than both of these. */
const costs = { method: 0.5, notAnId: 0.25, misspelt: 0.5, unlike: 1.5, slash: 0.5 };

/** The operations that come nearest to a request that met none, nearest first. */
export function nearMisses(
  operations: readonly Named[],
  request: { readonly method: string; readonly path: string },
): readonly NearMiss[] {
  const wanted = request.path.split("/").slice(1, mostSegments);
  return operations
    .map((operation) => {
      const isOtherMethod = operation.method !== request.method;
      const { cost, steps } = align(operation.path.split("/").slice(1), wanted);
      const why = [...reasons(steps), ...(isOtherMethod ? [`the method is ${operation.method}`] : [])].join(", ");
      return { operation, cost: cost + (isOtherMethod ? costs.method : 0), why };
    })
    .sort((a, b) => a.cost - b.cost)
    .slice(0, mostShown)
    .map(({ operation: { id, method, path }, why }) => ({ operationId: id, method, path, why }));
}

/** A segment of the template, of the path, or one of each that stand at the same place. */
interface PathStep {
  readonly expected?: string;
  readonly segment?: string;
}

/** Lays a path over a template, whole over whole, so that the mistakes between them cost least. */
function align(template: readonly string[], wanted: readonly string[]): { cost: number; steps: PathStep[] } {
  const memo = new Map<number, { cost: number; step?: PathStep; next?: number }>();
  const width = wanted.length + 1;
  for (let at = (template.length + 1) * width - 1; at >= 0; at -= 1) {
    const [expected, segment] = [template[Math.floor(at / width)], wanted[at % width]];
    const costFrom = (next: number): number => memo.get(next)?.cost ?? 0;
    const choices = [];
    if (expected !== undefined && segment !== undefined) {
      const next = at + width + 1;
      choices.push({ cost: substitution(expected, segment) + costFrom(next), step: { expected, segment }, next });
    }
    if (expected !== undefined) choices.push({ cost: 1 + costFrom(at + width), step: { expected }, next: at + width });
    if (segment !== undefined) {
      const cost = (segment === "" ? costs.slash : 1) + costFrom(at + 1);
      choices.push({ cost, step: { segment }, next: at + 1 });
    }
    memo.set(
      at,
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
  if (segment === "") return isParameter(expected) ? costs.misspelt : costs.unlike;
  if (isParameter(expected)) return isUuid(segment) ? 0 : costs.notAnId;
  if (expected === segment) return 0;
  return isAlike(expected, segment.toLowerCase()) ? costs.misspelt : costs.unlike;
}

/** Whether a segment is a misspelling or another form of a word, such as its plural or a part of it. */
function isAlike(expected: string, segment: string): boolean {
  const isPart = segment.length > 2 && (expected.includes(segment) || segment.includes(expected));
  const most = mostEdits(expected);
  const isNear = Math.abs(expected.length - segment.length) <= most && editsBetween(segment, expected) <= most;
  return expected === segment || isPart || isNear;
}

/** Says what is wrong, one reason for neighbours of the same kind. */
function reasons(steps: readonly PathStep[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < steps.length; ) {
    const step = steps[index] ?? {};
    const kind = kindOf(step);
    let end = index + 1;
    // Replaced segments are named pair by pair.
    if (kind !== "both") while (end < steps.length && kindOf(steps[end] ?? {}) === kind) end += 1;
    found.push(...reason(steps.slice(index, end), kind, { isFirst: index === 0, isLast: end === steps.length }));
    index = end;
  }
  return found;
}

function kindOf({ expected, segment }: PathStep): "both" | "missing" | "extra" {
  if (segment === undefined) return "missing";
  return expected === undefined ? "extra" : "both";
}

function reason(
  steps: readonly PathStep[],
  kind: ReturnType<typeof kindOf>,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string[] {
  const expected = steps.map((step) => step.expected).join("/");
  const segment = steps.map((step) => step.segment).join("/");
  if (kind === "missing")
    return [
      isFirst ? `the path starts with ${expected}` : isLast ? "the path ends too early" : `${expected} is missing`,
    ];
  if (kind === "extra") {
    if (segment === "") return [isLast ? "there is no slash at the end" : "there is no empty segment"];
    const [sandbox] = /^_sandbox\/[^/]+/.exec(segment) ?? [];
    return [sandbox === undefined ? `there is no ${segment}` : `/${sandbox} comes before api/v1`];
  }
  if (segment === "") return [`${expected} is empty`];
  return isParameter(expected) || expected === segment ? [] : [`${segment} is ${expected}`];
}
