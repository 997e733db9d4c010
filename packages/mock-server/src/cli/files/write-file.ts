import { renameSync, rmSync, writeFileSync } from "node:fs";
import { errorMessage } from "../../web/error-message.ts";

/** Writes a file atomically. Throws an Error that names it. */
export function writeFileAtomically(path: string, content: string): void {
  try {
    writeFileSync(`${path}.part`, `${content}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw new Error(`Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  }
}
