/** Shorter text than this is no credential, and would be found inside ordinary words such as `token_expired`. */
const shortestSecret = 8;

/** Replaces secrets in text that leaves the client, also where a server echoes them. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= shortestSecret) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}

/** Text without tokens, also where JSON writes them with escapes. */
export function withoutTokens(text: string, tokens: ReadonlySet<string>): string {
  const clean = redact(text, tokens);
  if (!clean.includes("\\")) return clean;
  try {
    const value: unknown = JSON.parse(clean);
    const written = JSON.stringify(value, (_, part: unknown) =>
      typeof part === "string" ? redact(part, tokens) : part,
    );
    return written === JSON.stringify(value) ? clean : written;
  } catch {
    return clean;
  }
}

/** Line breaks, terminal escapes and marks that turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Text of a server as it may stand in a message: on one line, without control characters, cut to a length. */
export function excerpt(text: string, length = 300): string {
  const line = text
    .slice(0, 2 * length)
    .replace(unprintable, " ")
    .trim();
  return line.length > length || text.length > 2 * length ? `${line.slice(0, length)}…` : line;
}
