// How `changeset version` writes a changelog: .changeset/config.json names this file. It imports nothing, so that changesets can
// load it by itself.

/** A list item with the text of a changeset, without what it says to the gate. */
export function getReleaseLine({ summary }: { readonly summary: string }): string {
  const text = summary.replaceAll(/^<!-- no break: .*-->\n?/gm, "").trim();
  return `- ${text.replaceAll("\n", "\n  ").replaceAll(/ +$/gm, "")}`;
}

/** Which packages of this repository a package now requires. */
export function getDependencyReleaseLine(
  _: unknown,
  moved: readonly { readonly name: string; readonly newVersion: string }[],
): string {
  const named = moved.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`);
  return named.length === 0 ? "" : `- Requires ${named.join(" and ")}.`;
}
