import type { RowChange, SandboxStorage, SandboxStore, StoredRow } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { createMemoryStorage, sandboxStorageCases, sandboxStoreCases } from "./store/cases.ts";

/** Stores on the data of the plain ones, with a mistake. */
type Mistake = (stores: SandboxStorage) => SandboxStorage;
type Rows = readonly StoredRow[] | undefined;

const withStores =
  (change: (store: SandboxStore) => Partial<SandboxStore>): Mistake =>
  (stores) => ({
    ...stores,
    open(name, options) {
      const store = stores.open(name, options);
      return { ...store, ...change(store) };
    },
  });

const loading = (change: (rows: Rows) => Rows): Mistake =>
  withStores((store) => ({
    load() {
      const rows = store.load();
      return change(rows && [...rows]);
    },
  }));

const committing = (change: (changes: readonly RowChange[]) => readonly RowChange[]): Mistake =>
  withStores((store) => ({ commit: (changes) => store.commit(change(changes)) }));

const keyed = (change: (key: string) => string): Mistake =>
  committing((changes) => changes.map((each) => ({ ...each, key: change(each.key) })));
const texts = (change: (text: string) => string): Mistake =>
  committing((changes) => changes.map((each) => ({ ...each, text: each.text && change(each.text) })));

const movesAll = committing((changes) => changes.flatMap((each) => [{ ...each, text: undefined }, each]));
const deletesNothing: Mistake = (stores) => ({ ...stores, delete() {} });
const forgetsWhatIsOpened: Mistake = (stores) => ({
  ...stores,
  open(name, options) {
    stores.delete(name);
    return stores.open(name, options);
  },
});

const ofStore = (name: string): string => `has a store that ${name}`;
const unusualKeys = ofStore("takes any text for a key");
const unusualTexts = ofStore("returns texts character by character");

