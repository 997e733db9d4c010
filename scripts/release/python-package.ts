/** The name of the Python client in changesets and records. Its package.json is private. */
export const pythonPackage = "@call-transfer/python";

/** Its name at PyPI. */
export const pythonClient = "call-transfer";

/** The tags that Python has a form for. pip orders them so: dev, a, b, rc. */
const forms: Readonly<Record<string, string>> = { next: ".dev", alpha: "a", beta: "b", rc: "rc" };

/**
 * A version as Python writes it: 2.0.0-next.1 is 2.0.0.dev1, and 2.0.0-beta.1 is 2.0.0b1.
 *
 * @throws {Error} if Python has no form for the tag of a prerelease
 */
export function pythonVersion(version: string): string {
  const [release = "", ...rest] = version.split("-");
  if (rest.length === 0) return release;
  const [, tag = "", count = ""] = /^([a-z]+)\.(\d+)$/.exec(rest.join("-")) ?? [];
  const form = forms[tag];
  if (form === undefined)
    throw new Error(
      `${version} has no form in Python. Run \`npx changeset pre exit\`, and enter prereleases as ${Object.keys(forms).join(", ")}.`,
    );
  return `${release}${form}${count}`;
}
