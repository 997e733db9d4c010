/** A field of a record that a request changed. */
export interface FieldChange {
  /** Its path, such as `availability.status`. */
  readonly field: string;
  /** The value as text; absent if the field was added. */
  readonly before?: string;
  /** The value as text; absent if the field was removed. */
  readonly after?: string;
}

/** The fields in which two versions of a record differ, by their paths. Without one version, all fields of the other. */
export function changedFields(before: unknown, after: unknown): readonly FieldChange[] {
  const [old, next] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) => {
    const [from, to] = [old.get(field), next.get(field)];
    return from === to
      ? []
      : [{ field, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) }];
  });
}

/** The values of a record by path. Lists count as one value. */
function flat(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (value === undefined) return into;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    into.set(path, typeof value === "string" ? value : JSON.stringify(value));
    return into;
  }
  for (const [name, inner] of Object.entries(value)) flat(inner, path === "" ? name : `${path}.${name}`, into);
  return into;
}
