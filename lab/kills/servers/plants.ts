// Mistakes of a store, planted to show that a run finds each of them.
import type { RowChange, SandboxStorage, SandboxStore, StoredRow } from "@call-transfer/backend";

/** Breaks the store of a sandbox. */
type Breaks = (store: SandboxStore) => SandboxStore;

const commitOf = (store: SandboxStore, commit: (changes: readonly RowChange[]) => void): SandboxStore => ({
  load: () => store.load(),
  commit,
  close: () => store.close(),
});

const loadOf = (store: SandboxStore, change: (row: StoredRow) => StoredRow | undefined): SandboxStore => ({
  load() {
    const rows = store.load();
    return rows === undefined ? undefined : [...rows].flatMap((row) => change(row) ?? []);
  },
  commit: (changes) => store.commit(changes),
  close: () => store.close(),
});

/** Changes the record of a row. */
function edited(row: StoredRow, edit: (record: Record<string, unknown>) => object): StoredRow {
  return { ...row, text: JSON.stringify(edit(JSON.parse(row.text))) };
}

/** Changes the rings of a transfer's row. */
function withRings(row: StoredRow, edit: (ring: Record<string, unknown>) => object): StoredRow {
  return edited(row, (transfer) => ({ ...transfer, rings: (transfer.rings as Record<string, unknown>[]).map(edit) }));
}

const plants = {
  /** One commit in 10 changes nothing. */
  "dropped-commit"(store) {
    let count = 0;
    return commitOf(store, (changes) => {
      count += 1;
      if (count % 10 !== 0) store.commit(changes);
    });
  },
  /** One commit in 10 leaves its last change out. */
  "partial-commit"(store) {
    let count = 0;
    return commitOf(store, (changes) => {
      count += 1;
      store.commit(count % 10 === 0 ? changes.slice(0, -1) : changes);
    });
  },
  /** Commits happen a little after they returned. */
  "late-commit": (store) => commitOf(store, (changes) => void setTimeout(() => store.commit(changes), 20)),
  /** Deletions are not stored. */
  "no-deletions": (store) =>
    commitOf(store, (changes) => store.commit(changes.filter(({ text }) => text !== undefined))),
  /** A ring forgets the id of its offer. */
  "new-event-ids": (store) =>
    loadOf(store, (row) => (row.table === "transfers" ? withRings(row, ({ deliveryId: _, ...ring }) => ring) : row)),
  /** Apps that ring are not sent their offers again. */
  "no-outbox": (store) =>
    loadOf(store, (row) => (row.table === "transfers" ? withRings(row, (ring) => ({ ...ring, kind: "phone" })) : row)),
  /** Request ids begin again. */
  "repeated-request-ids": (store) =>
    loadOf(store, (row) => (row.table === "sandbox" && row.key === "requestIds" ? { ...row, text: "0" } : row)),
  /** The ids of records begin again. */
  "repeated-ids": (store) =>
    loadOf(store, (row) =>
      row.table === "sandbox" && row.key === "random"
        ? { ...row, text: JSON.stringify({ main: 100, faults: 0 }) }
        : row,
    ),
  /** Timers are not stored. */
  "no-timers": (store) => loadOf(store, (row) => (row.table === "timers" ? undefined : row)),
  /** A destination forgets the previous secret. */
  "no-previous-secret": (store) =>
    loadOf(store, (row) =>
      row.table === "destinations" ? edited(row, ({ previousSecret: _, ...destination }) => destination) : row,
    ),
  /** Tokens issued before a restart are not valid any more. */
  "new-token-secret": (store) =>
    loadOf(store, (row) =>
      row.table === "sandbox" && row.key === "tokenSecret" ? { ...row, text: JSON.stringify("00".repeat(32)) } : row,
    ),
} satisfies Record<string, Breaks>;

/** The sandboxes that were created last are not listed. */
const lostSandbox = "lost-sandbox";

export type PlantName = keyof typeof plants | typeof lostSandbox;
export const plantNames = [...Object.keys(plants), lostSandbox] as readonly PlantName[];

/** Plants a mistake in stores. */
export function plantIn(stores: SandboxStorage, plant: PlantName): SandboxStorage {
  return {
    list: () => (plant === lostSandbox ? stores.list().slice(0, 3) : stores.list()),
    open(name, options) {
      const store = stores.open(name, options);
      return plant === lostSandbox ? store : plants[plant](store);
    },
    delete: (name) => stores.delete(name),
    close: () => stores.close(),
  };
}
