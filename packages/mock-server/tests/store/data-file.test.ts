import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { StoredRow } from "@call-transfer/backend";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStores } from "../../src/store/sqlite.ts";
import { StoreError } from "../../src/store/store-error.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "call-transfer-data-file-")));
let folder = root;
let path = "";
let folders = 0;
const rows: StoredRow[] = Array.from({ length: 120 }, (_, at) => ({
  table: at % 3 === 0 ? "calls" : "groups",
  key: `key-${at}`,
  text: JSON.stringify({ id: at, name: "n".repeat(at * 3) }),
}));

beforeAll(() => chmodSync(root, 0o755));
beforeEach(() => {
  folder = join(root, String(++folders));
  path = join(folder, "mock.db");
  mkdirSync(folder, { mode: 0o777 });
  chmodSync(folder, 0o777);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Writes rows to a data file, and closes it. */
function fill(): void {
  const stores = openSqliteStores(path);
  stores.open("default", '{"a":1}').commit(rows);
  stores.open("other", "{}");
  stores.close();
}

/** What is in a data file. */
function contents(): unknown {
  const stores = openSqliteStores(path);
  try {
    return stores.list().map(({ name, options }) => ({ name, options, rows: stores.open(name, options).load() }));
  } finally {
    stores.close();
  }
}

const unopened =
  "FILE cannot be opened or created. Name a file that this user can read and write, in a folder that exists and to which this user can write.";

const filled = [
  { name: "default", options: '{"a":1}', rows },
  { name: "other", options: "{}", rows: undefined },
];

/** Opens the file in this process, which must fail and leave the file as it is. Returns the message after the path. */
function refusal(): string {
  const before = readFileSync(path);
  let message = "nothing was thrown";
  try {
    openSqliteStores(path).close();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    message = (error as Error).message;
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  return message.replaceAll(path, "FILE").replaceAll(folder, "FOLDER");
}

/** Opens the file in another process. Returns what that says. */
function elsewhere(as: "same user" | "unprivileged" = "same user"): string {
  const program = fileURLToPath(new URL("open-file.ts", import.meta.url));
  const options = ["--conditions=@call-transfer/source", program, path, as === "unprivileged" ? as : ""];
  const printed = execFileSync(process.execPath, options, { encoding: "utf8" });
  return printed.trim().replaceAll(path, "FILE").replaceAll(folder, "FOLDER");
}

describe("a new data file", () => {
  it("is readable for its user alone, and one file when it is closed", () => {
    fill();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["mock.db"]);
    expect(contents()).toEqual(filled);
    expect(readdirSync(folder)).toEqual(["mock.db"]);
  });

  it("leaves nothing behind on a full disk", () => {
    expect(() => openSqliteStores(path, { maxPages: 1 })).toThrow(
      new StoreError(`${path} cannot grow: the disk is full. Free space on it, and try again.`),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("has any name", () => {
    path = join(folder, ":memory: ä'b?c#d%41.db");
    fill();
    expect(contents()).toEqual(filled);
    expect(readdirSync(folder)).toEqual([basename(path)]);
  });
});

describe("a file that cannot be used is left as it is", () => {
  const sqliteFile = (statements: string): void => {
    const database = new DatabaseSync(path);
    database.exec(statements);
    database.close();
  };

  it("an empty one", () => {
    writeFileSync(path, "");
    expect(refusal()).toBe("FILE is empty. Remove it, and the server creates a new one, or name another file.");
  });

  it.each([
    ["with a line", "{}\n"],
    ["with a text", '{ "groups": [] }\n'.repeat(1000)],
    ["that begins like a database", `SQLite format 3\0${"?".repeat(9000)}`],
  ])("one of another format, %s", (_, content) => {
    writeFileSync(path, content);
    expect(refusal()).toBe("FILE is not a data file of the mock server. Name another file.");
  });

  it.each(["DELETE", "WAL"])("a database of another program in the mode %s", (mode) => {
    sqliteFile(`PRAGMA journal_mode = ${mode}; CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')`);
    expect(refusal()).toBe("FILE is a SQLite database of another program. Name another file.");
  });

  it("one of another version, also if it was not closed", () => {
    fill();
    sqliteFile("PRAGMA user_version = 9");
    expect(refusal()).toBe(
      "FILE has version 9, and this mock server reads version 1. Use the one that wrote it, or name another file.",
    );
    const writer = new DatabaseSync(path);
    writer.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 10");
    const [file, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
    writer.close();
    writeFileSync(path, file);
    writeFileSync(`${path}-wal`, log);
    expect(refusal()).toMatch(/^FILE has version 10,/);
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });

  it("one that was cut at any length", () => {
    fill();
    const whole = readFileSync(path);
    const lengths = [1, 2, 15, 16, 17, 60, 99, 100, 101, 511, 512, 513, whole.length - 1];
    for (let length = 1000; length < whole.length; length += 1000) lengths.push(length);
    for (const length of lengths) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      expect([length, refusal()]).toEqual([length, expect.stringMatching(/^FILE is (damaged|not a data file)/)]);
    }
  });

  it("one that was damaged anywhere, if any row would not be as it was written", () => {
    fill();
    const whole = readFileSync(path);
    let refused = 0;
    for (let at = 0; at < whole.length; at += 61) {
      const damaged = Buffer.from(whole);
      for (let byte = at; byte < Math.min(at + 7, whole.length); byte++) damaged[byte] = (damaged[byte] ?? 0) ^ 0x5a;
      writeFileSync(path, damaged);
      let read: unknown;
      try {
        read = contents();
      } catch (error) {
        expect([at, error]).toEqual([at, expect.any(StoreError)]);
        expect([at, readFileSync(path).equals(damaged)]).toEqual([at, true]);
        refused++;
        continue;
      }
      expect([at, read]).toEqual([at, filled]);
    }
    expect(refused / (whole.length / 61)).toBeGreaterThan(0.5);
  });

  it("one in which a row was overwritten", () => {
    fill();
    const whole = readFileSync(path);
    whole.write("nnnnnnnMnnnnnnn", whole.indexOf("n".repeat(300)));
    writeFileSync(path, whole);
    expect(refusal()).toBe(
      "FILE is damaged (a row is not as it was written). Replace it by a backup, or name another file.",
    );
  });

  it.runIf(process.platform !== "win32")("one that this user may only read", () => {
    fill();
    chmodSync(path, 0o444);
    const before = readFileSync(path);
    expect(elsewhere("unprivileged")).toBe(`StoreError: ${unopened}`);
    chmodSync(path, 0o000);
    expect(elsewhere("unprivileged")).toBe(`StoreError: ${unopened}`);
    chmodSync(path, 0o644);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.runIf(process.platform !== "win32")("one in a folder that this user may only read", () => {
    fill();
    chmodSync(path, 0o666);
    chmodSync(folder, 0o555);
    const message = `StoreError: ${unopened}`;
    expect(elsewhere("unprivileged")).toBe(message);
    path = join(folder, "new.db");
    expect(elsewhere("unprivileged")).toBe(message);
    expect(readdirSync(folder)).toEqual(["mock.db"]);
    chmodSync(folder, 0o755);
  });

  it("one that another server uses", () => {
    fill();
    const stores = openSqliteStores(path);
    const message = "FILE is in use by another program, probably a mock server. Stop it, or name another file.";
    stores.open("default", "{}").commit([]);
    expect(elsewhere()).toBe(`StoreError: ${message}`);
    expect(() => openSqliteStores(path)).toThrow(new StoreError(message.replace("FILE", path)));
    // The refusal in this process has not opened the file to others.
    expect(elsewhere()).toBe(`StoreError: ${message}`);
    stores.close();
    expect(elsewhere()).toBe("opened");
    expect(contents()).toEqual(filled);
  });
});

describe("a place without a file", () => {
  const messageOf = (place: string): string => {
    try {
      openSqliteStores(place).close();
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      return (error as Error).message.replaceAll(place, "FILE").replaceAll(folder, "FOLDER");
    }
    return "nothing was thrown";
  };

  it("that is a folder is refused", () => {
    expect(messageOf(folder)).toBe("FILE is not a regular file. Name another one.");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("in a folder that does not exist, or below a file, is refused", () => {
    expect(messageOf(join(folder, "a", "mock.db"))).toBe(unopened);
    writeFileSync(path, "a");
    expect(messageOf(join(path, "mock.db"))).toBe(unopened);
  });

  it.runIf(process.platform !== "win32")("of a device is refused", () => {
    const message = "FILE is not a regular file. Name another one.";
    expect(messageOf("/dev/null")).toBe(message);
    // What a user may do in its folder says nothing about it.
    path = "/dev/null";
    expect(elsewhere("unprivileged")).toBe(`StoreError: ${message}`);
  });

  it("of a link to a missing file is refused, and the link stays", () => {
    symlinkSync(join(folder, "missing.db"), path);
    expect(messageOf(path)).toBe(
      "FILE is a link to a file that does not exist. Remove the link, or name another file.",
    );
    expect(readdirSync(folder)).toEqual(["mock.db"]);
  });

  it("of a link to a data file is that file", () => {
    fill();
    mkdirSync(join(folder, "links"));
    const link = join(folder, "links", "link.db");
    symlinkSync(path, link);
    const target = path;
    path = link;
    expect(contents()).toEqual(filled);
    writeFileSync(`${target}-wal`, "left by a killed server");
    expect(contents()).toEqual(filled);
    path = target;
    expect(readdirSync(folder)).toEqual(["links", "mock.db"]);
    expect(readdirSync(join(folder, "links"))).toEqual(["link.db"]);
  });
});
