import { createRequire } from "node:module";
import { InputError } from "@call-transfer/backend";
import type { DocumentOperation } from "@call-transfer/backend/unstable";
import * as z from "zod";
import { operationsAt } from "../../proxy/contract.ts";
import { errorMessage } from "../../web/error-message.ts";
import { isObject, UsageError } from "../values/command-line.ts";
import { createInliner, type PlainSchema, resolveRef } from "./inline-schema.ts";
import { readYaml } from "./stubs-file.ts";

/** What a document adds, and which of its operations the API has itself. */
interface ReadDocument {
  readonly operations: readonly DocumentOperation[];
  /** Methods and paths. */
  readonly ignored: readonly string[];
}

type Sample = (schema: PlainSchema, options: { readonly skipWriteOnly: boolean; readonly quiet: boolean }) => unknown;
type Fields = Readonly<Record<string, unknown>>;
type Inline = ReturnType<typeof createInliner>;

/** The largest document, in MiB. */
const maxMiB = 4;
const mostOperations = 1000;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * Reads an OpenAPI document. Throws UsageError in one line that names the option, the file, the line and the field, and an Error
 * that says how to install openapi-sampler if it is missing.
 */
export async function readDocument(option: string, path: string): Promise<ReadDocument> {
  const sample = loadSampler(createRequire(import.meta.url));
  return readYaml(option, path, maxMiB, (content) => operationsIn(content, sample));
}

/** Loads `openapi-sampler`, resolved by `resolver`. Throws UsageError that says how to install it when it is missing. */
export function loadSampler(resolver: Pick<NodeJS.Require, "resolve"> & ((id: string) => unknown)): Sample {
  try {
    resolver.resolve("openapi-sampler");
  } catch (error) {
    const message = "--also requires openapi-sampler. Install it with: npm install --save-dev openapi-sampler";
    throw new UsageError(message, { cause: error });
  }
  return (resolver("openapi-sampler") as { readonly sample: Sample }).sample;
}

function operationsIn(document: unknown, sample: Sample): ReadDocument {
  if (!isObject(document)) throw new InputError("", "must be an OpenAPI document");
  const { openapi, paths } = document;
  if (typeof openapi !== "string" || !/^3\.[01]\.\d+$/.test(openapi))
    throw new InputError("openapi", "must be a version 3.0 or 3.1, such as 3.1.0");
  if (!isObject(paths)) throw new InputError("paths", "must be an object with the paths");
  const reader = { document, sample, base: basePathOf(document), inline: createInliner(document) };
  const operations: DocumentOperation[] = [];
  const ignored: string[] = [];
  for (const [path, value] of Object.entries(paths)) {
    const place = `paths.${path}`;
    if (!path.startsWith("/")) throw new InputError(place, "must begin with a slash");
    // Matching more of them takes long for a path that does not match.
    if (path.split("/").some((segment) => segment.split("{").length > 3))
      throw new InputError(place, "has more than two parameters in a segment. At most two are allowed");
    const item = fieldsOf(document, value, place);
    for (const method of methods) {
      const name = method.toLowerCase();
      if (item[name] === undefined) continue;
      const whole = reader.base + path;
      if (operationsAt(whole).some((own) => own.method === method)) ignored.push(`${method} ${whole}`);
      else operations.push(readOperation(reader, { method, path: whole, item, place: `${place}.${name}` }));
      if (operations.length > mostOperations)
        throw new InputError(
          place,
          `is beyond the first ${mostOperations} operations. Leave out what the app does not use`,
        );
    }
  }
  return { operations, ignored };
}

/** The path of the first server, which each path continues. */
function basePathOf({ servers }: Fields): string {
  const [first] = Array.isArray(servers) ? servers : [];
  if (first === undefined) return "";
  const url = isObject(first) && typeof first.url === "string" ? first.url : "{}";
  const isReadable = !/[{}]/.test(url) && URL.canParse(url, "http://localhost");
  if (!isReadable)
    throw new InputError("servers[0].url", "must be a URL without variables, such as https://example.com/api/v1");
  return new URL(url, "http://localhost").pathname.replace(/\/+$/, "");
}

interface Reader {
  readonly document: Fields;
  readonly sample: Sample;
  readonly inline: Inline;
}

interface FoundOperation {
  readonly method: (typeof methods)[number];
  readonly path: string;
  readonly item: Fields;
  readonly place: string;
}

