import { InvalidArgumentError } from "../errors/invalid-argument-error.ts";
import { type OperationFacts, operationFacts } from "../generated/operations.gen.ts";
import { isText } from "../utils/guards.ts";
import { maskNumbers } from "../utils/mask-numbers.ts";
import { checkPath } from "./path.ts";

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
  return { operationId: maskNumbers(name), retry: idempotent.test(method) ? "safe" : "once", method, path, route };
}
