import { messageIn } from "../../data/values/format.ts";
import type { RecordField } from "./fields.ts";
import { redactedValue, type StateRecord } from "./records.ts";

/** What is wrong with a form, as the control plane says it. */
export interface FormError {
  /** The path of the field, such as `hours.monday[0].to`; empty for the record as a whole. */
  readonly path: string;
  readonly message: string;
}

/**
 * A record while it is edited: texts for everything that is typed, booleans for flags, an object for a group, a list for a
 * list. Hours are kept as they are.
 */
export type Draft = Readonly<Record<string, unknown>>;

/** The draft of a record. Secrets are left empty: they change only if something is typed. */
export function draftOf(fields: readonly RecordField[], record: StateRecord): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, draftValue(field, record[field.name])]));
}

function draftValue(field: RecordField, value: unknown): unknown {
  if (field.kind === "hours") return value;
  if (field.kind === "flag") return value === true;
  if (field.kind === "group") return draftOf(field.fields ?? [], asRecord(value));
  if (field.kind === "list") return asList(value).map((entry) => draftOf(field.fields ?? [], asRecord(entry)));
  if (field.kind === "lines") return value === undefined ? "" : asList(value).join("\n");
  if (field.kind === "json") return value === undefined ? "" : JSON.stringify(value, null, 2);
  return value === undefined || value === null || value === redactedValue ? "" : String(value);
}

/** A new record: the defaults of its fields, an id, and an account. */
export function newRecord(fields: readonly RecordField[], newId: () => string, accountId?: unknown): StateRecord {
  const first = (field: RecordField): unknown => {
    if (field.name === "id" && field.isRequired) return newId();
    if (field.default !== undefined) return field.default;
    if (field.collection === "accounts") return accountId;
    if (field.kind === "list") return [{}];
    return field.kind === "choice" && field.isRequired ? field.options?.[0] : undefined;
  };
  return Object.fromEntries(fields.map((field) => [field.name, first(field)]));
}

/** A copy of a record with an id of its own, and without its secrets and the times of its changes. */
export function copyOf(fields: readonly RecordField[], record: StateRecord, newId: () => string): StateRecord {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }) => {
      const value = record[name];
      if (name === "id") return isRequired ? [["id", newId()]] : [];
      if (value === undefined || value === redactedValue || (kind === "time" && !isRequired)) return [];
      return [[name, value]];
    }),
  );
}

/** The record that a draft stands for. Throws a {@link FormProblem} for a part that is not JSON. */
export function recordOf(fields: readonly RecordField[], draft: Draft, prefix = ""): StateRecord {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = typedValue(field, draft[field.name], prefix + field.name);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function typedValue(field: RecordField, value: unknown, path: string): unknown {
  if (field.kind === "hours" || field.kind === "flag") return value;
  if (field.kind === "group") return recordOf(field.fields ?? [], asRecord(value), `${path}.`);
  if (field.kind === "list")
    return asList(value).map((entry, index) => recordOf(field.fields ?? [], asRecord(entry), `${path}[${index}].`));
  const text = String(value ?? "").trim();
  if (field.kind === "lines")
    return text === "" && !field.isRequired ? undefined : text.split(/\s*\n\s*/).filter(Boolean);
  if (text === "") return undefined;
  // What is no number is sent as it is, so that the server says what it must be.
  if (field.kind === "number") return Number.isNaN(Number(text)) ? text : Number(text);
  return field.kind === "json" ? parseJson(text, path) : field.kind === "text" ? String(value) : text;
}

/** A problem of a form that is found in the page. */
export class FormProblem extends Error implements FormError {
  override readonly name = "FormProblem";
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Reads JSON that a user typed. Throws a {@link FormProblem} with its reason. */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FormProblem(path, `is not JSON: ${messageIn(error)}`);
  }
}

/** The fields that differ between two records: their new values, and null for those that are gone. */
export function changesBetween(before: StateRecord, after: StateRecord): StateRecord {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name] ?? null]),
  );
}

/** The error of a response of the control plane. */
export function errorOf(error: unknown): FormError {
  const { field = "", message = "The server did not say why." } = Object(
    (Object(error) as { error?: unknown }).error,
  ) as { field?: string; message?: string };
  const path = field === "body" ? "" : field;
  return { path, message: message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message };
}

/** The paths of the inputs that a form shows. */
export function pathsOf(fields: readonly RecordField[], draft: Draft, prefix = ""): readonly string[] {
  return fields.flatMap(({ name, kind, fields: inner = [] }) => {
    const path = prefix + name;
    const value = draft[name];
    if (kind === "group") return pathsOf(inner, asRecord(value), `${path}.`);
    if (kind === "list")
      return [path, ...asList(value).flatMap((entry, index) => pathsOf(inner, asRecord(entry), `${path}[${index}].`))];
    if (kind !== "hours") return [path];
    const days = Object.entries(asRecord(value)).flatMap(([day, windows]) =>
      asList(windows).flatMap((_, index) => [`${path}.${day}[${index}].from`, `${path}.${day}[${index}].to`]),
    );
    return [path, `${path}.timeZone`, ...days];
  });
}

/** The shown path that an error belongs to: its own, or the closest one around it. Undefined if the form shows none. */
export function placeOf(error: FormError, paths: readonly string[]): string | undefined {
  return paths
    .filter((path) => error.path === path || error.path.startsWith(`${path}.`) || error.path.startsWith(`${path}[`))
    .toSorted((a, b) => b.length - a.length)[0];
}

const asRecord = (value: unknown): StateRecord => Object(value) as StateRecord;

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
