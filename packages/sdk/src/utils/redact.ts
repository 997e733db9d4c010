/** Shorter text is not a credential, and may be part of ordinary words such as `token_expired`. */
const shortestSecret = 8;

/** Matches a character, also in the other alphabet of base64, and its escapes in JSON and in URLs. */
const escaped = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  const literal = /[+-]/.test(character) ? "[+-]" : /[/_]/.test(character) ? "[/_]" : character.replace(/\W/, "\\$&");
  return `(?:\\\\?${literal}|\\\\u${code.padStart(4, "0")}|%${code})`;
};

/**
 * Base64 of text that begins after 0, 1 or 2 other bytes, without the characters that depend on its neighbours. Where the
 * runtime has no `btoa`, secrets are only found as they are.
 */
const base64Of = (text: string, before: number): string =>
  (globalThis.btoa?.("-".repeat(before) + text) ?? text).slice(
    Math.ceil((8 * before) / 6),
    Math.floor((8 * (before + text.length)) / 6),
  );

/** Text in one case and in one alphabet of base64. */
const fold = (text: string): string => text.toLowerCase().replaceAll("-", "+").replaceAll("_", "/");

/** Replaces secrets in text: in any case, in base64, and where JSON or a URL escapes them. */
export function redact(text: string, secrets: Iterable<string>): string {
  // No form of a secret is shorter than the secret.
  const known = [...secrets].filter(({ length }) => length >= shortestSecret && length <= text.length);
  let clean = text;
  // Longest first: one secret may start with another.
  for (const secret of known.sort((a, b) => b.length - a.length)) {
    const forms = [secret, ...[0, 1, 2].map((before) => base64Of(secret, before))];
    const folded = fold(clean);
    // Each response names its request, and a regular expression takes longer than the rest of it.
    if (!/[\\%]/.test(clean) && !forms.some((form) => folded.includes(fold(form)))) continue;
    const patterns = forms.map((form) => [...form].map(escaped).join(""));
    clean = clean.replace(new RegExp(patterns.join("|"), "gi"), "[redacted]");
  }
  return clean;
}

/** Copies headers without secrets in their values. */
export function redactHeaders(headers: Headers, secrets: Iterable<string>): Headers {
  const clean = new Headers();
  // A test double of a response may have headers that can only be looked up.
  headers.forEach?.((value, name) => {
    clean.append(name, redact(value, secrets));
  });
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
