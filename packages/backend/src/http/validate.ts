import { type FieldError, fieldErrorCodesByPattern, type OperationDescription } from "@call-transfer/spec";
import * as z from "zod";
import { isUuid } from "../utils/ids.ts";
import { type Checked, type Problem, problem } from "../utils/problem.ts";
import { isObject, omitUndefined } from "../utils/values.ts";
import type { IncomingRequest } from "./transport.ts";

/** The generated zod schemas for the input of one operation. */
export interface RequestSchema {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
}

/** The default limit for request bodies, in bytes. */
const maxBodyBytes = 2 ** 20;
const maxDepth = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The body size limit of an operation, in bytes. */
export function maxBodyBytesOf(operation: { readonly id: string; readonly maxBodyBytes?: number } | undefined): number {
  return operation?.maxBodyBytes ?? maxBodyBytes;
}

/**
 * Reads and validates a JSON body; the problem is `bad_request`, `invalid_json` or `validation_failed`. `onRead` receives
 * the unvalidated value and its size in bytes.
 */
export async function readBody(
  request: IncomingRequest,
  schema: z.ZodType | undefined,
  onRead?: (value: unknown, bytes: number) => void,
  maxBytes: number = maxBodyBytes,
): Promise<Checked<{ value: unknown }>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return problem("bad_request", {
      detail: "The request body is not JSON. Send it with Content-Type: application/json.",
    });
  const bytes = request.bodyBytes ?? (await readBounded(request, maxBytes));
  if (bytes === undefined || bytes.byteLength > maxBytes) return problem("bad_request", { detail: tooLarge(maxBytes) });
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    const detail = foreignForm(bytes);
    return detail === undefined ? problem("invalid_json") : problem("invalid_json", { detail });
  }
  const structureError = checkStructure(value);
  if (structureError !== undefined) return problem("bad_request", { detail: structureError });
  onRead?.(value, bytes.byteLength);
  return schema === undefined ? { value } : validate(schema, value, "body");
}

/** What a body is that is no JSON in UTF-8, and what to send in place of it; undefined if that is not known. */
function foreignForm([first, second]: Uint8Array): string | undefined {
  if (first === 0x1f && second === 0x8b) return "The request body is compressed (gzip). Send it as it is.";
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const isUtf16WithoutMark = (first === 0 && second !== 0) || (first !== undefined && first !== 0 && second === 0);
  return isUtf16 || isUtf16WithoutMark ? "The request body is in UTF-16. Send it in UTF-8." : undefined;
}

/**
 * Reads the body before the request is checked. Returns the parsed value, undefined unless it is JSON, and a request whose
 * body can be read as if this had not happened.
 */
export async function readAhead(request: IncomingRequest): Promise<{ request: IncomingRequest; value: unknown }> {
  const { method, url, headers, signal } = request;
  const same = omitUndefined({ method, url, headers, body: null, signal });
  try {
    const bytes = request.bodyBytes ?? (await readBounded(request, maxBodyBytes));
    // Longer than allowed, so that it is refused again.
    if (bytes === undefined)
      return { request: { ...same, bodyBytes: new Uint8Array(maxBodyBytes + 1) }, value: undefined };
    return { request: { ...same, bodyBytes: bytes }, value: parsedOrUndefined(bytes) };
  } catch (error) {
    const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => controller.error(error) });
    return { request: { ...same, body: broken }, value: undefined };
  }
}

function parsedOrUndefined(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

export function checkIds(params: Readonly<Record<string, string>>): Problem | undefined {
  for (const name in params)
    if (!isUuid(params[name] ?? ""))
      return problem("invalid_id_format", { detail: `The path parameter ${name} is not a UUID.` });
  return undefined;
}

/** Parses the query parameters into their types and validates them; a repeated parameter is invalid. */
export function readQuery(
  parameters: URLSearchParams,
  operation: Pick<OperationDescription, "queryParameters">,
  schema: z.ZodType | undefined,
): Checked<{ value: unknown }> {
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(operation.queryParameters)) {
    const [first, ...others] = parameters.getAll(name);
    if (first === undefined) continue;
    query[name] = others.length > 0 ? [first, ...others] : coerce(first, type);
  }
  return schema === undefined ? { value: query } : validate(schema, query, "query");
}

