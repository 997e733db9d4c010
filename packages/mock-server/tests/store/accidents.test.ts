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
import type { FileParts } from "../../src/store/data-file.ts";
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
function open(parts: FileParts = {}) {
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

  it("a file that is gone is not created again beside its log", () => {
    killed(5);
    rmSync(path);
    expect(refusal()).toBe(
      "FILE does not exist, but FILE-wal does, with changes that a killed server had stored. Put the file back beside it. To begin with a new file and without these changes, remove FILE-wal.",
    );
    rmSync(`${path}-wal`);
    expect(storedKeys()).toEqual([]);
  });

  it("a log that is cut or damaged costs its end, and never a part of a commit", () => {
    killed(3);
    const log = readFileSync(`${path}-wal`);
    const file = readFileSync(path);
    for (let at = 1; at < log.length; at += 1531) {
      const damaged = Buffer.from(log);
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
      for (const left of [damaged, log.subarray(0, at)]) {
        writeFileSync(path, file);
        writeFileSync(`${path}-wal`, left);
        const found = storedKeys();
        running?.close();
        expect([at, found]).toEqual([at, ["k1", "k2", "k3"].slice(0, found.length)]);
      }
    }
  });

  it("a file beside the log of another one is refused, and both stay as they are", () => {
    killed(5);
    const log = readFileSync(`${path}-wal`);
    rmSync(path);
    rmSync(`${path}-wal`);
    const { file, store } = open();
    for (let at = 0; at < 200; at += 1) store.commit([row(`other ${at}`, JSON.stringify("o".repeat(at)))]);
    file.close();
    writeFileSync(`${path}-wal`, log);
    expect(refusal()).toMatch(/^FILE is damaged \(.+\)\. Replace it by a backup, or name another file\.$/);
    rmSync(`${path}-wal`);
    expect(storedKeys()).toHaveLength(200);
  });
});

describe("while a server runs", () => {
  const gone =
    /^FILE or its log FILE-wal was removed, moved or replaced while the server runs, so nothing is stored any more\. Put it back,/;
  let now = 0;
  const parts = { now: () => now };
  let opened: ReturnType<typeof open> | undefined;
  const current = () => {
    opened ??= open(parts);
    return opened;
  };
  const messageOf = (task: () => void, otherwise: string): string => {
    try {
      task();
    } catch (error) {
      return String((error as Error).message).replaceAll(path, "FILE");
    }
    return otherwise;
  };
  const commitRefusal = () => messageOf(() => current().store.commit([row("lost")]), "committed");
  const readyRefusal = () => messageOf(() => current().file.checkReady(), "ready");
  afterEach(() => {
    opened = undefined;
  });

  it.each<[string, () => void]>([
    ["a file that was removed", () => rmSync(path)],
    ["a file that was moved", () => renameSync(path, `${path}.moved`)],
    [
      "a file whose place another one has taken",
      () => {
        copy(path, `${path}.other`);
        renameSync(`${path}.other`, path);
      },
    ],
    ["a log that was removed", () => rmSync(`${path}-wal`)],
    ["a file whose folder was moved", () => renameSync(folder, `${folder}.moved`)],
  ])("nothing is committed to %s once that is noticed, and the state can be saved", (_, accident) => {
    const { file, store } = current();
    store.commit([row("a")]);
    accident();
    expect(readyRefusal()).toMatch(gone);
    expect(commitRefusal()).toMatch(gone);
    expect(store.load()).toEqual([row("a")]);
    const saved = file.copy?.() ?? "";
    file.close();
    path = join(root, `saved-${folders}.db`);
    writeFileSync(path, saved);
    expect(storedKeys()).toEqual(["a"]);
  });

  it("a commit notices more than a second later that a file was removed, and the next ones at once", () => {
    const { store } = current();
    store.commit([row("a")]);
    rmSync(path);
    now += 1000;
    store.commit([row("b")]);
    now += 1;
    expect([commitRefusal(), commitRefusal()]).toEqual([expect.stringMatching(gone), expect.stringMatching(gone)]);
    expect(store.load()).toEqual([row("a"), row("b")]);
  });

  it("commits go on when a file that was moved is put back", () => {
    const { file, store } = current();
    store.commit([row("a")]);
    renameSync(path, `${path}.moved`);
    expect(readyRefusal()).toMatch(gone);
    renameSync(`${path}.moved`, path);
    expect(readyRefusal()).toBe("ready");
    store.commit([row("b")]);
    file.close();
    expect(storedKeys()).toEqual(["a", "b"]);
  });

  it("a file that has taken the place of another one stays as it is", () => {
    const { file, store } = current();
    store.commit([row("a")]);
    const saved = file.copy?.() ?? "";
    rmSync(path);
    rmSync(`${path}-wal`);
    writeFileSync(path, saved);
    expect(readyRefusal()).toMatch(gone);
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

  it("a copy is made of all that is committed, and the server goes on", () => {
    const { file, store } = current();
    store.commit([row("a"), row("b")]);
    const names = readdirSync(folder);
    const saved = file.copy?.() ?? "";
    expect(readdirSync(folder)).toEqual(names);
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
    const { file, store } = open({ maxPages: 8 });
    file.checkReady();
    expect(() => store.commit([row("a", JSON.stringify("a".repeat(100_000)))])).toThrow(/the disk is full/);
    file.checkReady();
    store.commit([row("a")]);
    file.checkReady();
  });
});

describe("of a stopped server", () => {
  it("the line of the page reads the file", () => {
    open().file.close();
    const page = readFileSync(new URL("../../../../docs/mock-server.md", import.meta.url), "utf8");
    const [, code = ""] = /^node -p "(.*DatabaseSync.*)"$/m.exec(page) ?? [];
    const options = { cwd: folder, encoding: "utf8" } as const;
    expect(execFileSync(process.execPath, ["-p", code], options)).toMatch(/integrity_check: 'ok'/);
  });
});
