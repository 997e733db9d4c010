// What happens to a data file outside the server: files that are removed, replaced, damaged or restored from elsewhere.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredRow } from "@call-transfer/backend";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileParts } from "../../src/store/data-file.ts";
import { readSqliteStores } from "../../src/store/read-only.ts";
import { type DataFile, openSqliteStores } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store-error.ts";

const root = mkdtempSync(join(tmpdir(), "call-transfer-accidents-"));
let folders = 0;
let folder = "";
let path = "";
let running: DataFile | undefined;
const row = (key: string, text = "1"): StoredRow => ({ table: "groups", key, text });

beforeEach(() => {
  folder = join(root, String(++folders));
  path = join(folder, "mock.db");
  mkdirSync(folder);
});
afterEach(() => {
  running?.close();
  running = undefined;
});
afterAll(() => rmSync(root, { recursive: true }));

/** Another process, because reading a file here would unlock it. */
const copy = (from: string, to: string): void => void execFileSync("cp", [from, to]);

/** Opens the file as a server that goes on running. */
function open(parts = fileParts) {
  running = openSqliteStores(path, parts);
  return { file: running, store: running.open("default", "{}") };
}

/** The files of a server that was killed after some commits. */
function killed(commits: number): void {
  const { file, store } = open();
  for (let at = 1; at <= commits; at += 1) store.commit([row(`k${at}`)]);
  for (const end of ["", "-wal"]) copy(path + end, `${path}${end}.kept`);
  file.close();
  for (const end of ["", "-wal"]) renameSync(`${path}${end}.kept`, path + end);
}

const contents = (): Record<string, Buffer> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

/** Opens the files in a way that must fail, and leave them as they are. Returns the message. */
function refusal(task: () => unknown = () => openSqliteStores(path).close()): string {
  const before = contents();
  let message = "nothing was thrown";
  try {
    task();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    message = String((error as Error).message).replaceAll(path, "FILE");
  }
  expect(contents()).toEqual(before);
  return message;
}

const keys = (rows: Iterable<StoredRow> | undefined): string[] => [...(rows ?? [])].map(({ key }) => key);
const storedKeys = (): string[] => keys(open().store.load());

describe("after a kill", () => {
  it("all that was committed is there", () => {
    killed(5);
    expect(storedKeys()).toEqual(["k1", "k2", "k3", "k4", "k5"]);
  });

  it.each(["-wal", "-journal"])("a file that is gone is not created again beside its %s", (end) => {
    killed(5);
    if (end !== "-wal") renameSync(`${path}-wal`, path + end);
    rmSync(path);
    expect(refusal()).toBe(
      `FILE does not exist, but FILE${end} does, with changes that a killed server had stored. Put the file back beside it. To begin with a new file and without these changes, remove FILE${end}.`,
    );
    rmSync(path + end);
    expect(storedKeys()).toEqual([]);
  });

  it("a flipped byte in the log is said, with what it costs, and nothing is changed", () => {
    killed(5);
    const log = readFileSync(`${path}-wal`);
    const at = log.length - 2 * (24 + 4096) + 500;
    log[at] = (log[at] ?? 0) ^ 1;
    writeFileSync(`${path}-wal`, log);
    expect(refusal()).toBe(
      `FILE-wal is damaged: ${2 * (24 + 4096)} of its ${log.length} bytes cannot be read, with up to 2 commits that were confirmed. Replace both files by a backup. To see and save the rest, start with --read-only, and use the command backup.`,
    );
    const before = contents();
    const { file, damage } = readSqliteStores(path);
    expect(damage).toMatch(/bytes cannot be read, with up to 2 commits that were confirmed$/);
    expect(keys(file.open("default", "{}").load())).toEqual(["k1", "k2", "k3"]);
    expect(contents()).toEqual(before);
    path = join(folder, "rest.db");
    writeFileSync(path, file.copy?.() ?? "");
    expect(storedKeys()).toEqual(["k1", "k2", "k3"]);
  });

  it("no byte of the log can be flipped so that a commit is missing without a word", () => {
    killed(3);
    const log = readFileSync(`${path}-wal`);
    const file = readFileSync(path);
    for (let at = 1; at < log.length; at += 1531) {
      const damaged = Buffer.from(log);
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
      writeFileSync(path, file);
      writeFileSync(`${path}-wal`, damaged);
      expect([at, refusal()]).toEqual([at, expect.stringContaining("FILE-wal is damaged")]);
    }
  });
});

