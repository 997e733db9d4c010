// Makes something once for all processes that need it.
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Milliseconds after which a process that has not finished counts as ended. */
export const runWithinMs = 900_000;
const pollMs = 500;

/** Milliseconds since 1970 of the last change of a file; 0 if there is none. */
export const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

interface Waiting {
  /** Receives a sentence, once, if it waits long. */
  readonly say?: (text: string) => void;
  /** Milliseconds until it says so. */
  readonly sayAfterMs?: number;
}

/**
 * Makes something unless it is there. Waits for another process that makes the same. After 30 seconds it says so: a process that
 * was killed leaves its folder behind, and that counts for 15 minutes.
 *
 * @param turn A folder that exists while one process makes it.
 */
export function makeOnce(
  turn: string,
  isMade: () => boolean,
  make: () => void,
  { say = console.error, sayAfterMs = 30_000 }: Waiting = {},
): void {
  let sayAt = performance.now() + sayAfterMs;
  while (!isMade()) {
    if (!tookTurn(turn)) {
      if (performance.now() < sayAt) continue;
      sayAt = Number.POSITIVE_INFINITY;
      say(`Waiting for the process that made ${turn}. If that was killed, remove the folder.`);
      continue;
    }
    try {
      if (!isMade()) make();
    } finally {
      removeTurn(turn);
    }
    return;
  }
}

/** Ends a turn: removes its folder, unless another process has done so. The folder disappears at once, with all that is in it. */
export function removeTurn(turn: string): void {
  const old = `${turn}.old-${crypto.randomUUID()}`;
  try {
    renameSync(turn, old);
  } catch (error) {
    if (!existsSync(turn)) return;
    throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

/** Makes a folder that one process at a time can make. Otherwise waits a moment, and removes what was left behind. */
function tookTurn(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    removeLeftBehind(folder);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    return false;
  }
}

const isLeftBehind = (folder: string): boolean => {
  const changed = changedMs(folder);
  return changed > 0 && changed < Date.now() - runWithinMs;
};

/**
 * Removes the folder of a process that was killed. One process at a time looks again and removes: a second one that also saw the
 * old folder would remove the one that the first has made since.
 */
export function removeLeftBehind(folder: string): void {
  if (!isLeftBehind(folder)) return;
  const removing = `${folder}.removing`;
  try {
    mkdirSync(removing);
  } catch {
    // Another process removes it. If that was killed too, the next look begins again.
    if (isLeftBehind(removing)) rmSync(removing, { recursive: true, force: true });
    return;
  }
  const old = `${folder}.old-${crypto.randomUUID()}`;
  try {
    if (!isLeftBehind(folder)) return;
    renameSync(folder, old);
  } finally {
    rmdirSync(removing);
  }
  rmSync(old, { recursive: true, force: true });
}
