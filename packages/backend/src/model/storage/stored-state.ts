import type { StoredRow } from "./store.ts";

/** The table of the facts, of which a sandbox has one each. */
export const factTable = "sandbox";

/** What a store held. The values have the form in which they were stored. */
export interface StoredState {
  /** The rows of a table, in the order of adding. */
  rows<Value>(table: string): readonly (readonly [key: string, value: Value])[];
  fact<Value>(name: string): Value | undefined;
}

/** Reads the rows of a store, and the texts of its facts by name. Throws an Error that names a row that is not JSON. */
export function readState(rows: Iterable<StoredRow>): { state: StoredState; factTexts: Map<string, string> } {
  const tables = new Map<string, [key: string, value: never][]>();
  const factTexts = new Map<string, string>();
  for (const { table, key, text } of rows) {
    if (table === factTable) factTexts.set(key, text);
    const found = tables.get(table);
    if (found === undefined) tables.set(table, [[key, parsed(table, key, text)]]);
    else found.push([key, parsed(table, key, text)]);
  }
  const state: StoredState = {
    rows: (table) => tables.get(table) ?? [],
    fact: (name) => tables.get(factTable)?.find(([key]) => key === name)?.[1],
  };
  return { state, factTexts };
}

function parsed(table: string, key: string, text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    throw new Error(`The stored row ${key} of ${table} is not JSON. Restore the data from a backup.`, { cause: error });
  }
}