function readOperation(reader: Reader, { method, path, item, place }: FoundOperation): DocumentOperation {
  const { document } = reader;
  const operation = fieldsOf(document, item[method.toLowerCase()], place);
  const { operationId, security = document.security, requestBody } = operation;
  const parameters = { ...parametersOf(document, item, place), ...parametersOf(document, operation, place) };
  const [ofPath, ofQuery] = [
    readParameters(reader, parameters, "path", place),
    readParameters(reader, parameters, "query", place),
  ];
  const body = requestBody === undefined ? undefined : fieldsOf(document, requestBody, `${place}.requestBody`);
  const content = isObject(body?.content) ? body.content : {};
  const json = jsonIn(content);
  const bodyPlace = `${place}.requestBody.content.${json?.type}.schema`;
  const isPublic = Array.isArray(security) && security.length === 0;
  return {
    id: typeof operationId === "string" && operationId !== "" ? operationId : `${method} ${path}`,
    stub: {
      method,
      path: path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `{${plainName(name)}}`),
      ...(isPublic && { public: true }),
      response: responseOf(reader, operation, place),
    },
    schemas: {
      ...(ofPath && { path: ofPath.schema }),
      ...(ofQuery && { query: ofQuery.schema }),
      ...(json?.media.schema !== undefined && { body: checkerOf(reader, json.media.schema, bodyPlace) }),
    },
    pathTypes: ofPath?.types ?? {},
    queryTypes: ofQuery?.types ?? {},
    isBodyRequired: json && body?.required === true,
    hasOtherForms: Object.keys(content).length > 1,
  };
}

/** A name that a path template can have. */
function plainName(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

/** The parameters by place and name. */
function parametersOf(document: Fields, { parameters }: Fields, place: string): Readonly<Record<string, Fields>> {
  const list = Array.isArray(parameters) ? parameters : [];
  return Object.fromEntries(
    list.map((value, index) => {
      const parameter = fieldsOf(document, value, `${place}.parameters[${index}]`);
      return [`${parameter.in} ${parameter.name}`, parameter];
    }),
  );
}

/** The schema and the types of the parameters in one place. Lists and objects are not checked. */
function readParameters(
  { document, inline }: Reader,
  all: Readonly<Record<string, Fields>>,
  within: "path" | "query",
  place: string,
): { readonly schema: z.ZodObject; readonly types: Readonly<Record<string, string>> } | undefined {
  const shape: [string, z.ZodType][] = [];
  const types: [string, string][] = [];
  for (const parameter of Object.values(all).filter((one) => one.in === within)) {
    const name = within === "path" ? plainName(String(parameter.name)) : String(parameter.name);
    const plain = inline(parameter.schema ?? {}, `${place}.parameters`, "check");
    const isList = plain.type === "array" || plain.type === "object";
    const anything = z.unknown().refine((value) => value !== undefined);
    const checker = isList ? anything : zodOf(document, plain, `${place}.parameters`);
    shape.push([name, within === "path" || parameter.required === true ? checker : checker.optional()]);
    types.push([name, String(plain.type)]);
  }
  return shape.length === 0
    ? undefined
    : { schema: z.object(Object.fromEntries(shape)), types: Object.fromEntries(types) };
}

function checkerOf({ document, inline }: Reader, schema: unknown, place: string): z.ZodType {
  return zodOf(document, inline(schema, place, "check"), place);
}

function zodOf({ openapi }: Fields, schema: PlainSchema, place: string): z.ZodType {
  const defaultTarget = String(openapi).startsWith("3.0") ? "openapi-3.0" : "draft-2020-12";
  try {
    return z.fromJSONSchema(schema, { defaultTarget });
  } catch (error) {
    throw new InputError(place, `is not a valid schema: ${errorMessage(error)}`);
  }
}

/** The response of the first success, or else of the default or the first one: its example, or a sample of its schema. */
function responseOf({ document, sample, inline }: Reader, { responses }: Fields, place: string) {
  if (!isObject(responses)) throw new InputError(`${place}.responses`, "must be an object with the responses");
  const statuses = Object.keys(responses).sort();
  const chosen =
    statuses.find((status) => /^2\d\d$/.test(status)) ??
    statuses.find((status) => /^(?:default|[2-5](?:\d\d|XX))$/.test(status));
  if (chosen === undefined) return {};
  const at = `${place}.responses.${chosen}`;
  const status = Number(chosen.replace("XX", "00")) || 200;
  const { content } = fieldsOf(document, responses[chosen], at);
  const json = isObject(content) ? jsonIn(content) : undefined;
  if (json === undefined) return { status };
  const { example, examples, schema } = json.media;
  const [first] = isObject(examples) ? Object.values(examples) : [];
  const named = first === undefined ? undefined : fieldsOf(document, first, `${at}.content.${json.type}.examples`);
  const given = example ?? named?.value;
  if (given !== undefined || schema === undefined) return { status, ...(given !== undefined && { body: given }) };
  const plain = inline(schema, `${at}.content.${json.type}.schema`, "sample");
  return { status, body: sample(plain, { skipWriteOnly: true, quiet: true }) };
}

/** The first JSON among the forms of a body. */
function jsonIn(content: Fields): { readonly type: string; readonly media: Fields } | undefined {
  const found = Object.entries(content).find(([type]) => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type));
  return found && { type: found[0], media: isObject(found[1]) ? found[1] : {} };
}

/** An object of the document, also one that it refers to. */
function fieldsOf(document: Fields, value: unknown, place: string): Fields {
  const found = isObject(value) && value.$ref !== undefined ? resolveRef(document, value.$ref, place) : value;
  if (!isObject(found) || found.$ref !== undefined)
    throw new InputError(place, "must be an object, or a reference to one that is no reference itself");
  return found;
}
