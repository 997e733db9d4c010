import { type FieldError, fieldCodesByPattern, type OperationDescription } from "@call-transfer/spec";
import { z } from "zod";
import { type Problem, problem } from "../model/problem.ts";
import type { Asked } from "./transport.ts";

/** The zod schemas of one operation's input, as generated. */
export interface RequestSchema {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
}

/** The largest body that is read, in bytes, where nothing else is said. */
const maxBodyBytes = 2 ** 20;
const maxDepth = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The largest body that a request may have, in bytes, given what the operation that it meets says. */
export function largestBody(operation: { readonly id: string; readonly maxBodyBytes?: number } | undefined): number {
  return operation?.maxBodyBytes ?? maxBodyBytes;
}

/**
 * Reads and checks a JSON body; a failing one is `bad_request`, `invalid_json` or `validation_failed`. `onRead` gets the
 * value as it came, with its size in bytes.
 */
export async function readBody(
  request: Asked,
  schema: z.ZodType | undefined,
  onRead?: (value: unknown, bytes: number) => void,
  maxBytes: number = maxBodyBytes,
): Promise<{ value: unknown } | Problem> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return problem("bad_request", { detail: "The body must be sent as Content-Type: application/json." });
  const bytes = request.received ?? (await readBounded(request, maxBytes));
  if (bytes === undefined || bytes.byteLength > maxBytes) return problem("bad_request", { detail: tooLarge(maxBytes) });
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return problem("invalid_json");
  }
  const trouble = structureTrouble(value, 1);
  if (trouble !== undefined) return problem("bad_request", { detail: trouble });
  onRead?.(value, bytes.byteLength);
  return schema === undefined ? { value } : validate(schema, value, "body");
}

/** Checks the query; texts become the types that the contract gives them, and repeated parameters are refused. */
export function readQuery(
  parameters: URLSearchParams,
  operation: Pick<OperationDescription, "queryParameters">,
  schema: z.ZodType | undefined,
): { value: unknown } | Problem {
  const query: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(operation.queryParameters)) {
    const [first, ...others] = parameters.getAll(name);
    if (first === undefined) continue;
    query[name] = others.length > 0 ? [first, ...others] : coerce(first, type);
  }
  return schema === undefined ? { value: query } : validate(schema, query, "query");
}

/** Checks `value` and answers it raw, so that unknown fields stay, with defaults filled in for absent and null. */
export function validate(schema: z.ZodType, value: unknown, root: string): { value: unknown } | Problem {
  const result = schema.safeParse(value);
  if (!result.success) return problem("validation_failed", { errors: fieldErrors(result.error.issues, value, root) });
  const defaults = defaultsOf(schema);
  if (defaults.length === 0 || !isObject(value)) return { value };
  const filled: Record<string, unknown> = { ...value };
  for (const [name, field] of defaults) filled[name] ??= field.def.defaultValue;
  return { value: filled };
}

const knownDefaults = new WeakMap<z.ZodType, readonly (readonly [string, z.ZodDefault])[]>();

/** The fields of an object's schema that have defaults: looked for once, which takes longer than checking a body. */
function defaultsOf(schema: z.ZodType): readonly (readonly [string, z.ZodDefault])[] {
  let defaults = knownDefaults.get(schema);
  if (defaults === undefined) {
    const fields = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
    defaults = fields.flatMap(([name, field]) => (field instanceof z.ZodDefault ? [[name, field] as const] : []));
    knownDefaults.set(schema, defaults);
  }
  return defaults;
}

/** Says that a body is larger than so many bytes. */
function tooLarge(maxBytes: number): string {
  return `The body is larger than ${maxBytes / 2 ** 20} MiB.`;
}

async function readBounded(request: Asked, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length")) > maxBytes) {
    await request.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(part.value);
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

function structureTrouble(value: unknown, depth: number): string | undefined {
  if (!isObject(value)) return undefined;
  if (depth > maxDepth) return `The body is nested deeper than ${maxDepth} levels.`;
  for (const name of Object.keys(value)) {
    if (name === "__proto__") return "The body has a field named __proto__.";
    const trouble = structureTrouble(value[name], depth + 1);
    if (trouble !== undefined) return trouble;
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
    if (!found.has(field)) found.set(field, { field, ...fault(issue, at(value, issue.path)) });
  }
  return [...found.values()];
}

function fault(issue: z.core.$ZodIssue, value: unknown): { code: FieldError["code"]; message: string } {
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
    if (pattern !== undefined) return { code: pattern, message: "must be a phone number in E.164 form" };
    const example = issue.format === "datetime" ? ", such as 2026-03-02T12:00:00Z (a + in a query is written %2B)" : "";
    return { code: "invalid_format", message: `must be a valid ${issue.format}${example}` };
  }
  if (issue.code === "invalid_type") return { code: "invalid_format", message: `must be of type ${issue.expected}` };
  if (issue.code === "invalid_value")
    return { code: "invalid_format", message: `must be one of ${issue.values.map(String).join(", ")}` };
  return { code: "invalid_format", message: "is not valid" };
}

const codesByPattern = new Map(
  Object.entries(fieldCodesByPattern).map(([pattern, code]) => [String(new RegExp(pattern)), code]),
);

function count(number: number | bigint, origin: string): string {
  return `${number} ${origin === "string" ? "character" : "item"}${number === 1 ? "" : "s"}`;
}

/** Writes a path as `members[0].ringTimeoutSecs`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) ? Reflect.get(part, name) : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
