// Cases for every rule of SandboxStore and SandboxStorage, which the stores of the mock server and of its Worker run.

import type { RowChange, SandboxStorage, SandboxStore, StoredRow } from "../../src/model/store.ts";

/** The texts of a sandbox by table and key; undefined before the first commit. */
interface Sandbox {
  readonly options: string;
  tables: Map<string, Map<string, string>> | undefined;
}

/**
 * Keeps sandboxes in memory, for tests of what uses a store. The rows stay after `close`, so calling `open` of the same object
 * again does what a restart does.
 */
export function createMemoryStorage(): SandboxStorage {
  const sandboxes = new Map<string, Sandbox>();
  return {
    list: () => [...sandboxes].map(([name, { options }]) => ({ name, options })),
    open(name, options) {
      const sandbox = sandboxes.get(name) ?? { options, tables: undefined };
      sandboxes.set(name, sandbox);
      return storeOf(sandbox);
    },
    delete: (name) => void sandboxes.delete(name),
    close() {},
  };
}

function storeOf(sandbox: Sandbox): SandboxStore {
  return {
    load: () => sandbox.tables && rowsOf(sandbox.tables),
    commit(changes) {
      sandbox.tables ??= new Map();
      for (const change of changes) apply(sandbox.tables, change);
    },
    close() {},
  };
}

function rowsOf(tables: ReadonlyMap<string, ReadonlyMap<string, string>>): StoredRow[] {
  return [...tables].flatMap(([table, texts]) => [...texts].map(([key, text]) => ({ table, key, text })));
}

/** A Map orders its keys as a store does: by the first write since the last removal. */
function apply(tables: Map<string, Map<string, string>>, { table, key, text }: RowChange): void {
  const texts = tables.get(table) ?? new Map<string, string>();
  tables.set(table, texts);
  if (text === undefined) texts.delete(key);
  else texts.set(key, text);
}

/** The texts of a table by key, in the order of the store. */
type Entries = readonly (readonly [key: string, text: string])[];

const write = (key: string, text: string, table = "groups"): RowChange => ({ table, key, text });
const remove = (key: string, table = "groups"): RowChange => ({ table, key, text: undefined });

