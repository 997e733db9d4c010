import { existsSync, linkSync, renameSync } from "node:fs";

/** Gives a file another name, but does not replace one that has it by now. */
export function putInPlace(temporary: string, path: string, link: typeof linkPaths = linkPaths): void {
  try {
    link(temporary, path);
  } catch {
    // It exists, or the file system has no hard links.
    if (!existsSync(path)) renameSync(temporary, path);
  }
}

const linkPaths = (path: string, name: string): void => linkSync(path, name);
