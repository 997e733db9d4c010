// The requests of the API and of the control plane as collections for Postman and Bruno. Nothing here is a package of either.
import { demo } from "@call-transfer/backend";
import { type OperationId, operations } from "@call-transfer/spec";
import { loadControl, type OpenApiDocument, operationsOf } from "../scripts/generate/read/document.ts";
import { readYaml, resolved, type Sample, sampleOf, serverUrl } from "./samples.ts";

/** A request of a collection. Texts may have variables, as `{{name}}`. */
export interface CollectionRequest {
  readonly name: string;
  readonly docs: string;
  readonly method: string;
  /** The path, with the values of its parameters. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON. */
  readonly body: string | undefined;
  /** Parts of the response to keep, by variable. */
  readonly saves: Readonly<Record<string, string>>;
}

/** A part of a collection. */
export interface Folder {
  readonly name: string;
  readonly docs: string;
  readonly folders: readonly Folder[];
  readonly requests: readonly CollectionRequest[];
}

/** The content of both formats. */
export interface Collection {
  readonly name: string;
  readonly docs: string;
  /** The API, whose requests carry the API key, and the control plane, whose requests carry no credential. */
  readonly api: Folder;
  readonly control: Folder;
  readonly variables: Readonly<Record<string, string>>;
}

interface ControlSample extends Sample {
  readonly saves?: Readonly<Record<string, string>>;
}

/** The variable for a name of `demo`: `demo.destinations.app` is `appDestination`. */
function variableFor(name: string): string {
  const [group = "", record] = name.split(".").slice(1);
  const [first = "", ...rest] = group.replace(/s$/, "");
  return record === undefined ? group : `${record}${first.toUpperCase()}${rest.join("")}`;
}

/** A value with a variable in place of each name of `demo`. Adds the variables. */
function withVariables(value: unknown, variables: Map<string, string>): unknown {
  if (typeof value === "string" && value.startsWith("=demo.")) {
    const variable = variableFor(value.slice(1));
    variables.set(variable, String(resolved(value)));
    return `{{${variable}}}`;
  }
  if (Array.isArray(value)) return value.map((part) => withVariables(part, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withVariables(part, variables)]));
}

interface RequestParts {
  readonly name: string;
  readonly docs: string;
  readonly method: string;
  readonly template: string;
  readonly sample: ControlSample;
  readonly headers?: Readonly<Record<string, string>>;
}

function requestOf({ template, sample, headers = {}, ...same }: RequestParts, variables: Map<string, string>) {
  const { path = {}, query = {}, body } = withVariables(sample, variables) as Sample;
  return {
    ...same,
    path: template.replaceAll(/\{([^}]+)\}/g, (_, name) => String(path[name])),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body, undefined, 2),
    saves: sample.saves ?? {},
  };
}

/** A request that can be sent twice: the name of what it creates differs each time. */
function repeatable(id: OperationId): Sample {
  const sample = sampleOf(id);
  const name = sample.body?.name;
  if (operations[id].idempotency !== "conflict_safe" || typeof name !== "string") return sample;
  return { ...sample, body: { ...sample.body, name: `${name} {{$guid}}` } };
}

function apiFolder(variables: Map<string, string>): Folder {
  const byTag = Map.groupBy(Object.keys(operations) as OperationId[], (id) => operations[id].tag);
  const folders = [...byTag].map(([name, ids]) => {
    const requests = ids.map((id) => {
      const { summary, method, path, accountScoped, scope, roles } = operations[id];
      const headers = accountScoped ? { "X-Account-Id": withVariables("=demo.accountId", variables) as string } : {};
      const docs = `${summary}. Scope of the API key: ${scope}. Roles: ${roles.join(", ")}.`;
      return requestOf({ name: summary, docs, method, template: path, sample: repeatable(id), headers }, variables);
    });
    return { name, docs: "", folders: [], requests };
  });
  return { name: "API", docs: "Every operation, by noun.", folders, requests: [] };
}

/** The samples of the control plane, in their order. */
export const controlSamples = readYaml("control-samples.yaml") as Readonly<Record<string, ControlSample>>;

function controlFolder(document: OpenApiDocument, variables: Map<string, string>): Folder {
  const found = new Map([...operationsOf(document)].map((one) => [one.operation.operationId, one]));
  const requests = Object.entries(controlSamples).map(([id, sample]) => {
    const one = found.get(id);
    if (one === undefined) throw new Error(`The control plane has no operation ${id}. Correct control-samples.yaml.`);
    const { summary, description = "" } = one.operation;
    const parts = { name: summary, docs: description.trim(), method: one.method, template: one.path, sample };
    return requestOf(parts, variables);
  });
  const docs = "Time, faults, records and webhooks of the mock server. A real platform has none of it.";
  return { name: "Control plane of the mock server", docs, folders: [], requests };
}

/** The collection. */
export async function collection(): Promise<Collection> {
  const variables = new Map<string, string>([
    ["baseUrl", serverUrl],
    ["apiKey", demo.apiKey],
  ]);
  return {
    name: "Call transfer",
    docs: "Every operation of the API, and the control plane of its mock server. The variables are those of the mock server's demo data.",
    api: apiFolder(variables),
    control: controlFolder(await loadControl(), variables),
    variables: Object.fromEntries(variables),
  };
}
