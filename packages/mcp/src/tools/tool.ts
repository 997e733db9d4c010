import type { DocumentedOperation, JsonObject, RequestParts } from "@call-transfer/backend/unstable";
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";

/** A tool before it is registered. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | undefined;
  readonly annotations: ToolAnnotations;
  /** Calls the tool with arguments that fit the input schema. Failures are results, not exceptions. */
  call(given: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
}

/** The name of a tool: `create_call` for the operation `createCall`. */
export const toolName = (operationId: string): string =>
  operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The input schema of a tool without arguments. */
export const withoutArguments: JsonObject = { type: "object", properties: {}, additionalProperties: false };

/** The most levels of an answer that is shown. Writing more as JSON may exceed the stack. */
export const mostLevels = 64;

/** Whether a value nests deeper than an answer that is shown. */
export const isTooDeep = (value: unknown, levels: number = mostLevels): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1)));

/** A result with data, as structured content and as text for clients that read text only. */
export const dataResult = (data: JsonObject): CallToolResult => ({
  structuredContent: { ...data },
  content: [{ type: "text", text: JSON.stringify(data, null, 2) }],
});

/** A result without data. */
export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

/** A failure. */
export const failureResult = (lines: readonly string[]): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: lines.join("\n") }],
});

/** A mock's control plane. */
export interface ControlPlane {
  /** Its operations, as the mock describes them. */
  readonly operations: ReadonlyMap<string, DocumentedOperation>;
  /**
   * Calls an operation. Returns undefined where the answer has no body.
   *
   * @throws The mock refused the request or did not answer.
   */
  call(operation: DocumentedOperation, parts: Partial<RequestParts>, signal?: AbortSignal): Promise<unknown>;
}
