import { type OperationId, operations } from "@call-transfer/spec";
import { decoded } from "../values/decoded.ts";
import { shellText } from "./shell-command.ts";

/** A request that code is written for. */
export interface ApiRequest {
  readonly method: string;
  /** The whole address, with its query. */
  readonly url: string;
  /** By names in lower case. A credential may be `[redacted]`: then it is read from the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value; undefined without a body. */
  readonly body?: unknown;
  readonly operationId?: string | undefined;
}

/** Headers that each client writes for itself. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|user-agent|origin|referer|accept|accept-.*|sec-.*|priority|cache-control|pragma|traceparent|tracestate)$/;

/** Whether the credential of a request is an API key, and not an access token. A hidden one is a token if the request names an account. */
function hasApiKey({ headers }: Pick<ApiRequest, "headers">): boolean {
  const { authorization = "" } = headers;
  return authorization.includes("[redacted]")
    ? headers["x-account-id"] === undefined
    : !/^Bearer eyJ/i.test(authorization);
}

/** The environment variable of the request's credential. */
function credentialVariable(request: ApiRequest): string {
  if (new URL(request.url).pathname.includes("/_control/")) return "CALL_TRANSFER_CONTROL_TOKEN";
  return hasApiKey(request) ? "CALL_TRANSFER_API_KEY" : "CALL_TRANSFER_ACCESS_TOKEN";
}

/** A command for a shell that sends the request. */
export function curlOf(request: ApiRequest): string {
  const { method, url, headers, body } = request;
  const isBodyMissing = body === undefined && Number(headers["content-length"] ?? 0) > 0;
  const variable = credentialVariable(request);
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${shellText(method)}`} ${shellText(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !ownHeaders.test(name))
      .map(([name, value]) => `-H ${headerText(name, value, variable)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellText(JSON.stringify(body))}`]),
  ];
  return `${isBodyMissing ? "# The request log does not have the body: it was no JSON, or longer than 16 KiB.\n" : ""}${lines.join(" \\\n  ")}`;
}

function headerText(name: string, value: string, variable: string): string {
  // Only a known scheme: a shell would run a command in double quotes.
  const [, scheme] = /^((?:Bearer |Basic )?)\[redacted\]$/i.exec(value) ?? [];
  if (name !== "authorization" || scheme === undefined) return shellText(`${name}: ${value}`);
  return `"${name}: ${scheme}$${variable}"`;
}

/** A program with the SDK that sends the request; undefined if it matches no operation. */
export function sdkCodeOf(request: ApiRequest): string | undefined {
  const call = sdkCallOf(request);
  if (call === undefined) return undefined;
  const { origin, pathname } = new URL(request.url);
  const prefix = isOperation(request.operationId)
    ? pathname.replace(patternOf(operations[request.operationId].path), "")
    : "";
  const account = request.headers["x-account-id"];
  const options = hasApiKey(request)
    ? ["apiKey: process.env.CALL_TRANSFER_API_KEY"]
    : [
        "accessToken: process.env.CALL_TRANSFER_ACCESS_TOKEN",
        ...(account === undefined ? [] : [`accountId: ${JSON.stringify(account)}`]),
      ];
  return `import { CallTransfer } from "@call-transfer/sdk";

const client = new CallTransfer({
  baseUrl: ${JSON.stringify(origin + prefix)},
${options.map((option) => `  ${option},`).join("\n")}
});
const result = await ${call};
console.log(result);
`;
}

/** The call of the SDK's method, such as `client.calls.create({ … })`; undefined if the request matches no operation. */
export function sdkCallOf({ operationId, url, body }: ApiRequest): string | undefined {
  if (!isOperation(operationId)) return undefined;
  const { resource, sdkMethod, path, pathParameters, hasBody, queryParameters } = operations[operationId];
  const { pathname, searchParams } = new URL(url);
  const values = pathValues(path, pathname);
  const query = Object.fromEntries(
    [...searchParams].map(([name, value]) => [name, queryValue(value, Object(queryParameters)[name])]),
  );
  const parameters = [
    ...pathParameters.map((name) => literal(values[name] ?? "")),
    ...(hasBody ? [literal(body ?? {})] : []),
    ...(Object.keys(query).length === 0 ? [] : [literal(query)]),
  ];
  return `client.${resource}.${sdkMethod}(${parameters.join(", ")})`;
}

function isOperation(id: string | undefined): id is OperationId {
  return id !== undefined && Object.hasOwn(operations, id);
}

/** The values of a path's parameters by name. */
function pathValues(template: string, pathname: string): Record<string, string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const found = patternOf(template).exec(pathname)?.slice(1) ?? [];
  return Object.fromEntries(names.map((name, index) => [name, decoded(found[index] ?? "")]));
}

/** Matches the end of an address that a path template stands for. */
const patternOf = (template: string): RegExp => new RegExp(`${template.replaceAll(/\{\w+\}/g, "([^/]*)")}$`);

function queryValue(text: string, type: unknown): unknown {
  if ((type === "integer" || type === "number") && text !== "" && !Number.isNaN(Number(text))) return Number(text);
  return type === "boolean" && /^(?:true|false)$/.test(text) ? text === "true" : text;
}

/** A JSON value as JavaScript, with names unquoted where possible. */
export function literal(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return value.length === 0
      ? "[]"
      : `[\n${value.map((one) => `${inner}${literal(one, inner)},\n`).join("")}${indent}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return "{}";
  return `{\n${fields.map(([name, field]) => `${inner}${nameText(name)}: ${literal(field, inner)},\n`).join("")}${indent}}`;
}

function nameText(name: string): string {
  // As an entry of its own `__proto__` would set the prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
