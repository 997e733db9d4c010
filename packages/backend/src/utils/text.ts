/** Units of time in milliseconds, the longest first, without seconds. */
export const longUnits = [
  [31_536_000_000, "y"],
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;

const roundedTo = (step: number, ms: number): number => Math.round(ms / step) * step;

/**
 * A duration in its largest unit and, if anything is left, the next one: `8 y 80 d`, `1 h 30 min`, `2.5 s`, `250 ms`. Of less
 * than an hour, also what is left of a second: `1 min 1.5 s`.
 *
 * @param duration Milliseconds; infinity is `forever`.
 */
export function formatDuration(duration: number): string {
  if (duration === Number.POSITIVE_INFINITY) return "forever";
  const ms = roundedTo(duration < 1000 ? 1 : 100, duration);
  const index = longUnits.findIndex(([size]) => ms >= size);
  const [size, unit] = longUnits[index] ?? [0, ""];
  if (size === 0) return ms > 0 && ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
  const [nextSize, nextUnit] = longUnits[index + 1] ?? [1000, "s"];
  const rest = nextUnit === "s" ? (ms % size) / 1000 : Math.floor((ms % size) / nextSize);
  const whole = `${Math.floor(ms / size)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${nextUnit}`;
}

/** A phone number in E.164 anywhere in a text, also with its plus sign percent-encoded. */
const phoneNumber = /(\+|%2b)([1-9]\d{6,14})(?!\d)/gi;

/**
 * Masks the phone numbers in a text, such as `+1415*****67`: of each, at most the first four digits and the last two stay.
 * The SDK, which imports no package, has a copy; tests/repository/masked-numbers.test.ts compares the two.
 */
export const maskNumbers = (text: string): string =>
  text.replace(phoneNumber, (_, plus: string, digits: string) => {
    const shown = Math.min(4, digits.length - 6);
    return `${plus}${digits.slice(0, shown)}${"*".repeat(digits.length - shown - 2)}${digits.slice(-2)}`;
  });

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
