// A mock server with SQLite and a planted mistake, which a run must find. Its arguments are the file, the port and the mistake.
import type { RowChange, SandboxStore, StoredRow } from "@call-transfer/backend";
import { startMockServer } from "../../../packages/mock-server/src/server/server.ts";
import { openSqliteStores } from "../../../packages/mock-server/src/store/sqlite.ts";

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

/** One for each judge: of registers, of timers, of offers and of request ids. */
const plants: Readonly<Record<string, (store: SandboxStore) => SandboxStore>> = {
  /** One commit in 10 leaves its last change out. */
  "partial-commit"(store) {
    let count = 0;
    return commitOf(store, (changes) => {
      count += 1;
      store.commit(count % 10 === 0 ? changes.slice(0, -1) : changes);
    });
  },
  /** Timers are not stored. */
  "no-timers": (store) => loadOf(store, (row) => (row.table === "timers" ? undefined : row)),
  /** A ring forgets the id of its offer. */
  "new-event-ids": (store) =>
    loadOf(store, (row) => {
      if (row.table !== "transfers") return row;
      const transfer = JSON.parse(row.text) as { readonly rings: readonly Record<string, unknown>[] };
      const rings = transfer.rings.map(({ deliveryId: _, ...ring }) => ring);
      return { ...row, text: JSON.stringify({ ...transfer, rings }) };
    }),
  /** Request ids begin again. */
  "repeated-request-ids"(store) {
    let count = 0;
    crypto.randomUUID = () => {
      count += 1;
      return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    };
    return store;
  },
};

const [file = "", port = "", name = ""] = process.argv.slice(2);
const plant = plants[name];
if (plant === undefined) throw new Error(`There is no mistake ${name}, only ${Object.keys(plants).join(", ")}.`);
const stores = openSqliteStores(file);
await startMockServer({
  port: Number(port),
  stores: {
    list: () => stores.list(),
    open: (sandbox, options) => plant(stores.open(sandbox, options)),
    delete: (sandbox) => stores.delete(sandbox),
    close: () => stores.close(),
  },
});
console.log("ready");
