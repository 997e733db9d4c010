import type { z } from "zod";
import { responseSchemas } from "./response-schemas.gen.ts";

/** What happens when a body does not fit the contract. */
export interface ValidationOptions {
  /** `throw` refuses the answer (the default); `warn` tells `warn` and lets it pass. */
  onInvalid?: "throw" | "warn";
  /** Told what does not fit; `console.warn` by default. Never told a value, since a value may be a secret. */
  warn?: (message: string) => void;
}

const wordsFor = (issue: z.core.$ZodIssue): string => `${issue.path.join(".") || "the body"}: ${issue.code}`;

/**
 * Checks the body of every success against the contract: pass it as the SDK's `validate` option. New values of open
 * enums and new fields pass; operations without a body, or newer than this version, are not looked at.
 */
export function validateResponses(options: ValidationOptions = {}): (operationId: string, body: unknown) => void {
  // biome-ignore lint/suspicious/noConsole: the documented default
  const { onInvalid = "throw", warn = console.warn } = options;
  const schemas: Readonly<Record<string, z.ZodType>> = responseSchemas;
  return (operationId, body) => {
    const result = schemas[operationId]?.safeParse(body);
    if (!result || result.success) return;
    const message = `${operationId} does not fit the contract: ${result.error.issues.map(wordsFor).join("; ")}`;
    if (onInvalid === "throw") throw new TypeError(message);
    warn(message);
  };
}
