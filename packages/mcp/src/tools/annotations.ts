import type { OperationDescription } from "@call-transfer/spec";
import type { ToolAnnotations } from "@modelcontextprotocol/server";

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
