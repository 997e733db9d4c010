import { limits } from "@call-transfer/spec";
import type { AskedHeaders } from "./transport.ts";

const replacement = "[redacted]";
const secretName =
  /(?:secrets?|tokens?|passwords?|(?:api|secret|private|access)[-_]?keys?|credentials?|authorization|cookies?|signature)$|^keys?$/i;
/** An API key (§5.1) or an access token, wherever it stands. */
const credential = new RegExp(`${limits.apiKeyPrefix}[\\w-]+|\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*`, "g");

/** Text without credentials. */
export const withoutCredentials = (text: string): string => text.replace(credential, replacement);

/** A copy in which every field with a secret's name has lost its value, and every text the credentials in it. */
export function redacted(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      // A flag or null under such a name says nothing, and what it says helps.
      secretName.test(name) && (typeof value === "string" || (typeof value === "object" && value !== null))
        ? replacement
        : redactedValue(value),
    ]),
  );
}

/** Headers by name; of a credential only its scheme is left. */
export function redactedHeaders(headers: AskedHeaders): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (!secretName.test(name)) return [name, withoutCredentials(value)];
      const scheme = /^(?:Bearer|Basic)(?= )/i.exec(value);
      return [name, scheme === null ? replacement : `${scheme[0]} ${replacement}`];
    }),
  );
}

function redactedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactedValue);
  if (typeof value === "string") return withoutCredentials(value);
  return typeof value === "object" && value !== null ? redacted(Object.fromEntries(Object.entries(value))) : value;
}
