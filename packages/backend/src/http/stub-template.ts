import { isFieldPath } from "../faults/fault-check.ts";
import { fieldAt } from "../faults/match-fault.ts";
import type { StubResponse } from "../generated/models.gen.ts";
import { InputError } from "../utils/input-error.ts";
import type { Success } from "../utils/problem.ts";
import { isObject } from "../utils/values.ts";

/** What the templates of a response stand for. */
interface TemplateValues {
  /** A new id. */
  readonly id: string;
  /** The time of the sandbox's clock. */
  readonly now: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Pick<URLSearchParams, "get">;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
}

/** The longest response that a stub may fill in, in characters. A longer one would keep all other requests waiting. */
const maxLength = 2 ** 23;

/** Counts the characters of one response. */
type Count = (length: number) => void;

/** The deepest JSON that a stub may hold, as requests may. */
const maxDepth = 64;
/** A template, or what says that there is none: `\{{` stands for `{{`, and two backslashes before a template for one. */
const template = /\\\\(?=\{\{)|\\\{\{|\{\{([^{}]*)\}\}/g;
/** What an escape stands for; undefined for a template. */
const escaped = (found: string): string | undefined => (found.startsWith("\\") ? found.slice(1) : undefined);
const known = /^(?:id|now|path\.(\w+)|(?:query|header)\.[\w-]+|body\.(.+))$/;

/** Checks that a value is JSON, that no field has a dangerous name, and each text. Throws InputError that names the field. */
export function checkJson(value: unknown, check: (text: string, field: string) => void, field = "", depth = 1): void {
  if (depth > maxDepth) throw new InputError("", `is nested deeper than ${maxDepth} levels`);
  if (typeof value === "string") check(value, field);
  else if (isObject(value) && isPlain(value))
    for (const [name, part] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
      if (name.replaceAll("\\{{", "").includes("{{"))
        throw new InputError(
          field,
          "has a template in the name of a field. Use it in a value, or write \\{{ for the text {{",
        );
      if (isReserved(name)) throw new InputError(place, "has a name that JavaScript reserves. Use another one");
      checkJson(part, check, place, depth + 1);
    }
  else if (value !== null && typeof value !== "boolean" && !Number.isFinite(value))
    throw new InputError(field, "must be JSON");
}

/** Whether it is a list or an object of fields, also of another realm. A date or a set has no fields, and would become {}. */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
}

/** Whether a name or path would reach the prototype of an object in an app that copies fields one by one. */
function isReserved(path: string): boolean {
  return path.split(/[.[\]]/).some((part) => ["__proto__", "constructor", "prototype"].includes(part));
}

/** Checks the templates of a text. `params` are those of the path. Throws InputError that says which ones exist. */
export function checkText(text: string, field: string, params: readonly string[]): void {
  const fromPath = params.map((name) => `{{path.${name}}}, `).join("");
  const advice = `Possible are {{id}}, {{now}}, ${fromPath}{{query.NAME}}, {{header.NAME}} and {{body.FIELD}}. For the text {{ itself, write \\{{`;
  const rest = text.replaceAll(template, (whole, inner = "") => {
    if (escaped(whole) !== undefined) return " ";
    const [name, param, path] = known.exec(inner.trim()) ?? [];
    const isThere = (param === undefined || params.includes(param)) && (path === undefined || isFieldPath(path));
    if (name === undefined || !isThere || isReserved(name))
      throw new InputError(field, `${whole.slice(0, 60)} is not a template. ${advice}`);
    return " ";
  });
  if (rest.includes("{{")) throw new InputError(field, `has {{ without the end of a template. ${advice}`);
}

/** Fills the templates of a response in. Throws RangeError for one that becomes longer than 8 Mi characters. */
export function filledResponse(response: StubResponse = {}, values: TemplateValues): Success {
  const { status = 200, headers = {}, body } = response;
  const own: Record<string, string> = {};
  let length = 0;
  const count: Count = (more) => {
    length += more;
    if (length > maxLength)
      throw new RangeError(
        `The filled response is longer than ${maxLength} characters. Use fewer templates or aliases.`,
      );
  };
  // What a request sends must not add a header.
  for (const [name, text] of Object.entries(headers))
    own[name] = filledText(text, values, count).replaceAll(/[^\t -~]/g, "?");
  return { status, headers: own, ...(body !== undefined && { body: filled(body, values, count) }) };
}

/** Fills templates in. A text that is one template becomes the value itself, or null without a value. */
function filled(value: unknown, values: TemplateValues, count: Count): unknown {
  if (Array.isArray(value)) return value.map((part) => filled(part, values, count));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name.replaceAll("\\{{", "{{"), filled(part, values, count)]),
    );
  if (typeof value !== "string") return value;
  const [, only] = /^\{\{([^{}]*)\}\}$/.exec(value) ?? [];
  if (only === undefined) return filledText(value, values, count);
  const found = templateValue(only.trim(), values) ?? null;
  count(textOf(found).length);
  return found;
}

/** Fills templates in; values that are no texts become JSON. */
function filledText(text: string, values: TemplateValues, count: Count): string {
  count(text.length);
  return text.replaceAll(template, (whole, name = "") => {
    const plain = escaped(whole);
    if (plain !== undefined) return plain;
    const value = textOf(templateValue(name.trim(), values) ?? "");
    count(value.length);
    return value;
  });
}

function textOf(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function templateValue(name: string, { id, now, params, query, headers, body }: TemplateValues): unknown {
  const [source = "", path = ""] = name.split(/\.(.*)/s);
  if (source === "id") return id;
  if (source === "now") return now;
  if (source === "path") return params[path];
  if (source === "query") return query.get(path);
  return source === "header" ? headers.get(path.toLowerCase()) : fieldAt(body, path);
}
