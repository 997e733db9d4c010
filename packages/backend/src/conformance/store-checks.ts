// What the cases of stores have in common.
import type { RowChange, SandboxStore } from "../model/store.ts";

/** The texts of a table by key, in the order of the store. */
export type Entries = readonly (readonly [key: string, text: string])[];

export const write = (key: string, text: string, table = "groups"): RowChange => ({ table, key, text });
export const remove = (key: string, table = "groups"): RowChange => ({ table, key, text: undefined });

/** Reads changes as a text: `a=1 -b` writes the row a and removes the row b. */
export const changes = (text: string): RowChange[] =>
  text.split(" ").map((word) => (word.startsWith("-") ? remove(word.slice(1)) : write(...entry(word))));

/** Reads entries as a text: `a=1 b=2`. */
const entries = (text: string): Entries => text.split(" ").map(entry);

function entry(word: string): [key: string, text: string] {
  const [key = "", text = ""] = word.split("=");
  return [key, text];
}

/**
 * A case of what can be opened and closed. It starts with what `open` returns first, and may close that and open it again, as a
 * restart does. Closes what is open at its end, also when it fails.
 */
export async function withRestarts<Opened extends { close(): void }>(
  open: () => Opened | Promise<Opened>,
  prove: (opened: Opened, restart: () => Promise<Opened>) => Promise<void>,
): Promise<void> {
  let opened = await open();
  try {
    await prove(opened, async () => {
      opened.close();
      opened = await open();
      return opened;
    });
  } finally {
    opened.close();
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}

/** Throws an Error that names the subject if the values differ. */
export function equal(subject: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${subject} must be ${shown(expected)}, not ${shown(actual)}.`);
}

/** Checks the rows of a table, given as entries or as `a=1 b=2`, and names the first one that differs. */
export function holds(store: SandboxStore, when: string, given: Entries | string, table = "groups"): void {
  const expected = typeof given === "string" ? entries(given) : given;
  const loaded = store.load();
  if (loaded === undefined) throw new Error(`load() ${when} must return the committed rows, not undefined.`);
  const actual = [...loaded].filter((row) => row.table === table).map(({ key, text }) => [key, text] as const);
  for (const [at, row] of expected.entries()) equal(`Row ${at} of ${table} ${when}`, actual[at], row);
  equal(`The number of rows of ${table} ${when}`, actual.length, expected.length);
}
