// Builds a clone of this workspace.
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong, leftOut } from "../long.ts";
import { run } from "../packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Builds a clone. The short form takes the types of this workspace, because they take most of a build: only where the SDK's
 * name its version, or the clone changed them, do they differ.
 */
export function buildClone(clone: string): void {
  run(clone, "npm", "run", "build", ...(isLong ? [] : ["--", "--no-dts"]));
  if (isLong) return;
  leftOut("building the types anew");
  run(root, "npm", "run", "build");
  for (const file of globSync("packages/*/dist/**/*.d.{ts,cts}", { cwd: root }))
    cpSync(join(root, file), join(clone, file));
}
