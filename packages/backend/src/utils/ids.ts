const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a UUID, of any version. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** A UUID in the form in which records have it: in lower case (RFC 9562). Any other text stays. */
export function canonicalId(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text;
}

const upperCase = /[A-F]/;
const uuids = /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi;

/** A text whose UUIDs are canonical, such as a path or the id of a contact. */
export function withCanonicalUuids(text: string): string {
  return upperCase.test(text) ? text.replaceAll(uuids, (id) => id.toLowerCase()) : text;
}

const idName = /^id$|Ids?$/;

/** A JSON value whose UUIDs in fields of ids are canonical; the same value if they are already. */
export function withCanonicalIds<Value>(value: Value, name = ""): Value {
  if (typeof value === "string")
    return (idName.test(name) && upperCase.test(value) ? canonicalId(value) : value) as Value;
  if (typeof value !== "object" || value === null) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [key, part] of Object.entries(value)) {
    const own = withCanonicalIds(part, Array.isArray(value) ? name : key);
    if (own === part) continue;
    changed ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    changed[key] = own;
  }
  return (changed ?? value) as Value;
}

/** Parameters of a path, with canonical UUIDs; the same object if they are already. */
export function withCanonicalParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(params).filter((name) => upperCase.test(params[name] ?? ""));
  if (names.length === 0) return params;
  return { ...params, ...Object.fromEntries(names.map((name) => [name, canonicalId(params[name] ?? "")])) };
}

/** What a sandbox may be called. Paths and headers contain the name, so it has no characters to encode. */
export const sandboxNamePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The same in words. */
export const sandboxNameRule = "must be 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen";

/** "Use …" with the closest allowed name, for a name that is not allowed; empty if nothing of it can be kept. */
export function sandboxNameAdvice(name: string): string {
  const allowed = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 63)
    .replace(/-+$/, "");
  return allowed === "" ? "" : ` Use ${allowed}, for example.`;
}
