import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file atomically. Throws an Error that names it. */
export function writeFileAtomically(path: string, content: string): void {
  try {
    writeFileSync(`${path}.part`, `${content}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw new Error(`Cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
