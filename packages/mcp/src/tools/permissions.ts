// Which operations a server offers for a real platform. On a mock, everything is allowed.
import type { OperationDescription } from "@call-transfer/spec";

/** What may be done on a real platform besides reading. */
export interface Permissions {
  /** Whether calls may be placed. */
  readonly calls: boolean;
  /** Whether anything else may be changed. */
  readonly changes: boolean;
  /** Whether there is a place for new secrets, which an assistant must not see. */
  readonly secrets: boolean;
}

/** The permissions of a mock. */
export const everything: Permissions = { calls: true, changes: true, secrets: true };

type Facts = Pick<OperationDescription, "method" | "scope">;

/** Whether an operation places a call. */
export const placesCalls = ({ method, scope }: Facts): boolean => method !== "GET" && scope.startsWith("calls:");

/**
 * What must be given to the server before it offers an operation: options of the command, and in brackets those of
 * `createMcpServer`. Empty if the operation is offered.
 *
 * @param returnsSecret Whether the operation returns a new secret.
 */
export function missingPermissions(operation: Facts, returnsSecret: boolean, permissions: Permissions): string[] {
  if (operation.method === "GET") return [];
  if (placesCalls(operation)) return permissions.calls ? [] : ["--allow-calls (allowCalls: true)"];
  return [
    ...(permissions.changes ? [] : ["--allow-changes (allowChanges: true)"]),
    ...(returnsSecret && !permissions.secrets ? ["--secret-file FILE (saveSecret)"] : []),
  ];
}
