import type { SandboxStore } from "../model/store.ts";
import { changes, type Entries, equal, holds, remove, withRestarts, write } from "./store-checks.ts";

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
