import { excerpt, redact } from "../utils/redact.ts";
import type { Call } from "./call.ts";

/** Logs once per operation that the server will change or remove it. */
export function logDeprecation(headers: Headers, { operationId, settings, tokens }: Call): void {
  const { log, loggedDeprecations } = settings;
  const [deprecation, sunset] = [headers.get("deprecation"), headers.get("sunset")];
  if ((deprecation === null && sunset === null) || loggedDeprecations.has(operationId)) return;
  const notices = [
    deprecation !== null && ` is deprecated (${deprecation})`,
    sunset !== null && ` will stop working on ${sunset}`,
  ].filter(Boolean);
  log("warn", () => {
    // Only where a logger receives it: copies of a client share this record.
    loggedDeprecations.add(operationId);
    return excerpt(redact(`${operationId}${notices.join(" and")}`, tokens));
  });
}
