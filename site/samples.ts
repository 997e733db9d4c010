// Requests of samples.yaml, as statements of TypeScript, as curl and as values.
import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import { parse } from "yaml";
import { requestExample, requestSchema } from "../packages/contract/src/document/document.ts";

/** The parts of a request that differ from one request of an operation to another. */
export interface Sample {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A YAML file of this folder. */
export const readYaml = (name: string): unknown => parse(readFileSync(new URL(name, import.meta.url), "utf8"));

const { records, requests } = readYaml("samples.yaml") as {
  readonly records: Readonly<Record<string, string>>;
  readonly requests: Readonly<Partial<Record<OperationId, Sample>>>;
};

/** The required fields of an operation's example, with records of the demo seed. */
function exampleOf(id: OperationId): Sample {
  const { tag, pathParameters, hasBody } = operations[id];
  const path = pathParameters.map((name) => {
    const record = records[name === "id" ? tag : name];
    if (record === undefined) throw new Error(`No record for {${name}} of ${id}. Add one to site/samples.yaml.`);
    return [name, record];
  });
  const required: readonly string[] = requestSchema(id)?.required ?? [];
  const body = Object.entries(requestExample(id) ?? {}).filter(([name]) => required.includes(name));
  return {
    ...(path.length > 0 && { path: Object.fromEntries(path) }),
    ...(hasBody && { body: Object.fromEntries(body.map(([name, value]) => [name, records[name] ?? value])) }),
  };
}

/** The request of an operation, with some parts replaced. A part that becomes null is left out. */
export function sampleOf(operation: OperationId, changes: Sample = {}): Sample {
  const [example, own] = [exampleOf(operation), requests[operation]];
  const parts = (["path", "query", "body"] as const).flatMap((part) => {
    if (example[part] === undefined && own?.[part] === undefined) return [];
    const fields = Object.entries({ ...example[part], ...own?.[part], ...changes[part] });
    return [[part, Object.fromEntries(fields.filter(([, value]) => value !== null))]];
  });
  return Object.fromEntries(parts);
}

/** The name of the demo data that a text of samples.yaml stands for; undefined for another value. */
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
    if (typeof found !== "string") throw new Error(`${name} is no text of the demo seed. Correct it in samples.yaml.`);
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

/** The call of the SDK's method. `untyped` is for a request that TypeScript would refuse. */
export function sdkCall(
  operation: OperationId,
  { path = {}, query, body }: Sample,
  indent = "",
  untyped = false,
): string {
  const { resource, sdkMethod } = operations[operation];
  const method = `client.${resource}.${sdkMethod}`;
  const cast = untyped ? " as never" : "";
  const room = columns - `${indent}await ${method}(${cast});`.length;
  const values = [...Object.values(path), ...(body ? [body] : []), ...(query ? [query] : [])];
  return `${method}(${values.map((value) => `${source(value, indent, room)}${cast}`).join(", ")})`;
}

/** The path and query of a request. */
export function addressOf(operation: OperationId, { path = {}, query = {} }: Sample): string {
  const filled = operations[operation].path.replaceAll(/\{([^}]+)\}/g, (_, name) => String(resolved(path[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** How a request for curl differs from one of the demo seed's API key. */
interface CurlOptions {
  /** The Authorization header; empty for none. */
  readonly authorization?: string | undefined;
  /** The X-Account-Id header. */
  readonly account?: string | undefined;
  /** The part between the server's address and the path. */
  readonly prefix?: string | undefined;
  /** The text of the body, in place of the sample's. */
  readonly bodyText?: string | undefined;
}

/** The address at which the pages expect the mock server. */
export const serverUrl = "http://127.0.0.1:4010";

/** A request as a command of curl. */
export function curl(operation: OperationId, sample: Sample, options: CurlOptions = {}): string {
  const { authorization = `Bearer ${demo.apiKey}`, account, prefix = "" } = options;
  const { method } = operations[operation];
  const { bodyText = sample.body && JSON.stringify(resolved(sample.body)) } = options;
  const url = `${serverUrl}${prefix}${addressOf(operation, sample)}`;
  const parts = [
    `curl ${url.includes("?") ? `"${url}"` : url}`,
    // With a body, curl sends POST by itself.
    ...(method === "GET" || (method === "POST" && bodyText !== undefined) ? [] : [`-X ${method}`]),
    ...(authorization === "" ? [] : [`-H "Authorization: ${authorization}"`]),
    ...(account === undefined ? [] : [`-H "X-Account-Id: ${account}"`]),
    ...(bodyText === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${bodyText}'`]),
  ];
  return parts.join(" \\\n  ");
}