/** Stores that break a rule, and the case that must fail. */
const wrongStores: readonly [name: string, mistake: Mistake, failing: string][] = [
  [
    "sort rows",
    loading((rows) => rows?.toSorted((a, b) => (a.key < b.key ? -1 : 1))),
    ofStore("returns rows in the order in which they were written first"),
  ],
  ["move a row that is written again", movesAll, ofStore("leaves a row that is written again in its place")],
  [
    "leave a removed row in its place",
    (stores) =>
      committing((changes) => changes.map((each) => ({ ...each, text: each.text ?? "removed" })))(
        loading((rows) => rows?.filter(({ text }) => text !== "removed"))(stores),
      ),
    ofStore("moves a row to the end that is written after its removal"),
  ],
  [
    "apply the last change of a row alone",
    committing((changes) => [...new Map(changes.map((each) => [each.key + each.table, each])).values()]),
    ofStore("moves a row to the end that is removed and written in one commit"),
  ],
  [
    "remove before they write",
    committing((changes) => changes.toSorted((a, b) => Number(a.text !== undefined) - Number(b.text !== undefined))),
    ofStore("applies the changes of a commit in their order"),
  ],
  [
    "refuse to remove an unknown row",
    withStores((store) => ({
      commit(changes) {
        const known = new Set([...(store.load() ?? []), ...changes.filter(({ text }) => text)].map(({ key }) => key));
        if (changes.some(({ key }) => !known.has(key))) throw new Error("The row must exist.");
        store.commit(changes);
      },
    })),
    ofStore("ignores the removal of a row that does not exist"),
  ],
  ["are never new", loading((rows) => rows ?? []), ofStore("is new until the first commit")],
  [
    "ignore a commit without changes",
    withStores((store) => ({ commit: (changes) => changes.length > 0 && store.commit(changes) })),
    ofStore("is not new after a commit without changes"),
  ],
  [
    "are new whenever they hold no row",
    loading((rows) => (rows?.length === 0 ? undefined : rows)),
    ofStore("is not new after its last row was removed"),
  ],
  ["forget all at a restart", createMemoryStorage, ofStore("goes on after a restart where it ended")],
  [
    "put all tables into one",
    committing((changes) => changes.map((each) => ({ ...each, table: "groups" }))),
    ofStore("keeps tables apart"),
  ],
  ["ignore case", keyed((key) => key.toLowerCase()), unusualKeys],
  ["trim keys", keyed((key) => key.trim()), unusualKeys],
  ["normalize keys", keyed((key) => key.normalize()), unusualKeys],
  ["cut keys", keyed((key) => key.slice(0, 9999)), unusualKeys],
  ["read numbers in keys", keyed((key) => (Number(key) > 0 ? String(Number(key)) : key)), unusualKeys],
  ["store one byte a character", texts((text) => text.replace(/[\u0100-\uffff]/g, "?")), unusualTexts],
  ["write texts as another JSON", texts((text) => JSON.stringify(JSON.parse(text), null, 1)), unusualTexts],
  ["cut texts", texts((text) => text.slice(0, 1_000_000)), ofStore("takes a text of 3 MiB")],
  ["hold 4,999 rows", loading((rows) => rows?.slice(0, 4999)), ofStore("takes 5,000 rows in a commit")],
  ["hold 99 rows", loading((rows) => rows?.slice(0, 99)), ofStore("takes 1,000 commits")],
  [
    "sort sandboxes",
    (stores) => ({ ...stores, list: () => [...stores.list()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) }),
    "lists sandboxes in the order of creation, with their options",
  ],
  [
    "list no sandbox before its first commit",
    (stores) => ({
      ...stores,
      list: () => [...stores.list()].filter(({ name, options }) => stores.open(name, options).load() !== undefined),
    }),
    "lists a sandbox without a commit as a new one",
  ],
  ["take new options", forgetsWhatIsOpened, "leaves the options of a sandbox that exists"],
  [
    "put all sandboxes into one",
    (stores) => ({ ...stores, open: (_, options) => stores.open("a", options) }),
    "keeps sandboxes apart",
  ],
  ["empty a sandbox that is opened again", forgetsWhatIsOpened, "opens a sandbox again whose store was closed"],
  [
    "delete all sandboxes",
    (stores) => ({
      ...stores,
      delete() {
        for (const { name } of stores.list()) stores.delete(name);
      },
    }),
    "deletes a sandbox with its rows, and no other",
  ],
  ["leave the rows of a deleted sandbox", deletesNothing, "creates a deleted sandbox again, new and at the end"],
  [
    "refuse to delete an unknown sandbox",
    (stores) => ({
      ...stores,
      delete(name) {
        if (![...stores.list()].some((each) => each.name === name)) throw new Error("The sandbox must exist.");
        stores.delete(name);
      },
    }),
    "ignores the deletion of an unknown sandbox",
  ],
  [
    "hold 100 sandboxes",
    (stores) => ({ ...stores, list: () => [...stores.list()].slice(0, 100) }),
    "keeps 200 sandboxes side by side",
  ],
];

/** Runs the case of a name on stores with a mistake. */
async function run(name: string, mistake: Mistake): Promise<void> {
  const stores = createMemoryStorage();
  await sandboxStorageCases.find((each) => each.name === name)?.run(() => mistake(stores));
}

const names = sandboxStorageCases.map(({ name }) => name);

describe("sandboxStorageCases", () => {
  it("has each case of one store", () => {
    expect(names).toEqual(expect.arrayContaining(sandboxStoreCases.map(({ name }) => ofStore(name))));
  });

  it.each(wrongStores)("those that %s fail the case that says so", async (_, mistake, failing) => {
    await expect(run(failing, mistake)).rejects.toThrow(/must/);
  });

  it("each case fails for some wrong stores", () => {
    const failing = new Set(wrongStores.map(([, , name]) => name));
    expect(names.filter((name) => !failing.has(name))).toEqual([]);
  });

  it("a case that fails closes what it opened", async () => {
    let open = 0;
    const counted: Mistake = (stores) => {
      open++;
      return { ...movesAll(stores), close: () => void open-- };
    };
    for (const name of names) await run(name, counted).catch(() => undefined);
    expect(open).toBe(0);
  });
});

describe("createMemoryStorage", () => {
  it.each(names)("%s", async (name) => {
    await run(name, (stores) => stores);
  });

  it("returns the rows of the time at which they were loaded", () => {
    const store = createMemoryStorage().open("default", "{}");
    store.commit([{ table: "groups", key: "a", text: "1" }]);
    const rows = store.load();
    store.commit([{ table: "groups", key: "a", text: "2" }]);
    expect([...(rows ?? [])]).toEqual([{ table: "groups", key: "a", text: "1" }]);
  });
});
