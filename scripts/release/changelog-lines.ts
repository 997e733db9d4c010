// How `changeset version` writes a changeset into a changelog: .changeset/config.json names this file. It imports nothing, so
// that changesets can load it by itself.

/** A list item with the text of a changeset. `npm run release -- version` writes changesets without a text, for followers. */
export function getReleaseLine({ summary }: { readonly summary: string }): string {
  return summary === "" ? "" : `- ${summary.replaceAll("\n", "\n  ").replaceAll(/ +$/gm, "")}`;
}

/** Nothing: `changelogs.ts` writes what an entry says of other packages. */
export const getDependencyReleaseLine = (): string => "";
