/** Breaks a text between words into lines of at most `width` characters. A longer word is broken too. */
export function wrapWords(text: string, width: number): string[] {
  // Some terminals report no columns.
  const length = Math.max(1, width);
  const pieces = (word: string): string[] =>
    Array.from({ length: Math.ceil(word.length / length) }, (_, index) =>
      word.slice(index * length, (index + 1) * length),
    );
  return joinWords(text.split(" ").flatMap(pieces), width);
}

/** Joins words to lines of at most `width` characters. A longer word gets a line of its own. */
export function joinWords(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
