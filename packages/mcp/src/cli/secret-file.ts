import { fchmodSync, openSync, writeSync } from "node:fs";
import { errorMessage } from "@call-transfer/backend/unstable";
import type { SaveSecret } from "../tools/operation-tools.ts";
import { UsageError } from "./options.ts";

/**
 * Opens the file before anything is called, so that no secret is created for which there is no place.
 *
 * @throws {UsageError} The file cannot be written.
 */
export function secretFile(path: string): SaveSecret {
  let file: number;
  try {
    file = openSync(path, "a", 0o600);
    fchmodSync(file, 0o600);
  } catch (error) {
    throw new UsageError(`--secret-file cannot be written: ${errorMessage(error)}. Choose another file.`);
  }
  return (secret, { operation, id }) => writeSync(file, `${new Date().toISOString()} ${operation} ${id} ${secret}\n`);
}
