/** Shorter text is not a credential, and may be part of ordinary words such as `token_expired`. */
const shortestSecret = 8;

/** Matches a character and its JSON escapes. */
const escaped = (character: string): string => {
  const plain = character.replace(/\W/, "\\$&");
  return `(?:\\\\?${plain}|\\\\u${character.charCodeAt(0).toString(16).padStart(4, "0")})`;
};

/** Replaces secrets in text, also where JSON escapes them. */
export function redact(text: string, secrets: Iterable<string>): string {
  // Longest first: one secret may start with another.
  const known = [...secrets].filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  let clean = text;
  for (const secret of known) {
    clean = clean.replaceAll(secret, "[redacted]");
    if (clean.includes("\\")) clean = clean.replace(new RegExp([...secret].map(escaped).join(""), "gi"), "[redacted]");
  }
  return clean;
}

/** Line breaks, terminal escapes and marks that change the direction of text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Makes text of a server safe for a message: one line, without control characters, cut to a length. */
export function excerpt(text: string, length = 300): string {
  const line = text
    .slice(0, 2 * length)
    .replace(unprintable, " ")
    .trim();
  return line.length > length || text.length > 2 * length ? `${line.slice(0, length)}…` : line;
}
