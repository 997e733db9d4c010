import { type OperationDescription, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import { METHOD_NAME_ALL } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
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
  const byPath = new Map<string, Operation[]>();
  // A path that names a segment goes before one that leaves it open.
  for (const operation of operations.toSorted((a, b) => a.pathParameters.length - b.pathParameters.length)) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  const router = new SmartRouter<readonly Operation[]>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const [path, here] of byPath) router.add(METHOD_NAME_ALL, path.replaceAll(/\{(\w+)\}/g, ":$1"), here);
  return (method, path) => {
    const [[first], values] = router.match(METHOD_NAME_ALL, path);
    if (first === undefined) return undefined;
    const [here, names] = first;
    const operation = here.find((one) => one.method === method);
    if (operation === undefined) return { allow: here.map((one) => one.method) };
    const params: Record<string, string> = {};
    // One of the routers gives the values themselves, the other their places.
    for (const name of operation.pathParameters) params[name] = values?.[Number(names[name])] ?? String(names[name]);
    return { operation, params };
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
