import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxStorage, StoredRow } from "@call-transfer/backend";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { sandboxStorageCases } from "../../../backend/tests/store/cases.ts";
import { loadSqlite } from "../../src/store/data-file.ts";
import { openSqliteStores } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store-error.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-sqlite-"));
let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);
const row = (key: string, text: string): StoredRow => ({ table: "groups", key, text });

let stores: SandboxStorage | undefined;
/** Opens stores that the test need not close. */
const opened = (...args: Parameters<typeof openSqliteStores>): SandboxStorage => {
  stores = openSqliteStores(...args);
  return stores;
};

afterEach(() => {
  stores?.close();
  stores = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("openSqliteStores", () => {
  it.each(sandboxStorageCases)("$name", async ({ run }) => {
    const path = newPath();
    await run(() => openSqliteStores(path));
  });

  it("keeps the rows as they were when one change of a commit fails", () => {
    const store = opened(newPath()).open("default", "{}");
    store.commit([row("a", "1"), row("b", "2")]);
    const bad = { ...row("d", "4"), text: {} as string };
    expect(() => store.commit([row("a", "5"), { ...row("b", ""), text: undefined }, row("c", "3"), bad])).toThrow();
    expect(store.load()).toEqual([row("a", "1"), row("b", "2")]);
    store.commit([row("c", "3"), row("a", "6")]);
    expect(store.load()).toEqual([row("a", "6"), row("b", "2"), row("c", "3")]);
  });

  it("goes on after a failed commit without loading again", () => {
    const path = newPath();
    const store = opened(path).open("default", "{}");
    const bad = { ...row("b", "2"), text: {} as string };
    expect(() => store.commit([row("a", "1"), bad])).toThrow();
    expect(store.load()).toBeUndefined();
    store.commit([row("c", "3")]);
    store.commit([row("a", "4"), row("c", "5")]);
    expect(store.load()).toEqual([row("c", "5"), row("a", "4")]);
  });

  it("keeps everything committed before the disk was full, and goes on when there is space again", () => {
    const path = newPath();
    const store = opened(path, { maxPages: 8 }).open("default", "{}");
    store.commit([row("a", "1"), row("b", "2")]);
    const large = row("c", JSON.stringify("c".repeat(100_000)));
    expect(() => store.commit([row("a", "3"), large])).toThrow(
      new StoreError(`${path} cannot grow: the disk is full. Free space on it, and try again.`),
    );
    expect(store.load()).toEqual([row("a", "1"), row("b", "2")]);
    store.commit([row("a", "4")]);
    stores?.close();
    const after = opened(path).open("default", "{}");
    expect(after.load()).toEqual([row("a", "4"), row("b", "2")]);
    after.commit([large]);
    expect(after.load()).toEqual([row("a", "4"), row("b", "2"), large]);
  });

  it("creates no sandbox on a full disk", () => {
    const path = newPath();
    const full = opened(path, { maxPages: 8 });
    expect(() => full.open("a", JSON.stringify("a".repeat(100_000)))).toThrow(/the disk is full/);
    expect(full.list()).toEqual([]);
    full.open("a", "{}").commit([row("a", "1")]);
    full.close();
    expect(opened(path).open("a", "{}").load()).toEqual([row("a", "1")]);
  });

  it("can be closed twice", () => {
    const all = opened(newPath());
    all.close();
    all.close();
  });

  it("refuses commits of a store that is closed, or whose sandbox was deleted and created again", () => {
    const all = opened(newPath());
    const closed = all.open("a", "{}");
    closed.close();
    expect(() => closed.commit([row("a", "1")])).toThrow(
      new StoreError('The store of sandbox "a" is closed. Open it again.'),
    );
    const deleted = all.open("a", "{}");
    all.delete("a");
    const created = all.open("a", "{}");
    expect(() => deleted.commit([row("a", "1")])).toThrow(StoreError);
    expect(() => deleted.load()).toThrow(StoreError);
    expect(created.load()).toBeUndefined();
  });
});

describe("loadSqlite", () => {
  it("keeps the warning of SQLite from the terminal, and no other", () => {
    const shown = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { emitWarning } = process;
    vi.spyOn(process, "getBuiltinModule").mockImplementation((() => {
      process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
      process.emitWarning("Something else is experimental", "ExperimentalWarning");
      return {};
    }) as never);
    loadSqlite();
    expect(shown.mock.calls).toEqual([["Something else is experimental", "ExperimentalWarning"]]);
    expect(process.emitWarning).toBe(emitWarning);
  });

  it.each([
    ["has no such module", () => undefined],
    ["cannot load modules by name", undefined],
  ])("says which Node it needs on one that %s", (_, getBuiltinModule) => {
    const original = process.getBuiltinModule;
    try {
      process.getBuiltinModule = getBuiltinModule as never;
      expect(loadSqlite).toThrow(
        new StoreError(
          `A data file requires Node 22.13 or newer, and this is ${process.version}. Update Node, or keep the state in memory.`,
        ),
      );
    } finally {
      process.getBuiltinModule = original;
    }
  });
});
