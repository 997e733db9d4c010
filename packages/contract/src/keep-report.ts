import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const read = (file: URL): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/**
 * Keeps a committed report up to date: rewritten on a developer's machine, where the change is seen and committed; on a
 * build machine (`CI` is set) a stale one is an error, as with every generated file.
 */
export function keepReport(file: URL, text: string): void {
  if (read(file) === text) return;
  if (process.env.CI) throw new Error(`${fileURLToPath(file)} is stale: run the tests and commit it`);
  writeFileSync(file, text);
}
