import { isFunction, isObject, isText } from "./guards.ts";

/** What is no segment of its own: nothing, and dots that a URL parser resolves away, however they are written. */
const noSegment = /^(?:\.|%2e){0,2}$/i;
/** Control characters, and halves of surrogate pairs, which have no encoding. */
const unsafe = /[\p{Cc}\p{Cs}]/u;

function encode(name: string, value: unknown): string {
  if (!isText(value)) throw new TypeError(`${name} must be a string, not ${value === null ? value : typeof value}`);
  if (noSegment.test(value) || unsafe.test(value)) {
    throw new TypeError(`${name} must not be empty, . or .., nor hold control characters or half a character`);
  }
  return encodeURIComponent(value);
}

/**
 * Puts path parameters into a template such as `/api/v1/transfers/members/{memberId}/hours`, percent-encoded.
 *
 * @throws {TypeError} for a value that is missing, no string, empty, `.`, `..`, or holds control characters.
 */
export function expandPath(template: string, parameters: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => encode(name, parameters[name]));
}

/**
 * Writes query parameters. Those that are undefined or null are left out.
 *
 * @throws {TypeError} for a value that is neither text, number nor boolean, such as a `Date`.
 */
export function serializeQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (isObject(value) || isFunction(value) || typeof value === "symbol") {
      throw new TypeError(`${name} must be a string, number or boolean; for a time use toISOString()`);
    }
    search.append(name, String(value));
  }
  return search.toString();
}
