import { isFieldPath } from "../../faults/fault-check.ts";
import { fieldAt } from "../../faults/match-fault.ts";
import type { StubResponse } from "../../generated/models.gen.ts";
import { InputError } from "../../model/errors/input-error.ts";
import type { Success } from "../../model/errors/problem.ts";
import { isObject } from "../../model/values/json.ts";

/** What the templates of a response stand for. */
export interface TemplateValues {
  /** A new id. */
  readonly id: string;
  /** The time of the sandbox's clock. */
  readonly now: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Pick<URLSearchParams, "get">;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
}

/** The deepest JSON that a stub may hold, as requests may. */
const maxDepth = 64;
const template = /\{\{([^{}]*)\}\}/g;
const known = /^(?:id|now|path\.(\w+)|(?:query|header)\.[\w-]+|body\.(.+))$/;

/** Checks that a value is JSON, that no field has a dangerous name, and each text. Throws InputError that names the field. */
export function checkJson(value: unknown, check: (text: string, field: string) => void, field = "", depth = 1): void {
  if (depth > maxDepth) throw new InputError("", `is nested deeper than ${maxDepth} levels`);
  if (typeof value === "string") check(value, field);
  else if (isObject(value))
    for (const [name, part] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
      if (isReserved(name)) throw new InputError(place, "has a name that JavaScript reserves. Use another one");
      checkJson(part, check, place, depth + 1);
    }
  else if (value !== null && typeof value !== "boolean" && !Number.isFinite(value))
    throw new InputError(field, "must be JSON");
}

/** Whether a name or path would reach the prototype of an object in an app that copies fields one by one. */
function isReserved(path: string): boolean {
  return path.split(/[.[\]]/).some((part) => ["__proto__", "constructor", "prototype"].includes(part));
}

/** Checks the templates of a text. `params` are those of the path. Throws InputError that says which ones exist. */
export function checkText(text: string, field: string, params: readonly string[]): void {
  const fromPath = params.map((name) => `{{path.${name}}}, `).join("");
  const advice = `Possible are {{id}}, {{now}}, ${fromPath}{{query.NAME}}, {{header.NAME}} and {{body.FIELD}}`;
  const rest = text.replaceAll(template, (whole, inner: string) => {
    const [name, param, path] = known.exec(inner.trim()) ?? [];
    const isThere = (param === undefined || params.includes(param)) && (path === undefined || isFieldPath(path));
    if (name === undefined || !isThere || isReserved(name))
      throw new InputError(field, `${whole.slice(0, 60)} is not a template. ${advice}`);
    return "";
  });
  if (rest.includes("{{")) throw new InputError(field, `has {{ without the end of a template. ${advice}`);
}

/** Fills the templates of a response in. */
export function filledResponse(response: StubResponse = {}, values: TemplateValues): Success {
  const { status = 200, headers = {}, body } = response;
  const own: Record<string, string> = {};
  // What a request sends must not add a header.
  for (const [name, text] of Object.entries(headers)) own[name] = filledText(text, values).replaceAll(/[^\t -~]/g, "?");
  return { status, headers: own, ...(body !== undefined && { body: filled(body, values) }) };
}

/** Fills templates in. A text that is one template becomes the value itself, null if there is none. */
function filled(value: unknown, values: TemplateValues): unknown {
  if (Array.isArray(value)) return value.map((part) => filled(part, values));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, values)]));
  if (typeof value !== "string") return value;
  const [, only] = /^\{\{([^{}]*)\}\}$/.exec(value) ?? [];
  return only === undefined ? filledText(value, values) : (templateValue(only.trim(), values) ?? null);
}

/** Fills templates in; values that are no texts become JSON. */
function filledText(text: string, values: TemplateValues): string {
  return text.replaceAll(template, (_, name: string) => {
    const value = templateValue(name.trim(), values) ?? "";
    return isObject(value) ? JSON.stringify(value) : String(value);
  });
}

function templateValue(name: string, { id, now, params, query, headers, body }: TemplateValues): unknown {
  const [source = "", path = ""] = name.split(/\.(.*)/s);
  if (source === "id") return id;
  if (source === "now") return now;
  if (source === "path") return params[path];
  if (source === "query") return query.get(path);
  return source === "header" ? headers.get(path.toLowerCase()) : fieldAt(body, path);
}
