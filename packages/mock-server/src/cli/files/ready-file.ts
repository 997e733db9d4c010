import { readFileSync, rmSync } from "node:fs";

/** Removes the file at shutdown, unless another server has written it since. */
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
