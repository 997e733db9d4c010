// Paths: the operation of one, its parameters and its query.
import { InvalidArgumentError } from "../errors/base.ts";
import { type OperationFacts, operationFacts } from "../generated/operations.gen.ts";
import { isFunction, isObject, isText } from "../utils/guards.ts";
import { maskNumbers } from "../utils/redact.ts";

/** How to send a request, and its path template. */
export interface Operation extends OperationFacts {
  /** The path template; for an operation that this SDK version does not know, the path without its query. */
  readonly route: string;
  readonly method: string;
  /** The path as the caller wrote it. */
  readonly path: string;
}

/** Methods whose repetition changes nothing (RFC 9110, section 9.2.2). */
const idempotent = /^(?:GET|HEAD|OPTIONS|PUT|DELETE)$/;

/** Finds the operation of a method and a path: a template or one filled in, also with a query. A bad path throws. */
export function findOperation(givenMethod: string, path: string, baseUrl: string): Operation {
  if (!isText(givenMethod, /^[\w!#$%&'*+.^`|~-]+$/))
    throw new InvalidArgumentError("method", "must be an HTTP method, such as GET");
  const method = givenMethod.toUpperCase();
  const known = isText(path) ? operationFacts[`${method} ${path}`] : undefined;
  if (known) return { method, path, route: path, ...known };
  checkPath(path, baseUrl);
  const [route = path] = path.split("?");
  const name = `${method} ${route}`;
  for (const [template, facts] of Object.entries(operationFacts)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`);
    if (pattern.test(name)) return { method, path, route: template.slice(method.length + 1), ...facts };
  }
  return {
    operationId: maskNumbers(name),
    idempotency: idempotent.test(method) ? "idempotent" : "non_idempotent",
    method,
    path,
    route,
  };
}

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
