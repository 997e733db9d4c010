// The guides of this version, which the package carries beside its code.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A guide. */
export interface Guide {
  /** Name in its address, such as `placing-calls`. */
  readonly name: string;
  readonly title: string;
  /** Its subject, in a few sentences. */
  readonly description: string;
  /** Reads it, as Markdown. */
  readonly text: () => string;
}

/** The guides that the llms.txt of a package lists. None if it has none, as the sources in a clone. */
export function guidesIn(folder: string): Guide[] {
  const list = join(folder, "llms.txt");
  if (!existsSync(list)) return [];
  const lines = readFileSync(list, "utf8").matchAll(/^- \[(.+?)\]\(guides\/(.+?)\.md\): (.+)$/gm);
  return [...lines].map(([, title = "", name = "", description = ""]) => ({
    ...{ name, title, description },
    text: () => readFileSync(join(folder, "guides", `${name}.md`), "utf8"),
  }));
}

/** The guides of the installed package. None where its code was bundled into another program. */
export function ownGuides(): Guide[] {
  try {
    return guidesIn(dirname(createRequire(import.meta.url).resolve("@call-transfer/mcp/package.json")));
  } catch {
    return [];
  }
}
