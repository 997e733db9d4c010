/** Breaks a text between words into lines of at most `width` characters. A longer word is broken too. */
export function wrapWords(text: string, width: number): string[] {
  // Some terminals report no columns.
  const length = Math.max(1, width);
  const pieces = (word: string): string[] => {
    // Not by UTF-16 units, which could part an emoji.
    const characters = word.length > length ? [...word] : [word];
    if (characters.length <= 1) return [word];
    return Array.from({ length: Math.ceil(characters.length / length) }, (_, index) =>
      characters.slice(index * length, (index + 1) * length).join(""),
    );
  };
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
