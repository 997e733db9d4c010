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
 * build machine (`CI` is set) a stale one is a problem that names the command to run, as with every generated file.
 */
export function keepReport(file: URL, text: string, command = "npm run test:contract"): string[] {
  if (read(file) === text) return [];
  if (process.env.CI) return [`${fileURLToPath(file)} is stale: run ${command} and commit it`];
  writeFileSync(file, text);
  return [];
}
