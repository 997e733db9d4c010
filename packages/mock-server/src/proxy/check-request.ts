import type { Deviation } from "@call-transfer/backend/unstable";
import { limits, type OperationDescription } from "@call-transfer/spec";
import { querySchema, requestBodySchema, sectionOf } from "./contract.ts";
import { bodyPlace } from "./deviation.ts";
import { type Content, isJson } from "./json-content.ts";

export interface CheckedRequest {
  readonly method: string;
  readonly url: URL;
  header(name: string): string | undefined;
  /** The body; undefined for none. */
  readonly content: Content | undefined;
}

/** Checks a request to a path with these operations. `operation` is the one of its method. */
export function checkRequest(
  request: CheckedRequest,
  operation: OperationDescription | undefined,
  atPath: readonly OperationDescription[],
): Deviation[] {
  if (operation === undefined) return [unknownOperation(request, atPath)];
  return [
    ...checkCredentials(request, operation),
    ...checkQuery(request.url.searchParams, operation),
    ...(operation.hasBody ? checkBody(request, operation) : []),
  ].map((found) => ({ side: "request", ...found }));
}

type Found = Omit<Deviation, "side">;

function unknownOperation({ method, url }: CheckedRequest, atPath: readonly OperationDescription[]): Deviation {
  const methods = atPath.map((operation) => operation.method).join(", ");
  const advice = methods === "" ? "the document has no such path" : `the path has ${methods} only`;
  return { side: "request", where: "path", message: `${method} ${url.pathname} is not an operation: ${advice}` };
}

function* checkCredentials({ header }: CheckedRequest, operation: OperationDescription): Generator<Found> {
  const [, token] = /^Bearer +(\S+)$/i.exec(header("authorization") ?? "") ?? [];
  if (token === undefined) {
    const message = "must be Bearer and an access token or an API key";
    yield { where: "header Authorization", message, section: "§5.1" };
  } else if (
    operation.accountScoped &&
    !token.startsWith(limits.apiKeyPrefix) &&
    header("x-account-id") === undefined
  ) {
    const message = "is missing: an access token needs it for this operation";
    yield { where: "header X-Account-Id", message, section: "§5.2" };
  }
}

function checkQuery(parameters: URLSearchParams, operation: OperationDescription): Found[] {
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(operation.queryParameters)) {
    const [first, ...others] = parameters.getAll(name);
    if (first !== undefined) query[name] = others.length > 0 ? [first, ...others] : typed(first, type);
  }
  const violations = querySchema(operation)?.violations(query) ?? [];
  return violations.map(({ path, message }) => ({
    where: `query ${path.map(String).join(".")}`,
    message,
    ...sectionOf(operation),
  }));
}

function typed(text: string, type: string): unknown {
  return (type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function checkBody({ header, content }: CheckedRequest, operation: OperationDescription): Found[] {
  const { section } = requestBodySchema(operation) ?? {};
  const place = section === undefined ? {} : { section };
  if (content === undefined) return [{ where: "body", message: "is missing", ...place }];
  if (!isJson(header("content-type")))
    return [{ where: "header Content-Type", message: "must be application/json", section: "§1" }];
  if ("unread" in content) return [];
  if ("problem" in content) return [{ where: "body", message: content.problem, ...place }];
  const violations = requestBodySchema(operation)?.violations(content.value) ?? [];
  return violations.map(({ path, message }) => ({ where: bodyPlace(path), message, ...place }));
}
