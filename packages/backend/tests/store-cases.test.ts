import type { RowChange, SandboxStorage, StoredRow } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { createMemoryStorage, type SandboxStorageCase, sandboxStorageCases, sandboxStoreCases } from "./store/cases.ts";

interface Sandbox {
  options: string;
  isNew: boolean;
  /** By table and key. */
  rows: Map<string, StoredRow>;
}

/** The rules of plain stores. Changing one makes them wrong. */
const rules = {
  keyOf: (key: string): string => key,
  tableOf: (table: string): string => table,
  keptOf: (text: string): string => text,
  /** The changes of a commit, in the order of their application. */
  ordered: (changes: readonly RowChange[]): readonly RowChange[] => changes,
  movesWhenWrittenAgain: false,
  staysWhenRemoved: false,
  loaded: (rows: readonly StoredRow[]): readonly StoredRow[] => rows,
  isNewAfter: (_changes: readonly RowChange[], _rowsLeft: number): boolean => false,
  removesUnknownRows: true,
  mostRows: Number.POSITIVE_INFINITY,
  /** The sandbox that a name stands for. */
  nameOf: (name: string): string => name,
  keepsOptions: true,
  listed: (names: string[]): string[] => names,
  listsNewSandboxes: true,
  deletesRows: true,
  removesUnknownSandboxes: true,
  mostSandboxes: Number.POSITIVE_INFINITY,
  opensOnce: false,
  restarts: (sandboxes: Map<string, Sandbox>): Map<string, Sandbox> => sandboxes,
};

/** Opens plain stores on the same data each time. */
function opener(changed: Partial<typeof rules>): () => SandboxStorage {
  const rule = { ...rules, ...changed };
  const removed = new Map<string, StoredRow>();
  let sandboxes = new Map<string, Sandbox>();
  return () => {
    sandboxes = rule.restarts(sandboxes);
    const opened = new Set<string>();
    return {
      list: () =>
        rule
          .listed([...sandboxes.keys()])
          .flatMap((name) => {
            const sandbox = sandboxes.get(name);
            return sandbox === undefined || (sandbox.isNew && !rule.listsNewSandboxes) ? [] : [{ name, ...sandbox }];
          })
          .map(({ name, options }) => ({ name, options })),
      open(name, options) {
        const own = rule.nameOf(name);
        if (rule.opensOnce && opened.has(own)) throw new Error("The sandbox must be opened once.");
        opened.add(own);
        const sandbox = sandboxes.get(own) ?? {
          options,
          isNew: true,
          rows: removed.size > 0 ? new Map(removed) : new Map(),
        };
        if (!rule.keepsOptions) sandbox.options = options;
        if (sandboxes.size < rule.mostSandboxes || sandboxes.has(own)) sandboxes.set(own, sandbox);
        return {
          load: () =>
            sandbox.isNew
              ? undefined
              : rule.loaded([...sandbox.rows.values()].filter(({ text }) => text !== "removed")),
          commit(changes) {
            for (const { table: given, key, text } of rule.ordered(changes)) {
              const table = rule.tableOf(given);
              const id = JSON.stringify([table, rule.keyOf(key)]);
              if (text === undefined) {
                if (!rule.removesUnknownRows && !sandbox.rows.has(id)) throw new Error("The row must exist.");
                if (rule.staysWhenRemoved) sandbox.rows.set(id, { table, key, text: "removed" });
                else sandbox.rows.delete(id);
              } else if (sandbox.rows.size < rule.mostRows || sandbox.rows.has(id)) {
                if (rule.movesWhenWrittenAgain) sandbox.rows.delete(id);
                sandbox.rows.set(id, { table, key: rule.keyOf(key), text: rule.keptOf(text) });
              }
            }
            sandbox.isNew = rule.isNewAfter(changes, sandbox.rows.size);
          },
          close() {},
        };
      },
      delete(name) {
        const sandbox = sandboxes.get(name);
        if (sandbox === undefined && !rule.removesUnknownSandboxes) throw new Error("The sandbox must exist.");
        if (!rule.deletesRows) for (const [id, row] of sandbox?.rows ?? []) removed.set(id, row);
        sandboxes.delete(name);
      },
      close() {},
    };
  };
}

const ofStore = (name: string): string => `has a store that ${name}`;
const isInteger = ({ key }: StoredRow): boolean => /^\d+$/.test(key);
const copied = (sandbox: Sandbox): Sandbox => ({ ...sandbox, rows: new Map(sandbox.rows) });