/** Validates `value` and returns it with its unknown fields; defaults replace absent and null fields. */
export function validate(schema: z.ZodType, value: unknown, root: string): Checked<{ value: unknown }> {
  const result = schema.safeParse(value);
  if (!result.success) return problem("validation_failed", { errors: fieldErrors(result.error.issues, value, root) });
  const defaults = defaultsOf(schema);
  if (defaults.length === 0 || !isObject(value)) return { value };
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of defaults) filled[name] ??= field.def.defaultValue;
  return { value: filled };
}

const knownDefaults = new WeakMap<z.ZodType, readonly (readonly [string, z.ZodDefault])[]>();

/** The fields of an object schema that have defaults. Cached: finding them takes longer than validating a body. */
function defaultsOf(schema: z.ZodType): readonly (readonly [string, z.ZodDefault])[] {
  let defaults = knownDefaults.get(schema);
  if (defaults === undefined) {
    const fields = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
    defaults = fields.flatMap(([name, field]) => (field instanceof z.ZodDefault ? [[name, field] as const] : []));
    knownDefaults.set(schema, defaults);
  }
  return defaults;
}

function tooLarge(maxBytes: number): string {
  return `The request body exceeds ${maxBytes / 2 ** 20} MiB. Send a smaller one.`;
}

async function readBounded(request: IncomingRequest, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length")) > maxBytes) {
    await request.body?.cancel().catch(() => {});
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** The chunks of a body. Throws the abort's reason if the client disconnects. Leaving the loop cancels the body. */
async function* chunksOf({ body, signal }: IncomingRequest): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  if (body === null) return;
  const reader = body.getReader();
  // The caller's stream may fail at that, too. Nothing depends on it.
  const cancel = () => reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", cancel);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    // A cancelled body looks like one that ended.
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener("abort", cancel);
    await cancel();
  }
}

/** Returns an error message for a value that is nested too deep or has a dangerous field name. */
export function checkStructure(value: unknown, depth = 1): string | undefined {
  if (!isObject(value)) return undefined;
  if (depth > maxDepth) return `The request body is nested deeper than ${maxDepth} levels.`;
  for (const name of Object.keys(value)) {
    if (name === "__proto__") return "The request body has a field named __proto__. Remove it.";
    const error = checkStructure(value[name], depth + 1);
    if (error !== undefined) return error;
  }
  return undefined;
}

function coerce(text: string, type: string): unknown {
  if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

function fieldErrors(issues: readonly z.core.$ZodIssue[], value: unknown, root: string): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const issue of issues) {
    const field = pathOf(issue.path) || root;
    if (!found.has(field)) found.set(field, { field, ...fieldErrorOf(issue, valueAt(value, issue.path)) });
  }
  return [...found.values()];
}

function fieldErrorOf(issue: z.core.$ZodIssue, value: unknown): Omit<FieldError, "field"> {
  if (value === undefined) return { code: "required", message: "is required" };
  if (value === null) return { code: "required", message: "must not be null" };
  if (issue.code === "too_small") {
    return issue.origin === "string" || issue.origin === "array"
      ? { code: "too_short", message: `must have at least ${count(issue.minimum, issue.origin)}` }
      : { code: "below_minimum", message: `must be at least ${issue.minimum}` };
  }
  if (issue.code === "too_big") {
    return issue.origin === "string" || issue.origin === "array"
      ? { code: "too_long", message: `must have at most ${count(issue.maximum, issue.origin)}` }
      : { code: "above_maximum", message: `must be at most ${issue.maximum}` };
  }
  if (issue.code === "invalid_format") {
    const pattern = codesByPattern.get(issue.pattern ?? "");
    if (pattern !== undefined)
      return {
        code: pattern,
        message: "must be a phone number in E.164 format: a plus sign, the country code, and digits only",
      };
    const example = issue.format === "datetime" ? ", such as 2026-03-02T12:00:00Z (a + in a query is written %2B)" : "";
    return { code: "invalid_format", message: `must be a valid ${issue.format}${example}` };
  }
  if (issue.code === "invalid_type") return { code: "invalid_format", message: `must be of type ${issue.expected}` };
  if (issue.code === "invalid_value")
    return { code: "invalid_format", message: `must be one of ${issue.values.map(String).join(", ")}` };
  return { code: "invalid_format", message: "is not valid" };
}

const codesByPattern = new Map(
  Object.entries(fieldErrorCodesByPattern).map(([pattern, code]) => [String(new RegExp(pattern)), code]),
);

function count(number: number | bigint, origin: string): string {
  return `${number} ${origin === "string" ? "character" : "item"}${number === 1 ? "" : "s"}`;
}

/** Formats a path, e.g. `members[0].ringTimeoutSecs`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) ? Reflect.get(part, name) : undefined), value);
}
