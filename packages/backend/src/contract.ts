import { type OperationDescription, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { TrieRouter } from "hono/router/trie-router";
import type { RequestSchema } from "./validate.ts";

/** What a path leads to: an operation, or the methods that the path allows. */
export type Match<Operation = OperationDescription> =
  | { readonly operation: Operation; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] };

/** What a path needs to be routed by. */
interface Routed {
  readonly method: string;
  /** With `{name}` where a segment is left open. */
  readonly path: string;
  readonly pathParameters: readonly string[];
}

/** Makes the look-up of a table's paths; undefined stands for an unknown path. */
export function createRouter<Operation extends Routed>(
  operations: readonly Operation[],
): (method: string, path: string) => Match<Operation> | undefined {
  const router = new TrieRouter<Operation>();
  // A path that names a segment goes before one that leaves it open.
  const ordered = operations.toSorted((a, b) => a.pathParameters.length - b.pathParameters.length);
  for (const operation of ordered) router.add("ALL", operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), operation);
  return (method, path) => {
    const [found] = router.match("ALL", path);
    const [first] = found;
    if (first === undefined) return undefined;
    const samePath = found.filter(([operation]) => operation.path === first[0].path);
    const [hit] = samePath.filter(([operation]) => operation.method === method);
    if (hit === undefined) return { allow: samePath.map(([operation]) => operation.method) };
    return { operation: hit[0], params: hit[1] as Readonly<Record<string, string>> };
  };
}

/** The operations that a backend answers, ready for look-up. Has no state, so that all backends share one. */
export interface Contract {
  readonly schemas: Readonly<Record<string, RequestSchema>>;
  readonly operations: readonly OperationDescription[];
  knows(operationId: string): boolean;
  /** The operation of a method and path, or the methods that the path allows; undefined for an unknown path. */
  match(method: string, path: string): Match | undefined;
}

/** Makes a contract of any table of operations; one without a schema takes any input. */
export function createContract(
  table: Readonly<Record<string, OperationDescription>>,
  schemas: Readonly<Record<string, RequestSchema>>,
): Contract {
  const all = Object.values(table);
  return {
    schemas,
    operations: all,
    knows: (operationId) => Object.hasOwn(table, operationId),
    match: createRouter(all),
  };
}

/** The contract of the specification. */
export const callTransferContract: Contract = createContract(operations, requestSchemas);