/** Stores that break one rule, and the case that must fail. */
const wrongStores: readonly [name: string, change: Partial<typeof rules>, failing: string][] = [
  [
    "sort rows",
    { loaded: (rows) => rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)) },
    ofStore("returns rows in the order in which they were written first"),
  ],
  [
    "return whole numbers first",
    { loaded: (rows) => [...rows.filter(isInteger), ...rows.filter((row) => !isInteger(row))] },
    ofStore("returns rows in the order in which they were written first"),
  ],
  [
    "move a row that is written again",
    { movesWhenWrittenAgain: true },
    ofStore("leaves a row that is written again in its place"),
  ],
  [
    "leave a removed row in its place",
    { staysWhenRemoved: true },
    ofStore("moves a row to the end that is written after its removal"),
  ],
  [
    "apply the last change of a row alone",
    { ordered: (changes) => [...new Map(changes.map((change) => [change.key + change.table, change])).values()] },
    ofStore("moves a row to the end that is removed and written in one commit"),
  ],
  [
    "remove before they write",
    { ordered: (changes) => changes.toSorted((a, b) => Number(a.text !== undefined) - Number(b.text !== undefined)) },
    ofStore("applies the changes of a commit in their order"),
  ],
  [
    "refuse to remove an unknown row",
    { removesUnknownRows: false },
    ofStore("ignores the removal of a row that does not exist"),
  ],
  [
    "are never new",
    {
      isNewAfter: () => false,
      restarts: (all) => new Map([...all].map(([name, one]) => [name, { ...one, isNew: false }])),
    },
    ofStore("is new until the first commit"),
  ],
  [
    "ignore a commit without changes",
    { isNewAfter: ({ length }) => length === 0 },
    ofStore("is not new after a commit without changes"),
  ],
  [
    "are new whenever they hold no row",
    { isNewAfter: (_, left) => left === 0 },
    ofStore("is not new after its last row was removed"),
  ],
  [
    "forget all rows at a restart",
    { restarts: (all) => new Map([...all].map(([name, one]) => [name, { ...one, rows: new Map() }])) },
    ofStore("goes on after a restart where it ended"),
  ],
  ["put all tables into one", { tableOf: () => "groups" }, ofStore("keeps tables apart")],
  ["ignore case", { keyOf: (key) => key.toLowerCase() }, ofStore("takes any text for a key")],
  ["trim keys", { keyOf: (key) => key.trim() }, ofStore("takes any text for a key")],
  ["normalize keys", { keyOf: (key) => key.normalize() }, ofStore("takes any text for a key")],
  ["cut keys", { keyOf: (key) => key.slice(0, 9999) }, ofStore("takes any text for a key")],
  [
    "read numbers in keys",
    { keyOf: (key) => (Number(key) > 0 ? String(Number(key)) : key) },
    ofStore("takes any text for a key"),
  ],
  [
    "take no row with the key __proto__",
    { ordered: (changes) => changes.filter(({ key }) => key !== "__proto__") },
    ofStore("takes any text for a key"),
  ],
  [
    "store one byte a character",
    { keptOf: (text) => text.replace(/[\u0100-\uffff]/g, "?") },
    ofStore("returns texts character by character"),
  ],
  [
    "write texts as another JSON",
    { keptOf: (text) => JSON.stringify(JSON.parse(text), null, 1) },
    ofStore("returns texts character by character"),
  ],
  ["cut texts", { keptOf: (text) => text.slice(0, 1_000_000) }, ofStore("takes a text of 3 MiB")],
  ["hold 4,999 rows", { mostRows: 4999 }, ofStore("takes 5,000 rows in a commit")],
  ["hold 99 rows", { mostRows: 99 }, ofStore("takes 1,000 commits")],
  [
    "sort sandboxes",
    { listed: (names) => names.toSorted() },
    "lists sandboxes in the order of creation, with their options",
  ],
  [
    "list no sandbox before its first commit",
    { listsNewSandboxes: false },
    "lists a sandbox without a commit as a new one",
  ],
  ["take new options", { keepsOptions: false }, "leaves the options of a sandbox that exists"],
  ["put all sandboxes into one", { nameOf: () => "a" }, "keeps sandboxes apart"],
  ["open a sandbox once", { opensOnce: true }, "opens a sandbox again whose store was closed"],
  [
    "share what is in no sandbox",
    { restarts: (all) => new Map([...all].map(([name, one]) => [name, copied([...all.values()][0] ?? one)])) },
    "deletes a sandbox with its rows, and no other",
  ],
  [
    "leave the rows of a deleted sandbox",
    { deletesRows: false, isNewAfter: () => false },
    "creates a deleted sandbox again, new and at the end",
  ],
  [
    "refuse to delete an unknown sandbox",
    { removesUnknownSandboxes: false },
    "ignores the deletion of an unknown sandbox",
  ],
  ["hold 100 sandboxes", { mostSandboxes: 100 }, "keeps 200 sandboxes side by side"],
];

const caseNamed = (name: string): SandboxStorageCase => {
  const found = sandboxStorageCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case named ${name}.`);
  return found;
};

const names = sandboxStorageCases.map(({ name }) => name);

/** Runs a case. Returns its error. */
async function failureOf(name: string, openStores: () => SandboxStorage): Promise<unknown> {
  return caseNamed(name)
    .run(openStores)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe("sandboxStorageCases", () => {
  it("has each case of one store", () => {
    expect(names).toEqual(expect.arrayContaining(sandboxStoreCases.map(({ name }) => ofStore(name))));
  });

  it.each(names)("the plain one %s", async (name) => {
    expect(await failureOf(name, opener({}))).toBeUndefined();
  });

  it.each(wrongStores)("those that %s fail the case that says so", async (_, change, failing) => {
    expect(await failureOf(failing, opener(change))).toMatchObject({ message: expect.stringMatching(/must/) });
  });

  it("each case fails for some wrong stores", async () => {
    const failing = new Set(wrongStores.map(([, , name]) => name));
    expect(names.filter((name) => !failing.has(name))).toEqual([]);
  });

  it("a case that fails closes what it opened", async () => {
    let open = 0;
    const openStores = (): SandboxStorage => {
      open++;
      const stores = opener({ movesWhenWrittenAgain: true })();
      return { ...stores, close: () => void open-- };
    };
    for (const { run } of sandboxStorageCases) await run(openStores).catch(() => undefined);
    expect(open).toBe(0);
  });
});

describe("createMemoryStorage", () => {
  it.each(names)("%s", async (name) => {
    const stores = createMemoryStorage();
    expect(await failureOf(name, () => stores)).toBeUndefined();
  });

  it("returns the rows of the time at which they were loaded", () => {
    const store = createMemoryStorage().open("default", "{}");
    store.commit([{ table: "groups", key: "a", text: "1" }]);
    const rows = store.load();
    store.commit([{ table: "groups", key: "a", text: "2" }]);
    expect([...(rows ?? [])]).toEqual([{ table: "groups", key: "a", text: "1" }]);
  });
});