/** Reads changes as a text: `a=1 -b` writes the row a and removes the row b. */
const changes = (text: string): RowChange[] =>
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
async function withRestarts<Opened extends { close(): void }>(
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
function equal(subject: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${subject} must be ${shown(expected)}, not ${shown(actual)}.`);
}

/** Checks the rows of a table, given as entries or as `a=1 b=2`, and names the first one that differs. */
function holds(store: SandboxStore, when: string, given: Entries | string, table = "groups"): void {
  const expected = typeof given === "string" ? entries(given) : given;
  const loaded = store.load();
  if (loaded === undefined) throw new Error(`load() ${when} must return the committed rows, not undefined.`);
  const actual = [...loaded].filter((row) => row.table === table).map(({ key, text }) => [key, text] as const);
  for (const [at, row] of expected.entries()) equal(`Row ${at} of ${table} ${when}`, actual[at], row);
  equal(`The number of rows of ${table} ${when}`, actual.length, expected.length);
}

/** Opens the store of one sandbox, always the same. A case closes the store before it calls this again, as a restart does. */
export type OpenSandboxStore = () => SandboxStore | Promise<SandboxStore>;

/** A rule of `SandboxStore`, as a test. */
export interface SandboxStoreCase {
  /** What a store does if it passes. */
  readonly name: string;
  /** Rejects with what is wrong. Needs a sandbox of its own that was never opened before. */
  run(openStore: OpenSandboxStore): Promise<void>;
}

/** More than a value of a Durable Object can hold, 2 MB. */
const largeBytes = 3 * 1024 * 1024;
const manyRows = 5000;

/** A case that starts with a new sandbox. */
const caseOf = (name: string, prove: Parameters<typeof withRestarts<SandboxStore>>[1]): SandboxStoreCase => ({
  name,
  run: (openStore) => withRestarts(openStore, prove),
});

/** A case that makes commits and checks the rows of `groups`, before and after a restart. */
const commits = (name: string, texts: readonly string[], expected: string): SandboxStoreCase =>
  caseOf(name, async (store, restart) => {
    for (const text of texts) store.commit(changes(text));
    holds(store, "after the commits", expected);
    holds(await restart(), "after a restart", expected);
  });

/** Keys that a store must neither change nor confuse. */
const unusualKeys = [
  ...["a", "A", "a ", " a", "", "1", "01", "1.0", "1e0", "-1", "true", "null", "undefined", "__proto__", "constructor"],
  ...["'", '"', "''", "`", "\\", "%", "_", "?", "$1", ":key", "--", ";drop table groups", "/", "../a"],
  ...["a\nb", "\t", "\u007F"],
  ...["é", "e\u0301", "ß", "ss", "İ", "漢字", "😀", "👩\u200d🚒", "\u200d", "\u2028", "\uFEFF", "\uFFFD", "\u{10FFFF}"],
  ...["k".repeat(10_000), `${"k".repeat(9999)}l`],
];

const orderCases: readonly SandboxStoreCase[] = [
  commits(
    "returns rows in the order in which they were written first",
    ["b=1 a=2", "10=3", "9=4 c=5"],
    "b=1 a=2 10=3 9=4 c=5",
  ),
  commits("leaves a row that is written again in its place", ["a=1 b=2 a=3", "c=4", "b=5"], "a=3 b=5 c=4"),
  commits("moves a row to the end that is written after its removal", ["a=1 b=2", "-a", "a=3"], "b=2 a=3"),
  commits("moves a row to the end that is removed and written in one commit", ["a=1 b=2", "-a a=3"], "b=2 a=3"),
  commits("applies the changes of a commit in their order", ["a=1 a=2 b=3 -b c=4 -a a=5"], "c=4 a=5"),
  commits("ignores the removal of a row that does not exist", ["-a b=1", "-a"], "b=1"),
];

const contentCases: readonly SandboxStoreCase[] = [
  caseOf("is new until the first commit", async (store, restart) => {
    equal("load() of a new sandbox", store.load(), undefined);
    equal("load() of a sandbox that was closed without a commit", (await restart()).load(), undefined);
  }),
  caseOf("is not new after a commit without changes", async (store, restart) => {
    store.commit([]);
    holds(store, "after a commit without changes", []);
    holds(await restart(), "after a commit without changes and a restart", []);
  }),
  caseOf("is not new after its last row was removed", async (store, restart) => {
    for (const text of ["a=1", "-a"]) store.commit(changes(text));
    holds(store, "after the last row was removed", []);
    holds(await restart(), "after the last row was removed and a restart", []);
  }),
  caseOf("goes on after a restart where it ended", async (store, restart) => {
    store.commit(changes("a=1 b=2 c=3"));
    const second = await restart();
    second.commit(changes("-c d=4 a=5"));
    const third = await restart();
    third.commit(changes("c=6 -b b=7"));
    holds(third, "after two restarts", "a=5 d=4 c=6 b=7");
  }),
  caseOf("keeps tables apart", async (store, restart) => {
    const tables = ["groups", "Groups", "groups ", "rows", "__proto__", "groups:a", "groups'"];
    store.commit(tables.map((table) => write("a", JSON.stringify(table), table)));
    store.commit([remove("a", "groups"), write("b", "1", "rows")]);
    const after = await restart();
    for (const table of tables.slice(1)) {
      const more: Entries = table === "rows" ? [["b", "1"]] : [];
      holds(after, "beside other tables with the same key", [["a", JSON.stringify(table)], ...more], table);
    }
    holds(after, "after the removal of its only row", []);
  }),
  caseOf("takes any text for a key", async (store, restart) => {
    const texts = unusualKeys.map((key, at) => [key, String(at)] as const);
    store.commit(texts.map(([key, text]) => write(key, text)));
    const after = await restart();
    holds(after, "with unusual keys", texts);
    after.commit(unusualKeys.map((key, at) => (at % 2 === 0 ? remove(key) : write(key, `"${at}"`))));
    const odd = unusualKeys.flatMap((key, at) => (at % 2 === 0 ? [] : [[key, `"${at}"`] as const]));
    holds(after, "after every other one was removed", odd);
  }),
  caseOf("returns texts character by character", async (store, restart) => {
    const characters = `aÄß€漢字\u0000\u007F\u2028\uFEFF😀👩\u200d🚒"'\\ \r\n\t$1%s{{}}`;
    const text = JSON.stringify({ [characters]: [characters, 1e21, -0.1, null] });
    store.commit([write("a", text)]);
    holds(await restart(), "with unusual characters", [["a", text]]);
  }),
  caseOf("takes a text of 3 MiB", async (store, restart) => {
    // Characters of four bytes, of which none begins at a multiple of four.
    const text = JSON.stringify("😀".repeat(largeBytes / 4));
    store.commit(changes(`a=1 b=${text} c=2`));
    holds(store, "with a text of 3 MiB", `a=1 b=${text} c=2`);
    const second = await restart();
    holds(second, "with a text of 3 MiB, after a restart", `a=1 b=${text} c=2`);
    second.commit(changes(`b=3 c=${text} -a`));
    const third = await restart();
    holds(third, "after a text of 3 MiB was replaced", `b=3 c=${text}`);
    third.commit(changes("-c c=4"));
    holds(await restart(), "after a text of 3 MiB was removed", "b=3 c=4");
  }),
  caseOf("takes 5,000 rows in a commit", async (store, restart) => {
    const keys = Array.from({ length: manyRows }, (_, at) => String((at * 7919) % manyRows));
    const plain = keys.map((key) => [key, key] as const);
    const inQuotes = keys.map((key) => [key, `"${key}"`] as const);
    store.commit(plain.map(([key, text]) => write(key, text)));
    const second = await restart();
    holds(second, "after 5,000 were written", plain);
    second.commit(inQuotes.toReversed().map(([key, text]) => write(key, text)));
    const third = await restart();
    holds(third, "after all were written again", inQuotes);
    third.commit(keys.map((key) => remove(key)));
    holds(await restart(), "after all were removed", []);
  }),
  caseOf("takes 1,000 commits", async (store, restart) => {
    const rows = Array.from({ length: 1000 }, (_, at) => [`k${at % 100}`, String(at)] as const);
    for (const [key, text] of rows) store.commit([write(key, text)]);
    holds(await restart(), "after 1,000 commits", rows.slice(-100));
  }),
];

/**
 * Tests for a `SandboxStore`, one for each rule. They take about a second.
 *
 * @example
 * for (const [at, { name, run }] of sandboxStoreCases.entries()) it(name, () => run(() => openStore(`${folder}/${at}`)));
 */
export const sandboxStoreCases: readonly SandboxStoreCase[] = [...orderCases, ...contentCases];

/** Opens stores on the same data each time. A case closes them before it calls this again, as a restart does. */
export type OpenSandboxStorage = () => SandboxStorage | Promise<SandboxStorage>;

/** A rule of `SandboxStorage`, as a test. */
export interface SandboxStorageCase {
  /** What the stores do if they pass. */
  readonly name: string;
  /** Rejects with what is wrong. Needs data of its own, without any sandbox. */
  run(openStores: OpenSandboxStorage): Promise<void>;
}

const manySandboxes = 200;

/** A case that starts without sandboxes. */
const storesCaseOf = (name: string, prove: Parameters<typeof withRestarts<SandboxStorage>>[1]): SandboxStorageCase => ({
  name,
  run: (openStores) => withRestarts(openStores, prove),
});

/** A case of one store, with the store of a sandbox. */
const ofOneSandbox = ({ name, run }: SandboxStoreCase): SandboxStorageCase => ({
  name: `has a store that ${name}`,
  run: (openStores) =>
    run(async () => {
      const stores = await openStores();
      const store = stores.open("default", "{}");
      return {
        load: () => store.load(),
        commit: (changes) => store.commit(changes),
        close() {
          store.close();
          stores.close();
        },
      };
    }),
});

const sandboxCases: readonly SandboxStorageCase[] = [
  storesCaseOf("lists sandboxes in the order of creation, with their options", async (stores, restart) => {
    equal("list() without sandboxes", stores.list(), []);
    const created = ["default", "b", "a", "10", "9"].map((name) => ({
      name,
      options: JSON.stringify({ "é😀'": name }),
    }));
    for (const { name, options } of created) stores.open(name, options).close();
    equal("list()", stores.list(), created);
    equal("list() after a restart", (await restart()).list(), created);
  }),
  storesCaseOf("lists a sandbox without a commit as a new one", async (stores, restart) => {
    stores.open("a", "1");
    const after = await restart();
    equal("list() after a restart", after.list(), [{ name: "a", options: "1" }]);
    equal("load() of a sandbox without a commit", after.open("a", "1").load(), undefined);
  }),
  storesCaseOf("leaves the options of a sandbox that exists", async (stores, restart) => {
    stores.open("a", "1").close();
    stores.open("a", "2").close();
    equal("list() after the sandbox was opened again", stores.list(), [{ name: "a", options: "1" }]);
    const after = await restart();
    after.open("a", "3");
    equal("list() after a restart", after.list(), [{ name: "a", options: "1" }]);
  }),
  storesCaseOf("keeps sandboxes apart", async (stores, restart) => {
    const [a, b] = [stores.open("a", "1"), stores.open("b", "2")];
    a.commit(changes('k="a" l=1'));
    equal("load() beside another sandbox with rows", b.load(), undefined);
    b.commit(changes('k="b"'));
    a.commit(changes("-l m=2"));
    b.commit(changes("l=3"));
    const after = await restart();
    holds(after.open("a", "1"), "beside another sandbox", 'k="a" m=2');
    holds(after.open("b", "2"), "beside another sandbox", 'k="b" l=3');
  }),
  storesCaseOf("opens a sandbox again whose store was closed", async (stores) => {
    const first = stores.open("a", "1");
    first.commit(changes("k=1"));
    first.close();
    const second = stores.open("a", "1");
    second.commit(changes("l=2"));
    holds(second, "after it was opened again", "k=1 l=2");
  }),
  storesCaseOf("deletes a sandbox with its rows, and no other", async (stores, restart) => {
    for (const name of ["a", "b", "c"]) {
      const store = stores.open(name, `"${name}"`);
      store.commit([write("k", `"${name}"`)]);
      store.close();
    }
    stores.delete("b");
    const left = ["a", "c"].map((name) => ({ name, options: `"${name}"` }));
    equal("list() after a sandbox was deleted", stores.list(), left);
    const after = await restart();
    equal("list() after a sandbox was deleted, and a restart", after.list(), left);
    for (const name of ["a", "c"]) holds(after.open(name, "1"), "after another was deleted", [["k", `"${name}"`]]);
  }),
  storesCaseOf("creates a deleted sandbox again, new and at the end", async (stores, restart) => {
    for (const name of ["a", "b"]) {
      const store = stores.open(name, "1");
      store.commit([write("k", "1")]);
      store.close();
    }
    stores.delete("a");
    const again = stores.open("a", "2");
    equal("load() of a sandbox that was created again", again.load(), undefined);
    again.commit([write("l", "2")]);
    const expected = [
      { name: "b", options: "1" },
      { name: "a", options: "2" },
    ];
    equal("list() after a sandbox was created again", stores.list(), expected);
    const after = await restart();
    equal("list() after a sandbox was created again, and a restart", after.list(), expected);
    holds(after.open("a", "1"), "after it was created again", [["l", "2"]]);
  }),
  storesCaseOf("ignores the deletion of an unknown sandbox", async (stores) => {
    stores.open("a", "1").close();
    stores.delete("b");
    equal("list() after an unknown sandbox was deleted", stores.list(), [{ name: "a", options: "1" }]);
  }),
  storesCaseOf("keeps 200 sandboxes side by side", async (stores, restart) => {
    const names = Array.from({ length: manySandboxes }, (_, at) => `sandbox-${at}`);
    const open = names.map((name) => stores.open(name, "1"));
    for (const text of ["1", "2"]) for (const [at, store] of open.entries()) store.commit([write(`k${at}`, text)]);
    const after = await restart();
    equal("The number of sandboxes", after.list().length, manySandboxes);
    for (const [at, name] of names.entries()) holds(after.open(name, "1"), `of ${name}`, [[`k${at}`, "2"]]);
  }),
];

/**
 * Tests for `SandboxStorage`, one for each rule, with those of {@link sandboxStoreCases} for their stores. They take a few
 * seconds.
 *
 * @example
 * for (const [at, { name, run }] of sandboxStorageCases.entries()) it(name, () => run(() => openStores(`${folder}/${at}`)));
 */
export const sandboxStorageCases: readonly SandboxStorageCase[] = [
  ...sandboxStoreCases.map(ofOneSandbox),
  ...sandboxCases,
];
