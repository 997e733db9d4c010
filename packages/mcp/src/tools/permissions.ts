// What an operation does, and what a server for a real platform needs to offer it. On a mock, everything is allowed.

import type { JsonObject } from "@call-transfer/backend/unstable";
import type { OperationDescription } from "@call-transfer/spec";
import type { ToolAnnotations } from "@modelcontextprotocol/server";

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

/**
 * Hints about an operation, from its method and its retry class together. The class alone is not enough: removing a member's
 * hours may be repeated safely, but is no reading. Nor is the method: of two POSTs, one creates a group, whose name is unique,
 * and the other places a call, which nothing can undo.
 *
 * @param isMock Whether no real platform is reached.
 */
export function annotationsOf(
  { summary, method, idempotency }: Pick<OperationDescription, "summary" | "method" | "idempotency">,
  isMock: boolean,
): ToolAnnotations {
  const isReading = method === "GET" && idempotency === "idempotent";
  const isAdding = method === "POST" && idempotency === "conflict_safe";
  return {
    title: summary,
    readOnlyHint: isReading,
    destructiveHint: !isReading && !isAdding,
    idempotentHint: idempotency !== "non_idempotent",
    openWorldHint: !isMock,
  };
}

/**
 * Fields of schemas that the document shows for one operation only (`x-returned-by`), which are secrets that it creates.
 */
export function secretFieldsIn(document: JsonObject, operationId: string): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      const shownBy: unknown = Object(child)["x-returned-by"];
      if (Array.isArray(shownBy) && shownBy.includes(operationId)) found.add(name);
      visit(child);
    }
  };
  visit(document.components);
  return [...found];
}
