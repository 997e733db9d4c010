/** Segments that a URL parser resolves away, however their dots are written. */
const dotSegment = /^(?:\.|%2e){1,2}$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an id with a control character is what is refused
const controlCharacter = /[\u0000-\u001f\u007f]/;

function encode(name: string, value: unknown): string {
  if (typeof value !== "string")
    throw new TypeError(`${name} must be a string, not ${value === null ? "null" : typeof value}`);
  if (value === "") throw new TypeError(`${name} must not be empty`);
  if (dotSegment.test(value)) throw new TypeError(`${name} must not be . or ..: another path would be called`);
  if (controlCharacter.test(value)) throw new TypeError(`${name} must not hold control characters`);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new TypeError(`${name} must be well-formed text: it holds half of a surrogate pair`);
  }
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
    if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") {
      const mend = value instanceof Date ? "; for a time use toISOString()" : "";
      throw new TypeError(`${name} must be a string, number or boolean${mend}`);
    }
    search.append(name, String(value));
  }
  return search.toString();
}
