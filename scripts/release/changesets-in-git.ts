// Finds what had changed when each pending changeset was committed.
import { execFileSync } from "node:child_process";
import type { Change } from "./change.ts";
import type { Read } from "./moved.ts";
import { textAt } from "./tree.ts";
import type { ChangesAt, Moved } from "./verdict.ts";

/** The commit that brought each changeset to this branch, by the changeset's file. A merge brings all of its branch at once. */
function commitsOf(git: (...options: string[]) => string): Map<string, string> {
  const log = git(
    "log",
    "--first-parent",
    "-m",
    "--no-renames",
    "--diff-filter=A",
    "--format=%x00%H",
    "--name-only",
    "--",
    ".changeset",
  );
  const commits = new Map<string, string>();
  for (const entry of log.split("\0").filter(Boolean)) {
    const [commit = "", ...files] = entry.split("\n").filter(Boolean);
    for (const file of files) if (!commits.has(file)) commits.set(file, commit);
  }
  return commits;
}

/**
 * The changes since the last release that each changeset was committed with.
 * @param changesIn Compares the last release with a state, which is read by path
 */
export function changesAtCommits(root: string, changesIn: (is: Read) => readonly Moved[]): ChangesAt {
  const git = (...options: string[]): string =>
    execFileSync("git", ["-c", "core.quotePath=false", ...options], {
      env: { ...process.env, LC_ALL: "C" },
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: "pipe",
    });
  const commits = commitsOf(git);
  const known = new Map<string, ReadonlyMap<string, readonly Change[]>>();
  return ({ id }, name) => {
    const commit = commits.get(`.changeset/${id}.md`);
    if (commit === undefined) return undefined;
    const changes =
      known.get(commit) ??
      new Map(changesIn((path) => textAt(root, commit, path)).map((each) => [each.name, each.changes]));
    known.set(commit, changes);
    return changes.get(name) ?? [];
  };
}
