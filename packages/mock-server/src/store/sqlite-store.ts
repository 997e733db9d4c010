import type { RowChange, SandboxStore, StoredRow } from "@call-transfer/backend";
import type { SandboxFacts } from "./checksums.ts";
import type { Statements } from "./statements.ts";
import { StoreError } from "./store-error.ts";

export interface OpenSandbox {
  facts: SandboxFacts;
  isDeleted: boolean;
}

/** Applies changes in one transaction. Throws StoreError if that fails, and has then changed nothing. */
export type ChangeFile = (apply: () => void) => void;

export function openStore(sandbox: OpenSandbox, statements: Statements, change: ChangeFile): SandboxStore {
  /** Read when they are needed first. */
  let places: Places | undefined;
  let isOpen = true;
  const expectOpen = (): void => {
    // Another sandbox may have the id of a deleted one.
    if (!isOpen || sandbox.isDeleted)
      throw new StoreError(`The store of sandbox "${sandbox.facts.name}" is closed. Open it again.`);
  };
  const load = (): { readonly rows: StoredRow[]; readonly places: Places } => {
    const loaded = { rows: [] as StoredRow[], places: createPlaces() };
    for (const { place, table, key, text } of statements.rows(sandbox.facts)) {
      loaded.places.set(table, key, place);
      loaded.rows.push({ table, key, text });
    }
    loaded.places.keep();
    places = loaded.places;
    return loaded;
  };
  const apply = (places: Places, { table, key, text }: RowChange): void => {
    const { id } = sandbox.facts;
    const place = places.get(table, key);
    if (text === undefined) {
      if (place === undefined) return;
      statements.removeRow({ sandbox: id, place });
      places.delete(table, key);
    } else if (place === undefined) statements.addRow({ sandbox: id, place: places.add(table, key), table, key, text });
    else statements.changeRow({ sandbox: id, place, table, key, text });
  };
  return {
    load() {
      expectOpen();
      return sandbox.facts.isNew ? undefined : load().rows;
    },
    commit(changes) {
      expectOpen();
      const { facts } = sandbox;
      if (changes.length === 0 && !facts.isNew) return;
      const known = places ?? load().places;
      try {
        change(() => {
          if (facts.isNew) statements.markUsed(facts);
          for (const each of changes) apply(known, each);
        });
      } catch (error) {
        known.goBack();
        throw error;
      }
      known.keep();
      if (facts.isNew) sandbox.facts = { ...facts, isNew: 0 };
    },
    close() {
      isOpen = false;
    },
  };
}

type Places = ReturnType<typeof createPlaces>;

/** Where the rows of a sandbox are, by their tables and keys. */
function createPlaces() {
  const tables = new Map<string, Map<string, number>>();
  let last = 0;
  /** What undoes the changes since `keep`, and the last place then. */
  let undo: (() => void)[] = [];
  let kept = 0;
  const set = (table: string, key: string, place: number): void => {
    const places = tables.get(table);
    if (places === undefined) tables.set(table, new Map([[key, place]]));
    else places.set(key, place);
    last = Math.max(last, place);
  };
  const remove = (table: string, key: string): void => void tables.get(table)?.delete(key);
  return {
    get: (table: string, key: string) => tables.get(table)?.get(key),
    set,
    /** Returns the place after the last one. */
    add(table: string, key: string): number {
      set(table, key, last + 1);
      undo.push(() => remove(table, key));
      return last;
    },
    delete(table: string, key: string): void {
      const place = tables.get(table)?.get(key);
      if (place === undefined) return;
      remove(table, key);
      undo.push(() => set(table, key, place));
    },
    /** Keeps the changes. */
    keep(): void {
      undo = [];
      kept = last;
    },
    /** Undoes the changes since they were last kept. */
    goBack(): void {
      for (const one of undo.reverse()) one();
      undo = [];
      last = kept;
    },
  };
}
