import { type OperationDescription, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { METHOD_NAME_ALL } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
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
  const router = new SmartRouter<readonly Operation[]>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const [path, candidates] of byPath)
    router.add(METHOD_NAME_ALL, path.replaceAll(/\{(\w+)\}/g, ":$1"), candidates);
  return (method, path) => {
    const [[first], values] = router.match(METHOD_NAME_ALL, path);
    if (first === undefined) return undefined;
    const [candidates, names] = first;
    const operation = candidates.find((candidate) => candidate.method === method);
    if (operation === undefined) return { allow: candidates.map((candidate) => candidate.method) };
    const params: Record<string, string> = {};
    // RegExpRouter returns indexes into `values`, TrieRouter the values themselves.
    for (const name of operation.pathParameters) params[name] = values?.[Number(names[name])] ?? String(names[name]);
    return { operation, params };
  };
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

/** The operations of the specification. */
export const callTransferOperations: OperationTable = createOperationTable(operations, requestSchemas);
