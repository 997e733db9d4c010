import type { SandboxStores } from "../model/store.ts";
import { type SandboxStoreCase, sandboxStoreCases } from "./sandbox-store-cases.ts";
import { changes, equal, holds, withRestarts, write } from "./store-checks.ts";

/** Opens stores on the same data each time. A case closes them before it calls this again, as a restart does. */
export type OpenSandboxStores = () => SandboxStores | Promise<SandboxStores>;

/** A rule of `SandboxStores`, as a test. */
export interface SandboxStoresCase {
  /** What the stores do if they pass. */
  readonly name: string;
  /** Rejects with what is wrong. Needs data of its own, without any sandbox. */
  run(openStores: OpenSandboxStores): Promise<void>;
}

const manySandboxes = 200;

/** A case that starts without sandboxes. */
const storesCaseOf = (name: string, prove: Parameters<typeof withRestarts<SandboxStores>>[1]): SandboxStoresCase => ({
  name,
  run: (openStores) => withRestarts(openStores, prove),
});

/** A case of one store, with the store of a sandbox. */
const ofOneSandbox = ({ name, run }: SandboxStoreCase): SandboxStoresCase => ({
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

const sandboxCases: readonly SandboxStoresCase[] = [
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
 * Tests for `SandboxStores`, one for each rule, with those of {@link sandboxStoreCases} for their stores. They take a few
 * seconds.
 *
 * @example
 * for (const [at, { name, run }] of sandboxStoresCases.entries()) it(name, () => run(() => openStores(`${folder}/${at}`)));
 */
export const sandboxStoresCases: readonly SandboxStoresCase[] = [
  ...sandboxStoreCases.map(ofOneSandbox),
  ...sandboxCases,
];
