// Versions: as Python writes them, and what a changelog says of one. Imports nothing, because the plan runs before an install.

/** The name of the Python client in changesets and records. Its package.json is private. */
export const pythonPackage = "@call-transfer/python";

/** Its name at PyPI. */
export const pythonClient = "call-transfer";

/** The tags that Python has a form for. pip orders them so: dev, a, b, rc. */
const forms: Readonly<Record<string, string>> = { next: ".dev", alpha: "a", beta: "b", rc: "rc" };

/**
 * A version as Python writes it: 2.0.0-next.1 is 2.0.0.dev1, and 2.0.0-beta.1 is 2.0.0b1.
 *
 * @throws {Error} if Python has no form for the prerelease
 */
export function pythonVersion(version: string): string {
  const [release = "", ...rest] = version.split("-");
  if (rest.length === 0) return release;
  const [, tag = "", count] = /^([a-z]+)\.(\d+)$/.exec(rest.join("-")) ?? [];
  const form = forms[tag];
  if (form === undefined || count === undefined)
    throw new Error(
      `${version} has no form in Python. Possible: ${release}-TAG.NUMBER, with the tag ${Object.keys(forms).join(", ")}.`,
    );
  return `${release}${form}${count}`;
}

/** The section of a changelog for one version. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version);
  return section?.slice(section.indexOf("\n")).trim() ?? "";
}
