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
 * build machine (`CI` is set) a stale one is a problem, as with every generated file. Returns problems in words.
 */
export function keepReport(file: URL, text: string): string[] {
  if (read(file) === text) return [];
  if (process.env.CI) return [`${fileURLToPath(file)} is stale: run npm run test:contract and commit it`];
  writeFileSync(file, text);
  return [];
}
