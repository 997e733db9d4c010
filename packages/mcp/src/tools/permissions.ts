// The operations that a server offers for a real platform. On a mock, everything is allowed.
import type { OperationDescription } from "@call-transfer/spec";

/** Permissions on a real platform besides reading. */
export interface Permissions {
  /** Calls may be placed. */
  readonly calls: boolean;
  /** Anything else may be changed. */
  readonly changes: boolean;
  /** There is a place for new secrets, which an assistant must not see. */
  readonly secrets: boolean;
}

/** The permissions of a mock. */
export const everything: Permissions = { calls: true, changes: true, secrets: true };

type Facts = Pick<OperationDescription, "method" | "scope">;

/** Tells whether an operation places a call. */
export const placesCalls = ({ method, scope }: Facts): boolean => method !== "GET" && scope.startsWith("calls:");

/**
 * Lists the options that a server lacks to offer an operation: those of the command, and in brackets those of
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
