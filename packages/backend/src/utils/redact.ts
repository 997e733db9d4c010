import { limits } from "@call-transfer/spec";
import { maskNumbers } from "./text.ts";
import { isObject } from "./values.ts";

/** Stands for a secret. */
export const replacement = "[redacted]";
const secretName =
  /(?:secrets?|tokens?|passwords?|(?:api|secret|private|access)[-_]?keys?|credentials?|authorization|cookies?|signature)$|^keys?$/i;
/** Matches an API key (§5.1) or an access token anywhere in a text. */
const credential = new RegExp(`${limits.apiKeyPrefix}[\\w-]+|\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*`, "g");

/** Replaces the credentials in a text. */
export const withoutCredentials = (text: string): string => text.replace(credential, replacement);

/** Matches each text that has a credential or a phone number, and few others, such as paths without either. */
const suspect = new RegExp(`[+%]|eyJ|${limits.apiKeyPrefix}`);

/** Cleans a text for a log: replaces credentials, and masks phone numbers. */
export const forLog = (text: string): string => (suspect.test(text) ? maskNumbers(withoutCredentials(text)) : text);

/** Copies a record for a log: without secrets, and with phone numbers masked. */
export const recordForLog = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.parse(maskNumbers(JSON.stringify(redacted(fields))));

/** Copies a record without secrets: replaces the value of every field whose name suggests a secret, and credentials in texts. */
export function redacted(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      // Flags, numbers and null reveal nothing and help in debugging.
      secretName.test(name) && (typeof value === "string" || isObject(value))
        ? replacement
        : redactedValue(value, name),
    ]),
  );
}

/** A field of JSON whose value is a text, also one that is cut off. */
const jsonText = /"([^"\\]{1,64})"\s*:\s*"(?:[^"\\]|\\.)*(?:"|\\?$)/g;

/** A body without secrets; as it was sent if it has none. */
export function redactedText(body: string): string {
  try {
    const sent: unknown = JSON.parse(body);
    const shown = redacted({ sent }).sent;
    return JSON.stringify(shown) === JSON.stringify(sent) ? body : JSON.stringify(shown);
  } catch {
    // Such as JSON that was cut off.
    return withoutCredentials(body).replace(jsonText, (part, name: string) =>
      secretName.test(name) ? `"${name}":"${replacement}"` : part,
    );
  }
}

/** Shorter secrets are in too many texts by chance. */
const shortestSecret = 6;

/** The texts of a JSON value that {@link redacted} replaces because of their names; of a credential in a header also without its scheme. */
export function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === "string")
    return isSecret
      ? [value, value.replace(/^(?:Bearer|Basic) /i, "")].filter((text) => text.length >= shortestSecret)
      : [];
  if (!isObject(value)) return [];
  const isNamed = !Array.isArray(value);
  return Object.entries(value).flatMap(([name, part]) =>
    secretsIn(part, isSecret || (isNamed && secretName.test(name))),
  );
}

/** Replaces texts wherever a JSON value has them. */
export const withoutTexts = (texts: readonly string[], value: unknown): unknown =>
  texts.length === 0
    ? value
    : JSON.parse(
        texts.reduce(
          (json, text) => json.replaceAll(JSON.stringify(text).slice(1, -1), replacement),
          JSON.stringify(value),
        ),
      );

/** Whether a JSON value has a field, at any depth, whose name suggests a secret and whose value is a text. */
export function hasSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSecret);
  if (typeof value !== "object" || value === null) return false;
  // Without a list of the names: every response comes by here.
  for (const name in value) {
    const part: unknown = Reflect.get(value, name);
    if (typeof part === "string" ? isSecretName(name) : hasSecret(part)) return true;
  }
  return false;
}

/** Names of fields, and whether they suggest a secret. The responses of the API have a few dozen names. */
const knownNames = new Map<string, boolean>();
const [maxKnownNames, longestKnownName] = [1000, 64];

function isSecretName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isSecret = secretName.test(name);
  if (name.length > longestKnownName) return isSecret;
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  knownNames.set(name, isSecret);
  return isSecret;
}

/** Returns the headers by name in lower case; of a credential only its scheme stays. */
export function redactedHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      const lowerCase = name.toLowerCase();
      if (!secretName.test(name)) return [lowerCase, forLog(value)];
      const scheme = /^(?:Bearer|Basic)(?= )/i.exec(value);
      return [lowerCase, scheme === null ? replacement : `${scheme[0]} ${replacement}`];
    }),
  );
}

/** An address without user and password, and with its query replaced. */
export function redactedAddress(address: unknown): unknown {
  if (typeof address !== "string" || !URL.canParse(address)) return address;
  const { username, password, search, origin, pathname } = new URL(address);
  if (username === "" && password === "" && search === "") return address;
  return `${origin}${pathname}${search === "" ? "" : `?${replacement}`}`;
}

function redactedValue(value: unknown, name?: string): unknown {
  // Addresses of a fault, whose queries are secrets of receivers.
  if (name === "copyTo" && Array.isArray(value)) return value.map(redactedAddress);
  if (Array.isArray(value)) return value.map((one) => redactedValue(one));
  if (typeof value === "string") return withoutCredentials(value);
  return isObject(value) ? redacted(value) : value;
}
