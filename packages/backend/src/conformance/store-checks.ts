// What the cases of stores have in common.
import type { RowChange, SandboxStore } from "../model/storage/store.ts";

/** The texts of a table by key, in the order of the store. */
export type Entries = readonly (readonly [key: string, text: string])[];

export const write = (key: string, text: string, table = "groups"): RowChange => ({ table, key, text });
export const remove = (key: string, table = "groups"): RowChange => ({ table, key, text: undefined });

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}

/** Throws an Error that names the subject if the values differ. */
export function equal(subject: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${subject} must be ${shown(expected)}, not ${shown(actual)}.`);
}

/** Checks the rows of a table, and names the first one that differs. */
export function holds(store: SandboxStore, when: string, expected: Entries, table = "groups"): void {
  const loaded = store.load();
  if (loaded === undefined) throw new Error(`load() ${when} must return the committed rows, not undefined.`);
  const actual = [...loaded].filter((row) => row.table === table).map(({ key, text }) => [key, text] as const);
  for (const [at, row] of expected.entries()) equal(`Row ${at} of ${table} ${when}`, actual[at], row);
  equal(`The number of rows of ${table} ${when}`, actual.length, expected.length);
}
