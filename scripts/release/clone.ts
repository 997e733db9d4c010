// Clones the workspace with links to its installed packages, so that the clone can run scripts without an install.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "../packed.ts";

/** Clones one commit of a workspace, with its history, into a new folder. */
export function cloneWorkspace(root: string, clone: string, commit: string): void {
  run(root, "git", "clone", "--quiet", "--no-hardlinks", "--no-checkout", root, clone);
  run(clone, "git", "checkout", "--quiet", "--detach", commit);
  // .gitignore has `node_modules/`, which does not match symbolic links.
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
  linkModules(root, clone);
}

/** Commits every change in a clone, including new files. */
export function commitAll(clone: string): void {
  run(clone, "git", "add", "--all");
  const identity = ["-c", "user.name=clone", "-c", "user.email=clone@host.invalid"];
  run(clone, "git", ...identity, "commit", "--quiet", "-m", "Release");
}

/** Packages that builds bundle. Source maps name their path, so they are copied to where `npm ci` would put them. */
const bundled = ["openapi-fetch", "zod", "@noble", "preact", "@preact"];

/** Links a clone to the installed packages, and to its own copies of the workspace's packages. */
function linkModules(root: string, clone: string): void {
  const modules = join(clone, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (bundled.includes(name)) cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
    else if (name !== "@call-transfer") symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, "@call-transfer"));
  for (const name of readdirSync(join(clone, "packages"))) {
    symlinkSync(join(clone, "packages", name), join(modules, "@call-transfer", name));
    const nested = join(root, "packages", name, "node_modules");
    if (existsSync(nested)) symlinkSync(nested, join(clone, "packages", name, "node_modules"));
  }
}
