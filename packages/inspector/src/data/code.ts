import { type OperationId, operations } from "@call-transfer/spec";
import type { ActiveFault } from "./control.ts";
import { decoded } from "./format.ts";
import type { Session } from "./session.ts";

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
  /** The role of an access token, which chooses its variable; `owner` by default. */
  readonly role?: string | undefined;
}

/** The tags of the operations that people use most, in that order. */
const usual: readonly string[] = ["roles", "accounts", "destinations", "members", "destination-groups", "calls"];

/** The ids of the operations: calls first, then transfers, then the rest. Those with a body come before those that read. */
export const operationIds: readonly OperationId[] = (Object.keys(operations) as OperationId[]).toSorted(
  (a, b) =>
    usual.indexOf(operations[b].tag) - usual.indexOf(operations[a].tag) ||
    Number(operations[b].hasBody) - Number(operations[a].hasBody),
);

/** How many requests or webhooks a fault still applies to. Each step of a list takes one. */
export function appliesTo(fault: ActiveFault): string {
  const { times = 1, step = 1 } = fault.when ?? {};
  const what = "webhooks" in fault ? "webhook" : "request";
  if (times === null) return `every ${what}`;
  const steps = Array.isArray(fault.do) ? fault.do.length : 1;
  const left = times * steps - step + 1;
  return left === 1 ? `1 more ${what}` : `${left} more ${what}s`;
}

/** The variables that `--write-env` writes. */
const variables = {
  apiKey: "CALL_TRANSFER_API_KEY",
  accessToken: "CALL_TRANSFER_ACCESS_TOKEN",
} as const;

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
  const { role = "owner" } = request;
  return hasApiKey(request) ? variables.apiKey : `${variables.accessToken}_${role.toUpperCase()}`;
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
  return `${isBodyMissing ? "# The body was not kept: it was not JSON, or longer than 16 KiB.\n" : ""}${lines.join(" \\\n  ")}`;
}

function headerText(name: string, value: string, variable: string): string {
  // Only a known scheme: a shell would run a command in double quotes.
  const [, scheme] = /^((?:Bearer |Basic )?)\[redacted\]$/i.exec(value) ?? [];
  if (name !== "authorization" || scheme === undefined) return shellText(`${name}: ${value}`);
  return `"${name}: ${scheme}$${variable}"`;
}

/** A text as one word of a shell. */
export const shellText = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A command of the mock server's program, such as `transfer 'Night shift'`, for the sandbox that is shown. Undefined for a
 * backend in the page, which no program reaches.
 */
export function shellCommand(
  { source, sandbox }: Pick<Session, "source" | "sandbox">,
  words: string,
): string | undefined {
  if (source.program === undefined) return undefined;
  const place = sandbox.value === "default" ? "" : ` --sandbox ${sandbox.value}`;
  return `${source.program} ${words} --url ${source.address}${place}`;
}

/** A delivery as a curl command: the same bytes with the same signature. */
export function deliveryAsCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = [
    `curl -X POST ${shellText(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    `--data-binary ${shellText(body)}`,
  ];
  return lines.join(" \\\n  ");
}

/** The base URL of a request: its address without the path of its operation. */
function baseUrlOf({ url, operationId }: ApiRequest): string {
  const { origin, pathname } = new URL(url);
  const prefix = isOperation(operationId) ? pathname.replace(patternOf(operations[operationId].path), "") : "";
  return origin + prefix;
}

/** A TypeScript program with the SDK that sends the request; undefined if it matches no operation. */
export function typescriptOf(request: ApiRequest): string | undefined {
  const call = sdkCallOf(request);
  if (call === undefined) return undefined;
  const account = request.headers["x-account-id"];
  const options = hasApiKey(request)
    ? [`apiKey: process.env.${variables.apiKey}`]
    : [
        `accessToken: process.env.${credentialVariable(request)}`,
        ...(account === undefined ? [] : [`accountId: ${JSON.stringify(account)}`]),
      ];
  return `import { CallTransfer } from "@call-transfer/sdk";

const client = new CallTransfer({
  baseUrl: ${JSON.stringify(baseUrlOf(request))},
${options.map((option) => `  ${option},`).join("\n")}
});
const result = await ${call};
console.log(result);
`;
}

/** A Python program with the SDK that sends the request; undefined if it matches no operation. */
export function pythonOf(request: ApiRequest): string | undefined {
  const { operationId } = request;
  if (!isOperation(operationId)) return undefined;
  const { resource, sdkMethod, queryParameters } = operations[operationId];
  const { path, query, body } = argumentsOf(operationId, request);
  const account = request.headers["x-account-id"];
  const options = hasApiKey(request)
    ? [`api_key=os.environ["${variables.apiKey}"]`]
    : [
        `access_token=os.environ["${credentialVariable(request)}"]`,
        ...(account === undefined ? [] : [`account_id=${JSON.stringify(account)}`]),
      ];
  const named = Object.entries({ ...query, ...(isObject(body) ? body : {}) }).map(
    ([name, value]) => `${snakeCase(name)}=${pythonLiteral(value, "    ")}`,
  );
  const given = [...path.map((value) => JSON.stringify(value)), ...named];
  const parameters = given.length === 0 ? "" : `\n${given.map((one) => `    ${one},\n`).join("")}`;
  // A list of pages sends nothing before it is used.
  const page = "offset" in queryParameters ? ".first_page()" : "";
  return `import os

from call_transfer import CallTransfer

client = CallTransfer(
    base_url=${JSON.stringify(baseUrlOf(request))},
${options.map((option) => `    ${option},`).join("\n")}
)
result = client.${snakeCase(resource)}.${snakeCase(sdkMethod)}(${parameters})${page}
print(result)
`;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A JSON value as Python. Names of fields are in the case of the SDK. */
export function pythonLiteral(value: unknown, indent = ""): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value))
    return value.length === 0
      ? "[]"
      : `[\n${value.map((one) => `${inner}${pythonLiteral(one, inner)},\n`).join("")}${indent}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value);
  if (fields.length === 0) return "{}";
  const lines = fields.map(
    ([name, field]) => `${inner}${JSON.stringify(snakeCase(name))}: ${pythonLiteral(field, inner)},\n`,
  );
  return `{\n${lines.join("")}${indent}}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The call of the SDK's method, such as `client.calls.create({ … })`; undefined if the request matches no operation. */
export function sdkCallOf(request: ApiRequest): string | undefined {
  const { operationId } = request;
  if (!isOperation(operationId)) return undefined;
  const { resource, sdkMethod, hasBody } = operations[operationId];
  const { path, query, body } = argumentsOf(operationId, request);
  const parameters = [
    ...path.map((value) => literal(value)),
    ...(hasBody ? [literal(body ?? {})] : []),
    ...(Object.keys(query).length === 0 ? [] : [literal(query)]),
  ];
  return `client.${resource}.${sdkMethod}(${parameters.join(", ")})`;
}

function argumentsOf(operationId: OperationId, { url, body }: Pick<ApiRequest, "url" | "body">) {
  const { path, pathParameters, queryParameters } = operations[operationId];
  const { pathname, searchParams } = new URL(url);
  const values = pathValues(path, pathname);
  return {
    path: pathParameters.map((name) => values[name] ?? ""),
    query: Object.fromEntries(
      [...searchParams].map(([name, value]) => [name, queryValue(value, Object(queryParameters)[name])]),
    ),
    body,
  };
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
