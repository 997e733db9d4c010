import { accessSync, constants, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { logOf } from "./file-guard.ts";
import { notADataFile, StoreError } from "./store-error.ts";
import { findLogDamage } from "./write-ahead-log.ts";

const smallestPage = 512;

/** The files that SQLite keeps beside one that has unfinished changes. */
const besides = (path: string): readonly string[] => [logOf(path), `${path}-journal`];

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Whether a killed program has left changes beside the file, which SQLite moves into it on closing. */
export function isUnfinished(path: string): boolean {
  return besides(path).some(sizeOf);
}

/** Checks what can be said without opening the file. Throws StoreError. */
export function checkPlace(path: string): void {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StoreError(`${path}: the folder ${folder} does not exist. Create it first.`);
  // The file first: another folder would not make a device or another format a data file.
  const file = isAllowed(folder, constants.X_OK) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (file !== undefined) checkReadable(path);
  if (!isWritable(folder))
    throw new StoreError(
      `${path}: this user cannot write to the folder ${folder}. Make it writable, or name another file.`,
    );
  if (file === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new StoreError(`${path} is a link to a file that does not exist. Remove the link, or name another file.`);
    checkOrphan(path);
    return;
  }
  if (!isAllowed(path, constants.W_OK))
    throw new StoreError(`${path} is read-only. Make it writable, or name another file.`);
}

/** Checks that there is a file which may be a data file. Throws StoreError. */
export function checkReadable(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) throw new StoreError(`${path} does not exist. Name a data file.`);
  if (file.isDirectory()) throw new StoreError(`${path} is a folder. Name a file.`);
  if (!file.isFile()) throw new StoreError(`${path} is not a regular file. Name another one.`);
  if (file.size === 0)
    throw new StoreError(`${path} is empty. Remove it, and the server creates a new one, or name another file.`);
  // SQLite itself takes a shorter file for a new one.
  if (file.size < smallestPage) throw new StoreError(notADataFile(path));
  if (!isAllowed(path, constants.R_OK))
    throw new StoreError(`${path}: this user cannot read it. Allow it, or name another file.`);
}

/** Refuses changes whose file is gone: SQLite would put them into the new one. */
function checkOrphan(path: string): void {
  const log = besides(path).find(sizeOf);
  if (log === undefined) return;
  throw new StoreError(
    `${path} does not exist, but ${log} does, with changes that a killed server had stored. Put the file back beside it. To begin with a new file and without these changes, remove ${log}.`,
  );
}

/** Says what of the file's log cannot be read although it was committed; undefined if that is nothing. */
export function logDamage(path: string, pageSize: number): string | undefined {
  const log = logOf(path);
  const size = sizeOf(log);
  const damage = size === 0 ? undefined : findLogDamage(readFileSync(log), pageSize);
  if (damage === undefined) return undefined;
  const { unreadableBytes, commits } = damage;
  const what = commits === 1 ? "a commit that was confirmed" : `up to ${commits} commits that were confirmed`;
  return `${log} is damaged: ${unreadableBytes} of its ${size} bytes cannot be read, with ${what}`;
}

/** Whether this user may create files in a folder. */
export function isWritable(folder: string): boolean {
  return isAllowed(folder, constants.W_OK | constants.X_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
