import type * as z from "zod";
import { responseSchemas } from "./response-schemas.gen.ts";

/** Options of `validateResponses`. */
export interface ValidationOptions {
  /** `throw` (the default) rejects the response; `warn` calls `warn` and accepts it. */
  onInvalid?: "throw" | "warn";
  /** Receives the failing fields, never their values; `console.warn` by default. */
  warn?: (message: string) => void;
}

const formatIssue = (issue: z.core.$ZodIssue): string => `${issue.path.join(".") || "the body"}: ${issue.code}`;

/**
 * Creates a check of successful responses against the OpenAPI document, for the SDK's `validate` option. Accepts new
 * fields and new values of open enums. Ignores operations without a body and operations newer than this version.
 *
 * @throws {TypeError} From the returned function: a body does not match its schema, and `onInvalid` is `throw`.
 */
export function validateResponses(options: ValidationOptions = {}): (operationId: string, body: unknown) => void {
  // biome-ignore lint/suspicious/noConsole: the documented default
  const { onInvalid = "throw", warn = console.warn } = options;
  const schemas: Readonly<Record<string, z.ZodType>> = responseSchemas;
  return (operationId, body) => {
    const result = schemas[operationId]?.safeParse(body);
    if (!result || result.success) return;
    const message = `${operationId} does not match the API description: ${result.error.issues.map(formatIssue).join("; ")}`;
    if (onInvalid === "throw") throw new TypeError(message);
    warn(message);
  };
}
