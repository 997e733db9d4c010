import { jsonOrText, UsageError } from "./command-line.ts";

/** A field to change: the names and indexes that lead to it, and the new value; null removes it. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly text: string;
}

/** Parses fields of the form `name=value`, such as `availability.status=away`. Throws UsageError that names the wrong one. */
export function readFields(settings: readonly string[]): readonly FieldChange[] {
  return settings.map((setting) => {
    const [, path, text] = /^([\w.]+)=(.*)$/s.exec(setting) ?? [];
    if (path === undefined || text === undefined)
      throw new UsageError(`${setting}: must be FIELD=VALUE, such as name=Reception or availability.status=away.`);
    return { path: path.split("."), text };
  });
}

/** The top-level fields of a record after changes. A field that is a text stays one; other values are JSON, or else text. */
export function changesOf(record: object, changes: readonly FieldChange[]): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const { path, text } of changes) {
    const [top = "", ...inner] = path;
    const before = Object.hasOwn(changed, top) ? changed[top] : Reflect.get(record, top);
    changed[top] = withValue(before, inner, text);
  }
  return changed;
}

function withValue(before: unknown, [name, ...inner]: readonly string[], text: string): unknown {
  if (name === undefined) return parsedValue(text, typeof before === "string");
  if (Array.isArray(before)) {
    const index = Number(name);
    if (!(index >= 0 && index < before.length))
      throw new UsageError(
        `${name}: must be an index from 0 to ${before.length - 1}. To add to a list, set all of it as JSON.`,
      );
    return before.with(index, withValue(before[index], inner, text));
  }
  const fields = typeof before === "object" && before !== null ? before : {};
  const value = withValue(Reflect.get(fields, name), inner, text);
  const { [name]: _, ...others } = fields as Record<string, unknown>;
  return value === null ? others : { ...others, [name]: value };
}

function parsedValue(text: string, isText: boolean): unknown {
  if (text === "") return null;
  return isText ? text : jsonOrText(text);
}
