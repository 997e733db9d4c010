import { excerpt, redact } from "../utils/redact.ts";
import type { Call } from "./call.ts";

/** Where the client writes: any `console`-shaped object. It is never handed headers, bodies or secrets. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Tells once per operation that the server means to change or remove it. */
export function noticeDeprecation(headers: Headers, { operationId, log, noticed, tokens }: Call): void {
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  if ((deprecation === null && sunset === null) || noticed.has(operationId)) return;
  const told = [
    deprecation !== null && ` is deprecated (${deprecation})`,
    sunset !== null && ` will stop working on ${sunset}`,
  ].filter(Boolean);
  log("warn", () => {
    // Only here, where somebody listens: copies of a client share what was told.
    noticed.add(operationId);
    return excerpt(redact(`${operationId}${told.join(" and")}`, tokens));
  });
}
