import { type OperationDescription, operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
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
  for (const operation of operations) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  const fixed = new Map([...byPath].filter(([path]) => !path.includes("{")));
  const open = [...byPath]
    .filter(([path]) => !fixed.has(path))
    .map(([path, here]) => ({ here, form: formOf(path) }))
    // A path that names a segment goes before one that leaves it open.
    .sort(({ here: [a] }, { here: [b] }) => (a?.pathParameters.length ?? 0) - (b?.pathParameters.length ?? 0));
  const answer = (here: readonly Operation[], method: string, params: Readonly<Record<string, string>>) => {
    const operation = here.find((one) => one.method === method);
    return operation === undefined ? { allow: here.map((one) => one.method) } : { operation, params };
  };
  return (method, path) => {
    const here = fixed.get(path);
    if (here !== undefined) return answer(here, method, {});
    for (const one of open) {
      const found = one.form.exec(path);
      if (found !== null) return answer(one.here, method, { ...found.groups });
    }
    return undefined;
  };
}

/** A path template as an expression with a group for each segment that is left open. */
function formOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
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
