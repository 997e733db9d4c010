import { readFileSync, rmSync } from "node:fs";

/** Removes what a server that was killed has left, so that nobody who waits for this one reads its address. */
export function removeStaleReadyFile(path: string): void {
  rmSync(path, { force: true });
}

/** Removes the file at the end, unless another server has written its own by then. */
export function removeOwnReadyFile(path: string): void {
  if (writerOf(path) === process.pid) rmSync(path, { force: true });
}

function writerOf(path: string): unknown {
  try {
    return Object(JSON.parse(readFileSync(path, "utf8"))).pid;
  } catch {
    return undefined;
  }
}
