import { InvalidArgumentError } from "../errors/invalid-argument-error.ts";
import { isFunction, isObject, isText } from "../utils/guards.ts";

/**
 * Values that cannot be a path segment: empty, `.` or `..`, also percent-encoded, and those with control characters or halves of
 * surrogate pairs, which cannot be encoded.
 */
const notASegment = /^(?:\.|%2e){0,2}$|[\p{Cc}\p{Cs}]/iu;

/**
 * Segments that a URL parser or a server resolves away. Some servers decode slashes first. A parameter behind `%` could
 * complete such a code.
 */
const dotSegment = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?=\/|%2f|%5c|$)|%.?\{/i;

/** Checks a path that the caller wrote, also with a query: it must stay below the base URL, as the credential goes along. */
export function checkPath(path: unknown, baseUrl: string): void {
  const isPlain =
    isText(path, /^\/(?!\/)[^\\#\s]*$/) && !notASegment.test(path) && !dotSegment.test(path.split("?")[0] ?? "");
  if (isPlain && new URL(baseUrl + path).href.startsWith(`${baseUrl}/`)) return;
  throw new InvalidArgumentError(
    "path",
    "must start with one /, such as /api/v1/roles, and must not have . or .. segments, spaces, \\, # or control characters",
  );
}

function encode(name: string, value: unknown): string {
  if (!isText(value))
    throw new InvalidArgumentError(name, `must be a string, not ${value === null ? value : typeof value}`);
  if (notASegment.test(value))
    throw new InvalidArgumentError(
      name,
      "must not be empty, . or .., nor contain control characters or lone surrogates",
    );
  return encodeURIComponent(value);
}

/** Puts path parameters into a template, percent-encoded. One that is no segment of a path is refused. */
export function expandPath(template: string, parameters: Readonly<Record<string, unknown>> = {}): string {
  const [start = "", ...parts] = template.split("{");
  let path = start;
  // A regular expression would take several times as long.
  for (const part of parts) {
    const end = part.indexOf("}");
    const name = part.slice(0, end);
    path += encode(name, parameters[name]) + part.slice(end + 1);
  }
  return path;
}

/** Serializes query parameters, without those that are undefined or null. A list becomes one parameter for each of its items. */
export function serializeQuery(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  const pairs = Object.entries(query).flatMap(([name, given]) => [given].flat().map((value) => [name, value] as const));
  for (const [name, value] of pairs) {
    if (value === undefined || value === null) continue;
    if (isObject(value) || isFunction(value) || typeof value === "symbol")
      throw new InvalidArgumentError(
        name,
        "must be a string, number, boolean or a list of them. For a time, use toISOString(). Options such as signal are the last argument.",
      );
    search.append(name, String(value));
  }
  return search.toString();
}
