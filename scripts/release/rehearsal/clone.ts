// Clones of the workspace with links to its installed packages, so that they run scripts without an install.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { run } from "../../packed.ts";
import { recordFile } from "../record.ts";

/** Clones one commit of a workspace, with its history, into a new folder. Its modules are those of `installed`. */
export function cloneWorkspace(root: string, clone: string, commit: string, installed = root): void {
  run(root, "git", "clone", "--quiet", "--no-hardlinks", "--no-checkout", "--no-tags", root, clone);
  run(clone, "git", "checkout", "--quiet", "-B", "main", commit);
  // .gitignore has `node_modules/`, which does not match symbolic links. A job of the workflow writes plan.txt.
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\nplan.txt\npacked\n");
  linkModules(installed, clone);
}

/** Commits every change in a clone, including new files. */
export function commitAll(clone: string): void {
  run(clone, "git", "add", "--all");
  const identity = ["-c", "user.name=clone", "-c", "user.email=clone@host.invalid"];
  run(clone, "git", ...identity, "commit", "--quiet", "-m", "Release");
}

/** Packages that builds bundle. Source maps name their path, so they are copied to where `npm ci` would put them. */
const bundled = ["openapi-fetch", "zod", "@noble", "preact", "@preact", "yaml", "commander"];

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

/** Forgets the pending changesets and every release, as before the first one. */
export function forgetReleases(clone: string): void {
  const folder = join(clone, ".changeset");
  for (const name of readdirSync(folder))
    if (name !== "README.md" && name !== "config.json") rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(clone, recordFile), "[]\n");
}

/** Replaces a text that occurs in a file. @throws {Error} if it does not */
export function replaceIn(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${path} has no "${from}". Correct the edit.`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}
