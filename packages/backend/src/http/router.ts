import { type OperationDescription, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { formOf } from "../utils/documented-operations.ts";
import type { RequestSchema } from "./validate.ts";

/** The result of routing a known path: the operation, or the allowed methods if the method does not match. */
export type Match<Operation = OperationDescription> =
  | { readonly operation: Operation; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] };

/** The properties of an operation that routing uses. */
interface Route {
  readonly method: string;
  /** The path template, with `{name}` for each path parameter. */
  readonly path: string;
  /** Their names, in the order of the path. */
  readonly pathParameters: readonly string[];
}

/** Creates a function that finds the operation of a method and path; it returns undefined for an unknown path. */
export function createRouter<Operation extends Route>(
  operations: readonly Operation[],
): (method: string, path: string) => Match<Operation> | undefined {
  const byPath = new Map<string, Operation[]>();
  // Literal segments take precedence over path parameters.
  for (const operation of operations.toSorted((a, b) => a.pathParameters.length - b.pathParameters.length)) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  const routes = [...byPath].map(([path, candidates]) => ({ form: formOf(path), candidates }));
  const withParameters = routes.filter(({ candidates }) => candidates.some((one) => one.pathParameters.length > 0));
  return (method, path) => {
    const exact = byPath.get(path);
    if (exact !== undefined && !path.includes("{")) return matchOf(method, exact, []);
    for (const { form, candidates } of withParameters) {
      const found = form.exec(path);
      if (found !== null) return matchOf(method, candidates, found);
    }
    return undefined;
  };
}

/** The method whose operation answers: that of GET answers HEAD too, and the body is not sent (RFC 9110, 9.3.2). */
export const servedMethod = (method: string): string => (method === "HEAD" ? "GET" : method);

/** The operation of a method among those of a path. `values` are those of the path's parameters, from the second on. */
function matchOf<Operation extends Route>(
  method: string,
  candidates: readonly Operation[],
  values: readonly string[],
): Match<Operation> {
  const operation = candidates.find((candidate) => candidate.method === servedMethod(method));
  if (operation === undefined)
    return {
      allow: candidates.flatMap((candidate) => (candidate.method === "GET" ? ["GET", "HEAD"] : candidate.method)),
    };
  const params: [string, string][] = operation.pathParameters.map((name, index) => [name, values[index + 1] ?? ""]);
  return { operation, params: Object.fromEntries(params) };
}

/** The operations of an API with their request schemas and routes. Stateless, so all backends share one. */
export interface OperationTable {
  readonly schemas: Readonly<Record<string, RequestSchema>>;
  readonly operations: readonly OperationDescription[];
  /** Finds the operation of a method and path, or the allowed methods of the path; undefined for an unknown path. */
  match(method: string, path: string): Match | undefined;
}

/** Creates an operation table; an operation without a schema accepts any input. */
export function createOperationTable(
  descriptions: Readonly<Record<string, OperationDescription>>,
  schemas: Readonly<Record<string, RequestSchema>>,
): OperationTable {
  const all = Object.values(descriptions);
  return {
    schemas,
    operations: all,
    match: createRouter(all),
  };
}

export const callTransferOperations: OperationTable = createOperationTable(operations, requestSchemas);
