// Which of the changed files are pages, and whether anything else changed.

const isPage = (path: string): boolean =>
  path.startsWith("docs/") ? path.endsWith(".md") : /^(?:(?:packages\/[^/]+\/)?README|CONTRIBUTING)\.md$/.test(path);

/** The changed pages; undefined if there are none, or if anything else changed too. */
export function pagesAmong(changed: readonly string[]): string[] | undefined {
  return changed.length > 0 && changed.every(isPage) ? [...changed] : undefined;
}
