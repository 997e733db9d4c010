import type { Operation } from "./document.ts";

/**
 * Builds the request of an operation. Empty parameters are left out. Throws an Error that names a missing parameter of the
 * path.
 */
export function buildRequest(
  baseUrl: string,
  { path, parameters, method }: Operation,
  values: Readonly<Record<string, string>>,
  body: string | undefined,
): Request {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    if (value === "") throw new Error(`The parameter ${name} is empty. The path needs it.`);
    return encodeURIComponent(value);
  });
  const url = new URL(baseUrl + filled);
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? "";
    if (place === "query" && value !== "") url.searchParams.set(name, value);
  }
  return new Request(url, {
    method,
    ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
  });
}
