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