describe("while a server runs", () => {
  const gone =
    /^FILE was removed, moved or replaced while the server runs, so nothing is stored any more\. Put it back,/;
  const commitRefusal = (): string => {
    const { store } = current();
    try {
      store.commit([row("lost")]);
    } catch (error) {
      return String((error as Error).message).replaceAll(path, "FILE");
    }
    return "committed";
  };
  let opened: ReturnType<typeof open> | undefined;
  const current = () => {
    opened ??= open();
    return opened;
  };
  afterEach(() => {
    opened = undefined;
  });

  it("nothing is committed to a file that was removed, and its state can be saved", () => {
    const { file, store } = current();
    store.commit([row("a")]);
    rmSync(path);
    expect(commitRefusal()).toMatch(gone);
    expect(() => file.checkReady()).toThrow(StoreError);
    expect(store.load()).toEqual([row("a")]);
    const saved = file.copy?.() ?? "";
    file.close();
    path = join(folder, "saved.db");
    writeFileSync(path, saved);
    expect(storedKeys()).toEqual(["a"]);
  });

  it("commits go on when a file that was moved is put back", () => {
    const { file, store } = current();
    store.commit([row("a")]);
    renameSync(path, `${path}.moved`);
    expect(commitRefusal()).toMatch(gone);
    renameSync(`${path}.moved`, path);
    file.checkReady();
    store.commit([row("b")]);
    file.close();
    expect(storedKeys()).toEqual(["a", "b"]);
  });

  it("nothing is committed to a file whose place another one has taken, and that one stays as it is", () => {
    const { file, store } = current();
    store.commit([row("a")]);
    const saved = file.copy?.() ?? "";
    rmSync(path);
    rmSync(`${path}-wal`);
    writeFileSync(path, saved);
    expect(commitRefusal()).toMatch(gone);
    const other = openSqliteStores(path);
    other.open("default", "{}").commit([row("b")]);
    // SQLite removes the log on closing, but not that of another file.
    file.close();
    copy(path, `${path}.killed`);
    copy(`${path}-wal`, `${path}.killed-wal`);
    other.close();
    path += ".killed";
    expect(storedKeys()).toEqual(["a", "b"]);
  });

  it("nothing is committed to a log that was removed", () => {
    const { store } = current();
    store.commit([row("a")]);
    rmSync(`${path}-wal`);
    expect(commitRefusal()).toMatch(/^FILE-wal was removed, moved or replaced/);
  });

  it("a copy is made of all that is committed, and the server goes on", () => {
    const { file, store } = current();
    store.commit([row("a"), row("b")]);
    const saved = file.copy?.() ?? "";
    store.commit([row("c")]);
    file.close();
    expect(storedKeys()).toEqual(["a", "b", "c"]);
    running?.close();
    path = join(folder, "saved.db");
    writeFileSync(path, saved);
    expect(storedKeys()).toEqual(["a", "b"]);
  });

  it("the log does not grow without end", () => {
    const { store } = current();
    for (let at = 0; at < 60; at += 1) store.commit([row("a", JSON.stringify(String(at).repeat(60_000)))]);
    expect(statSync(`${path}-wal`).size).toBeLessThan(6_000_000);
    expect(statSync(path).size).toBeGreaterThan(60_000);
  });

  it("it is not ready from a commit that failed until one succeeds", () => {
    const { file, store } = open({ ...fileParts, maxPages: 8 });
    file.checkReady();
    expect(() => store.commit([row("a", JSON.stringify("a".repeat(100_000)))])).toThrow(/the disk is full/);
    file.checkReady();
    store.commit([row("a")]);
    file.checkReady();
  });
});

describe("for reading only", () => {
  /** Reads all keys, and checks that all files stay as they are. */
  function readKeys(): string[] {
    const before = contents();
    const { file } = readSqliteStores(path);
    const found = keys(file.open("default", "{}").load());
    file.close();
    expect(contents()).toEqual(before);
    return found;
  }

  it("a file that was closed is read", () => {
    const { file, store } = open();
    store.commit([row("a")]);
    file.close();
    expect(readdirSync(folder)).toEqual(["mock.db"]);
    expect(readKeys()).toEqual(["a"]);
  });

  it("a file is read with what a killed server has not moved into it yet", () => {
    killed(2);
    expect(readKeys()).toEqual(["k1", "k2"]);
  });

  it("no change is taken", () => {
    killed(1);
    const { file } = readSqliteStores(path);
    const store = file.open("default", "{}");
    const message = "FILE was opened for reading only. Start without --read-only to change anything.";
    expect(refusal(() => store.commit([row("a")]))).toBe(message);
    expect(refusal(() => file.open("new", "{}"))).toBe(message);
    expect(refusal(() => file.delete("default"))).toBe(message);
    expect(keys(store.load())).toEqual(["k1"]);
  });

  it("a file that a server uses is refused", () => {
    open().store.commit([row("a")]);
    expect(() => readSqliteStores(path)).toThrow(/is in use by another program/);
  });

  it.each([
    ["does not exist", () => {}],
    ["is empty", () => writeFileSync(path, "")],
    ["is not a data file", () => writeFileSync(path, "x".repeat(9000))],
  ])("one that %s is refused", (what, prepare) => {
    prepare();
    expect(refusal(() => readSqliteStores(path))).toMatch(new RegExp(`^FILE ${what}`));
  });
});
