import { redact } from "./redact.ts";
import type { Call } from "./send.ts";

/** Where the client writes: any `console`-shaped object. It is never handed headers, bodies or secrets. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Tells once per operation that the server means to change or remove it. */
export function noticeDeprecation(headers: Headers, { operation, settings, tokens }: Call): void {
  const { logger, noticed } = settings;
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  if (!logger || (deprecation === null && sunset === null) || noticed.has(operation.id)) return;
  noticed.add(operation.id);
  const since = deprecation === null ? "" : ` is deprecated (${deprecation})`;
  const until = sunset === null ? "" : `${since ? " and" : ""} will stop working on ${sunset}`;
  logger.warn(redact(`call-transfer: ${operation.id}${since}${until}`, tokens));
}
