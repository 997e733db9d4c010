import { isFieldPath } from "../faults/fault-check.ts";
import { fieldAt } from "../faults/match-fault.ts";
import { InputError } from "../model/errors/input-error.ts";
import { isObject } from "../model/values/json.ts";

/** What the templates of a response stand for. */
export interface TemplateValues {
  /** Makes an id. All templates of a response get the same one. */
  readonly newId: () => string;
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
const possible = "{{id}}, {{now}}, {{path.NAME}}, {{query.NAME}}, {{header.NAME}} and {{body.FIELD}}";
// An app that copies fields one by one would change the prototype of its object.
const reservedNames: readonly string[] = ["__proto__", "constructor", "prototype"];
const reserved = "has a name that JavaScript reserves. Use another one";

/** Checks that a value is JSON, that no field has a dangerous name, and each text. Throws InputError that names the field. */
export function checkJson(
  value: unknown,
  checkText: (text: string, field: string) => void,
  field = "",
  depth = 1,
): void {
  if (depth > maxDepth) throw new InputError("", `is nested deeper than ${maxDepth} levels`);
  if (typeof value === "string") checkText(value, field);
  if (!isObject(value)) {
    const isScalar = value === null || typeof value === "string" || typeof value === "boolean";
    if (!isScalar && !Number.isFinite(value)) throw new InputError(field, "must be JSON");
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
    if (isReserved(name)) throw new InputError(place, reserved);
    checkJson(part, checkText, place, depth + 1);
  }
}

/** Whether the path of a field has a name that changes the prototype of an object somewhere. */
function isReserved(path: string): boolean {
  return path.split(/[.[\]]/).some((part) => reservedNames.includes(part));
}

/** Checks the templates of a text. `params` are those of the path. Throws InputError that says which ones exist. */
export function checkText(text: string, field: string, params: readonly string[]): void {
  const rest = text.replaceAll(template, (whole, name: string) => {
    const reason = reasonAgainst(name.trim(), params);
    const shown = whole.length > 60 ? `${whole.slice(0, 60)}…` : whole;
    if (reason !== undefined) throw new InputError(field, `${shown} ${reason}`);
    return "";
  });
  if (rest.includes("{{"))
    throw new InputError(field, `has {{ without the end of a template. Possible are ${possible}`);
}

/** Why a name is no template; undefined if it is one. */
function reasonAgainst(name: string, params: readonly string[]): string | undefined {
  const [source, path] = partsOf(name);
  if (isReserved(name)) return reserved;
  if (source === "path" && path !== undefined && !params.includes(path))
    return params.length === 0 ? "is not in the path, which has no parameters" : `must be one of ${params.join(", ")}`;
  const isKnown =
    (path === undefined && (source === "id" || source === "now")) ||
    (path !== undefined && (source === "path" || /^(?:query|header)\.[\w-]+$/.test(name))) ||
    (path !== undefined && source === "body" && isFieldPath(path));
  return isKnown ? undefined : `is not a template. Possible are ${possible}`;
}

function partsOf(name: string): readonly [source: string, path: string | undefined] {
  const dot = name.indexOf(".");
  return dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}

/**
 * Creates a function that fills the templates of one response in. A text that is one template becomes the value itself, null if
 * there is none.
 */
export function createFilling(values: TemplateValues): (value: unknown) => unknown {
  let id: string | undefined;
  const newId = (): string => {
    id ??= values.newId();
    return id;
  };
  return (value) => filledPart(value, { ...values, newId });
}

function filledPart(value: unknown, values: TemplateValues): unknown {
  if (Array.isArray(value)) return value.map((part) => filledPart(part, values));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filledPart(part, values)]));
  if (typeof value !== "string") return value;
  const [, only] = /^\{\{([^{}]*)\}\}$/.exec(value) ?? [];
  if (only !== undefined) return templateValue(only.trim(), values) ?? null;
  return value.replaceAll(template, (_, name: string) => asText(templateValue(name.trim(), values)));
}

/** A value within a text. */
export function asText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value ?? "");
}

function templateValue(name: string, { newId, now, params, query, headers, body }: TemplateValues): unknown {
  const [source, path = ""] = partsOf(name);
  if (source === "id") return newId();
  if (source === "now") return now;
  if (source === "path") return params[path];
  if (source === "query") return query.get(path);
  return source === "header" ? headers.get(path.toLowerCase()) : fieldAt(body, path);
}
