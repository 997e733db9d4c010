// Type-checks the contract cases of the last release against the current packages.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import type { Change } from "./change.ts";
import { compile, withFolder } from "./compiler.ts";
import type { JsonObject } from "./json.ts";

/**
 * Reports what no longer compiles in an earlier entry and the earlier files it imports. They replace the files on disk.
 * @param files Earlier texts by path, relative to the root
 * @param options Compiler options as in a tsconfig.json
 */
export async function checkFiles(
  files: ReadonlyMap<string, string>,
  entry: string,
  root: string,
  options: JsonObject,
): Promise<Change[]> {
  if (!files.has(entry))
    throw new Error(`The last release has no ${entry}. Update suiteFolder in baseline.ts if the suite has moved.`);
  return withFolder(root, async (folder) => {
    place(files, root, join(folder, "root"));
    const output = await compile(folder, [`root/${entry}`], { ...options, noEmit: true });
    if (/^error /m.test(output))
      throw new Error(`The contract cases of the last release cannot be checked.\n${output}`);
    return errorsIn(output).flatMap(({ path, line, message }): Change[] => {
      const earlier = path.replace(/^root\//, "");
      if (!files.has(earlier)) return [];
      return [
        {
          bump: "major",
          place: "contract cases of the last release",
          message: `no longer compile: ${message}`,
          usedIn: [`${earlier}:${line}`],
        },
      ];
    });
  });
}

/** Writes the earlier files into a copy of the root, in which everything beside their folders is a link. */
function place(files: ReadonlyMap<string, string>, root: string, copy: string): void {
  const replaced = new Set([...files.keys()].map(dirname));
  const above = new Set([...replaced].flatMap(ancestorsOf));
  for (const folder of above) {
    mkdirSync(join(copy, folder), { recursive: true });
    if (replaced.has(folder) || !existsSync(join(root, folder))) continue;
    for (const name of readdirSync(join(root, folder))) {
      const path = join(folder, name);
      if (!above.has(path) && !path.startsWith(".")) symlinkSync(join(root, path), join(copy, path));
    }
  }
  for (const [path, text] of files) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
}

/** A folder and every folder above it, the root first. */
const ancestorsOf = (folder: string): string[] => (folder === "." ? ["."] : [...ancestorsOf(dirname(folder)), folder]);

interface CompilerError {
  readonly path: string;
  readonly line: string;
  readonly message: string;
}

/** Errors as the compiler prints them. Indented lines go on with the error above. */
function errorsIn(output: string): CompilerError[] {
  return output.split(/\n(?! )/).flatMap((text) => {
    const [, path, line, message] = /^(.+?)\((\d+),\d+\): error TS\d+: ([\s\S]*)$/.exec(text.trim()) ?? [];
    if (path === undefined || line === undefined || message === undefined) return [];
    return [{ path, line, message: message.replace(/\s+/g, " ").replace(/\.$/, "") }];
  });
}
