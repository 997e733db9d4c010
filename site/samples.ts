// The requests that pages and collections show, as statements of TypeScript, as curl and as values. A request has the ids of its path
// and the required fields of its example in openapi/.
import { demo } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import { requestExample, requestSchema } from "../packages/contract/src/document/document.ts";

/** The parts of a request that differ from one request of an operation to another. */
export interface Sample {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Records of the demo seed by field, or by noun for the {id} of a path. A text that starts with = is a name of the backend's `demo`.
 */
const records: Readonly<Record<string, string>> = {
  destinations: "=demo.destinations.app",
  "destination-groups": "=demo.groups.existing",
  calls: "=demo.calls.completed",
  accounts: "=demo.accountId",
  memberId: "=demo.members.agent",
  destinationId: "=demo.destinations.phone",
  flowId: "=demo.flows.published",
  fromNumber: "=demo.numbers.working",
  toNumber: "=demo.recipients.anyone",
};

/** The parts of a request that differ from that. */
const requests: Readonly<Partial<Record<OperationId, Sample>>> = {
  createDestinationGroup: { body: { members: [{ destinationId: "=demo.destinations.phone" }] } },
  listCalls: { query: { limit: 20 } },
};

/** The required fields of an operation's example, with records of the demo seed. */
function exampleOf(id: OperationId): Sample {
  const { tag, pathParameters, hasBody } = operations[id];
  const path = pathParameters.map((name) => {
    const record = records[name === "id" ? tag : name];
    if (record === undefined) throw new Error(`No record for {${name}} of ${id}. Add one to site/samples.ts.`);
    return [name, record];
  });
  const required: readonly string[] = requestSchema(id)?.required ?? [];
  const body = Object.entries(requestExample(id) ?? {}).filter(([name]) => required.includes(name));
  return {
    ...(path.length > 0 && { path: Object.fromEntries(path) }),
    ...(hasBody && { body: Object.fromEntries(body.map(([name, value]) => [name, records[name] ?? value])) }),
  };
}

/** The request of an operation. */
export function sampleOf(operation: OperationId): Sample {
  const [example, own] = [exampleOf(operation), requests[operation]];
  const parts = (["path", "query", "body"] as const).flatMap((part) => {
    if (example[part] === undefined && own?.[part] === undefined) return [];
    return [[part, { ...example[part], ...own?.[part] }]];
  });
  return Object.fromEntries(parts);
}

/** The name of the demo data that a text stands for; undefined for another value. */
export const nameIn = (text: unknown): string | undefined =>
  (typeof text === "string" && /^=(demo\..+)$/.exec(text)?.[1]) || undefined;

/** A value with the records that it names. Throws for a name that `demo` does not have. */
export function resolved(value: unknown): unknown {
  const name = nameIn(value);
  if (name !== undefined) {
    const found = name
      .split(".")
      .slice(1)
      .reduce<unknown>((node, step) => Object(node)[step], demo);
    if (typeof found !== "string") throw new Error(`${name} is no text of the demo seed. Correct it in samples.ts.`);
    return found;
  }
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
}

/** A value as TypeScript, on one line. */
function inline(value: unknown): string {
  const name = nameIn(value);
  if (name !== undefined) return name;
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key}: ${inline(part)}`)
    .join(", ")} }`;
}

/** Columns of code that fit into a page. */
const columns = 80;

/** A value as TypeScript. An object or list that does not fit into `room` columns has a line for each part. */
export function source(value: unknown, indent: string, room: number): string {
  const line = inline(value);
  if (line.length <= room || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const parts = Object.entries(value).map(([key, part]) => {
    const name = Array.isArray(value) ? "" : `${key}: `;
    return `${inner}${name}${source(part, inner, columns - inner.length - name.length - 1)},\n`;
  });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join("")}${indent}${close}`;
}

/** The call of the SDK's method. */
export function sdkCall(operation: OperationId, { path = {}, query, body }: Sample, indent = ""): string {
  const { resource, sdkMethod } = operations[operation];
  const method = `client.${resource}.${sdkMethod}`;
  const room = columns - `${indent}await ${method}();`.length;
  const values = [...Object.values(path), ...(body ? [body] : []), ...(query ? [query] : [])];
  return `${method}(${values.map((value) => source(value, indent, room)).join(", ")})`;
}

/** The path and query of a request. */
function addressOf(operation: OperationId, { path = {}, query = {} }: Sample): string {
  const filled = operations[operation].path.replaceAll(/\{([^}]+)\}/g, (_, name) => String(resolved(path[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** The address at which the pages expect the mock server. */
export const serverUrl = "http://127.0.0.1:4010";

/** A request with the demo's API key, as a command of curl. */
export function curl(operation: OperationId, sample: Sample): string {
  const { method } = operations[operation];
  const url = `${serverUrl}${addressOf(operation, sample)}`;
  const parts = [
    `curl ${url.includes("?") ? `"${url}"` : url}`,
    // With a body, curl sends POST by itself.
    ...(method === "GET" || (method === "POST" && sample.body) ? [] : [`-X ${method}`]),
    `-H "Authorization: Bearer ${demo.apiKey}"`,
    ...(sample.body ? [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(resolved(sample.body))}'`] : []),
  ];
  return parts.join(" \\\n  ");
}
