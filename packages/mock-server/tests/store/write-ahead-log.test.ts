import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { findLogDamage } from "../../src/store/write-ahead-log.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-log-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** The log of a database that SQLite has not closed, after some statements, each a commit. */
function logAfter(statements: readonly string[], pageSize = 4096): Buffer {
  const path = join(folder, `${++files}.db`);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`);
  for (const statement of statements) database.exec(statement);
  const log = readFileSync(`${path}-wal`);
  database.close();
  return log;
}

const inserts = Array.from({ length: 5 }, (_, at) => `INSERT INTO t VALUES (${at}, '${"x".repeat(100 * at)}')`);
const create = "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)";

/** What SQLite itself reads with a log: the number of rows. */
function rowsWith(log: Buffer, pageSize = 4096): number {
  const path = join(folder, `${++files}.db`);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; ${create}`);
  database.close();
  execFileSync("sh", ["-c", 'cat > "$1"', "sh", `${path}-wal`], { input: log });
  const again = new DatabaseSync(path);
  try {
    return Number(again.prepare("SELECT count(*) AS rows FROM t").get()?.rows);
  } finally {
    again.close();
  }
}

describe("findLogDamage", () => {
  it.each([512, 4096, 65_536])("finds nothing in a whole log with pages of %i bytes", (pageSize) => {
    expect(findLogDamage(logAfter([create, ...inserts], pageSize), pageSize)).toBeUndefined();
  });

  it("finds each flipped byte, wherever it is, and counts the commits behind it", () => {
    const log = logAfter([create, ...inserts], 512);
    const frame = 24 + 512;
    const commits: number[] = [];
    for (let at = 32; at < log.length; at += frame) if (log.readUInt32BE(at + 4) !== 0) commits.push(at);
    expect(commits).toHaveLength(6);
    for (let at = 0; at < log.length; at += 1) {
      const damaged = Buffer.from(log);
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
      const from = at < 32 ? 32 : at - ((at - 32) % frame);
      const lost = commits.filter((commit) => commit >= from).length;
      const found = findLogDamage(damaged, 512);
      expect([at, found?.unreadableBytes]).toEqual([at, log.length - from]);
      // The flipped byte may be the one that says whether a frame completes a commit.
      expect([at, (found?.commits ?? 0) - lost]).toEqual([at, expect.toBeOneOf([0, 1])]);
    }
  });

  it("agrees with SQLite, which leaves them out without a word", () => {
    const log = logAfter([create, ...inserts]);
    expect(rowsWith(log)).toBe(5);
    log[log.length - 100] = 1;
    expect([rowsWith(log), findLogDamage(log, 4096)?.commits]).toEqual([4, 1]);
  });

  it("takes a log that ends anywhere in a commit for one that a kill has cut off", () => {
    const log = logAfter([create, ...inserts]);
    for (let length = 0; length < log.length; length += 97)
      expect([length, findLogDamage(log.subarray(0, length), 4096)]).toEqual([length, undefined]);
  });

  it("leaves out what is behind a log that began again", () => {
    const statements = [create, ...inserts, "PRAGMA wal_checkpoint(RESTART)", "INSERT INTO t VALUES (100, '')"];
    const log = logAfter(statements);
    expect(log.length).toBeGreaterThan(32 + 2 * (24 + 4096));
    expect(findLogDamage(log, 4096)).toBeUndefined();
    // The first frame of the new log.
    log[100] = (log[100] ?? 0) ^ 1;
    expect(findLogDamage(log, 4096)?.commits).toBe(1);
  });

  it("leaves out a transaction that was taken back", () => {
    const large = `INSERT INTO t VALUES (200, hex(zeroblob(50000)))`;
    const log = logAfter([create, "PRAGMA cache_size = 1", `BEGIN; ${large}; ROLLBACK`, ...inserts]);
    expect(findLogDamage(log, 4096)).toBeUndefined();
  });
});
