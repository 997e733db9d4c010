/** " Did you mean …?" with the candidate closest to a mistyped word; empty when none is close. */
export function suggestion(word: string, candidates: readonly string[], most = mostEdits): string {
  const [nearest] = candidates
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ name, edits }) => edits <= most(name))
    .toSorted((one, other) => one.edits - other.edits);
  return nearest === undefined ? "" : ` Did you mean ${nearest.name}?`;
}

/** The most edits that count as a misspelling of a word; beyond that it is another word. */
export function mostEdits(word: string): number {
  return Math.min(3, Math.floor(word.length / 2.5));
}

/** The number of letters to add, remove or replace to turn one word into the other. */
export function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...to].entries()) {
      const [replaced = 0, added = 0, left = 0] = [row[at], row[at + 1], next[at]];
      next.push(letter === wanted ? replaced : 1 + Math.min(replaced, added, left));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
