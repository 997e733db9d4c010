// A clone of the workspace that can run its scripts: it borrows the installed packages, so nothing is installed anew.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "./release-files.ts";

/** Clones one commit of a workspace, and its history, into a folder that does not exist yet. */
export function cloneWorkspace(root: string, clone: string, commit: string): void {
  run(root, "git", "clone", "--quiet", "--no-hardlinks", "--no-checkout", root, clone);
  run(clone, "git", "checkout", "--quiet", "--detach", commit);
  // A folder's pattern does not fit the links to folders that are lent here.
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
  lendModules(root, clone);
}

/** Commits what changed in a clone, new files too. */
export function commitAll(clone: string): void {
  run(clone, "git", "add", "--all");
  run(
    clone,
    "git",
    "-c",
    "user.name=clone",
    "-c",
    "user.email=clone@host.invalid",
    "commit",
    "--quiet",
    "-m",
    "Release",
  );
}

/** What a build takes into its output, which says where it stood: it must stand where `npm ci` would put it. */
const takenIn = ["openapi-fetch"];

/** Gives a clone the workspace's installed packages, and its own for the workspace's own names. */
function lendModules(root: string, clone: string): void {
  const modules = join(clone, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (takenIn.includes(name)) cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
    else if (name !== "@call-transfer") symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, "@call-transfer"));
  for (const name of readdirSync(join(clone, "packages"))) {
    symlinkSync(join(clone, "packages", name), join(modules, "@call-transfer", name));
    const nested = join(root, "packages", name, "node_modules");
    if (existsSync(nested)) symlinkSync(nested, join(clone, "packages", name, "node_modules"));
  }
}
