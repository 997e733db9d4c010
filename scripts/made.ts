// What is made once for all processes: whether it is current, and whose turn it is to make it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Milliseconds that a process may take to make something. */
export const runWithinMs = 900_000;

/**
 * Makes something unless it is there. Waits for another process that makes the same.
 *
 * @param lock A file that SQLite locks meanwhile. The system frees it when a process ends, however it does.
 */
export function makeOnce(lock: string, isMade: () => boolean, make: () => void): void {
  if (isMade()) return;
  mkdirSync(dirname(lock), { recursive: true });
  const turn = new DatabaseSync(lock, { timeout: runWithinMs });
  try {
    turn.exec("BEGIN EXCLUSIVE");
    if (!isMade()) make();
  } finally {
    turn.close();
  }
}

/** SHA-256 of the given files and of every file in the given folders, with their names; missing ones count as such. */
export function digestOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    if (!existsSync(path)) hash.update(`missing ${relative(root, path)}\n`);
    else if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(`${relative(root, path)}\n`).update(readFileSync(path));
  };
  for (const path of paths) add(join(root, path));
  return hash.digest("hex");
}

/** What a build read and wrote, as digests. */
export interface BuildState {
  readonly inputs: string;
  readonly outputs: string;
}

/** Whether a build's record, a file in `.cache/`, says the same as the files do now. */
export function isRecorded(name: string, state: BuildState): boolean {
  const record = recordOf(name);
  if (!existsSync(record)) return false;
  const last: unknown = JSON.parse(readFileSync(record, "utf8"));
  return JSON.stringify(last) === JSON.stringify(state);
}

/** Records a build. */
export function record(name: string, { inputs, outputs }: BuildState): void {
  mkdirSync(dirname(recordOf(name)), { recursive: true });
  writeFileSync(recordOf(name), JSON.stringify({ inputs, outputs }));
}

function recordOf(name: string): string {
  return join(root, ".cache", `${name}.json`);
}
