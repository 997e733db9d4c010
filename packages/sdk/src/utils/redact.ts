import { leftOut } from "./guards.ts";

/** Shorter text is not a credential, and may be part of ordinary words such as `token_expired`. */
const shortestSecret = 8;

/** Characters by which a secret is recognized. The rest is compared as far as it goes: a limit may have cut it. */
const headLength = 24;

/** Text in one case and in one alphabet of base64. Its length stays: only one letter has two when it is small. */
const fold = (text: string): string =>
  text.replaceAll("İ", "i").toLowerCase().replaceAll("-", "+").replaceAll("_", "/");

/** The digits of base64, folded. */
const digits = "abcdefghijklmnopqrstuvwxyz".repeat(2).concat("0123456789+/");

/** Folded base64 without the first bits of the text, which share a digit with what stands before them. */
function base64Of(text: string, skipped: number): string {
  let form = "";
  let bits = 0;
  let count = -skipped;
  for (let at = 0; at < text.length; at++) {
    bits = (bits << 8) | text.charCodeAt(at);
    for (count += 8; count > 5; form += digits[(bits >> count) & 63]) count -= 6;
  }
  return form;
}

/** How a secret is written: as it is, and in base64 after 0, 1 or 2 other bytes. */
const writings = [fold, ...[0, 4, 2].map((skipped) => (secret: string) => base64Of(secret, skipped))];

/** A character as JSON, a URL or HTML escapes it, also where that was escaped again. */
const escaped =
  /\\{1,9}(?:u([\da-f]{4})|x([\da-f]{2})|([^\\\w\s"]))|(?:%(?:25){0,4}|&#x0{0,5})([\da-f]{2});?|&#0{0,5}(\d{2,3});|&(\w{3,6});/gi;

/** The names that HTML has for signs of credentials. */
const named: Readonly<Record<string, string>> = {
  ...{ plus: "+", sol: "/", equals: "=", lowbar: "_", hyphen: "-", dash: "-", period: "." },
};

/** Replaces what begins like a secret: in any case, in base64, and with escapes. Takes time in proportion to the text. */
export function redact(text: string, secrets: Iterable<string>): string {
  const known = [...secrets].filter(({ length }) => length >= shortestSecret);
  /** By place in the plain text, the place in the text. */
  const places: number[] = [];
  let shrunk = 0;
  const plain = text.replace(escaped, (whole: string, ...groups) => {
    const [json, js, one, url, decimal, name] = groups as (string | undefined)[];
    const at = Number(groups[6]);
    const sign = one ?? (name && named[name.toLowerCase()]);
    if (name && !sign) return whole;
    while (places.length <= at - shrunk) places.push(places.length + shrunk);
    shrunk += whole.length - 1;
    return sign ?? String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(json ?? js ?? url ?? "", 16));
  });
  const placeOf = (at: number) => places[at] ?? at + shrunk;
  const found: [from: number, to: number][] = [];
  // A secret that repeats itself could be compared at each of its parts.
  let left = 100_000 + 8 * text.length;
  for (const searched of new Set([text, plain])) {
    const folded = fold(searched);
    for (const secret of known)
      for (const write of writings) {
        const head = write(secret.slice(0, headLength));
        let all: string | undefined;
        for (let at = folded.indexOf(head); at >= 0; at = folded.indexOf(head, at + 1)) {
          all ??= write(secret);
          let end = at + (folded.startsWith(all, at) ? all : head).length;
          while (end < folded.length && folded[end] === all[end - at]) end++;
          left -= end - at;
          if (left < 0) return leftOut;
          found.push(searched === text ? [at, end] : [placeOf(at), placeOf(end)]);
        }
      }
  }
  let clean = "";
  let done = 0;
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    if (from >= done) clean += `${text.slice(done, from)}[redacted]`;
    done = Math.max(done, to);
  }
  return clean + text.slice(done);
}

/** Copies headers with their values cleaned. */
export function cleanHeaders(headers: Headers, cleaned: (text: string) => string): Headers {
  const clean = new Headers();
  // A test double of a response may have headers that can only be looked up.
  headers.forEach?.((value, name) => {
    clean.append(name, cleaned(value));
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

/** A phone number in E.164 anywhere in a text, also with its plus sign percent-encoded. */
const phoneNumber = /(\+|%2b)([1-9]\d{6,14})(?!\d)/gi;

/**
 * Masks the phone numbers in a text, such as `+1415*****67`: of each, at most the first four digits and the last two stay.
 * tests/repository/masked-numbers.test.ts holds the copy of the backend to the same results.
 */
export const maskNumbers = (text: string): string =>
  text.replace(phoneNumber, (_, plus: string, digits: string) => {
    const shown = Math.min(4, digits.length - 6);
    return `${plus}${digits.slice(0, shown)}${"*".repeat(digits.length - shown - 2)}${digits.slice(-2)}`;
  });
