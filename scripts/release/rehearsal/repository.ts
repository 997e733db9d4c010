// A bare repository in the place of GitHub's, and one clone of it in which authors and jobs work.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../packed.ts";
import { recordFile } from "../baseline.ts";
import type { Bump } from "../change.ts";
import { changesetText, writeChangeset } from "../changesets.ts";
import { cloneWorkspace, commitAll } from "../clone.ts";
import { packagesIn } from "../compare/surface.ts";
import { objectIn } from "../json.ts";

/** The remote repository and its clone. */
export class Repository {
  readonly clone: string;
  readonly #origin: string;
  readonly #folder: string;

  /** Makes both of one commit of a workspace, whose branch becomes `main`. */
  constructor(folder: string, root: string, commit: string) {
    this.#folder = folder;
    this.#origin = join(folder, "origin.git");
    this.clone = join(folder, "clone");
    cloneWorkspace(root, this.clone, commit);
    mkdirSync(this.#origin);
    run(this.#origin, "git", "init", "--quiet", "--bare", "--initial-branch=main");
    this.git("remote", "set-url", "origin", this.#origin);
    this.#forgetRefs();
    this.git("push", "--quiet", "origin", `${commit}:refs/heads/main`);
    this.checkOut("main");
  }

  git(...options: readonly string[]): string {
    return run(this.clone, "git", ...options).trim();
  }

  /** A fresh checkout of a branch or a commit of the remote. Ignored files stay, so that builds are repeated only if necessary. */
  checkOut(ref: string): void {
    this.git("reset", "--quiet", "--hard");
    this.git("clean", "--quiet", "-fd");
    this.git("fetch", "--quiet", "--prune", "--tags", "--force", "origin");
    const isBranch = this.git("branch", "--remotes", "--list", `origin/${ref}`) !== "";
    this.git("checkout", "--quiet", "--detach", isBranch ? `origin/${ref}` : ref);
    for (const branch of this.git("branch", "--format=%(refname:short)").split("\n"))
      if (branch !== "" && !branch.startsWith("(")) this.git("branch", "--quiet", "-D", branch);
    rmSync(join(this.clone, "packed"), { recursive: true, force: true });
  }

  /** Commits what `edit` changes to a branch of the remote, as a merged pull request does. */
  change(branch: string, edit: () => void): void {
    this.checkOut(branch);
    edit();
    // The versions that a rehearsal begins with may be those that are there.
    if (this.git("status", "--porcelain") !== "") commitAll(this.clone);
    this.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  }

  /** Begins a branch of the remote at a tag. */
  branch(name: string, tag: string): void {
    this.checkOut(tag);
    this.git("push", "--quiet", "origin", `HEAD:refs/heads/${name}`);
  }

  /** Merges the pull request with the next versions. */
  mergeRelease(branch: string): void {
    this.checkOut(branch);
    this.git("merge", "--quiet", "--ff-only", `origin/next-release/${branch}`);
    this.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    rmSync(join(this.#folder, "pull-request"));
  }

  /** Replaces a text that occurs in a file. */
  edit(path: string, from: string, to: string): void {
    const text = readFileSync(join(this.clone, path), "utf8");
    if (!text.includes(from)) throw new Error(`${path} has no "${from}". Correct the rehearsal.`);
    writeFileSync(
      join(this.clone, path),
      text.replace(from, () => to),
    );
  }

  editManifest(path: string, edit: (manifest: Record<string, unknown>) => Record<string, unknown>): void {
    const file = join(this.clone, path);
    writeFileSync(file, `${JSON.stringify(edit(objectIn(JSON.parse(readFileSync(file, "utf8")))), null, 2)}\n`);
  }

  /** Removes the changesets that wait, and what the record says of releases before. */
  forgetReleases(): void {
    const folder = join(this.clone, ".changeset");
    for (const name of readdirSync(folder))
      if (name !== "README.md" && name !== "config.json") rmSync(join(folder, name), { recursive: true });
    writeFileSync(join(this.clone, "releases/history.json"), "[]\n");
    const versions = Object.fromEntries(
      packagesIn(join(this.clone, "packages")).flatMap(({ name, isReleased }) => (isReleased ? [[name, "0.0.0"]] : [])),
    );
    writeFileSync(join(this.clone, recordFile), JSON.stringify({ versions }));
  }

  /** Adds a line to a file. */
  append(path: string, line: string): void {
    const file = join(this.clone, path);
    writeFileSync(file, `${readFileSync(file, "utf8")}${line}\n`);
  }

  changeset(names: readonly string[], bump: Bump, note: string): void {
    writeChangeset(join(this.clone, ".changeset"), "rehearsed", changesetText(names, bump, note));
  }

  /** Branches and tags of the workspace that the remote must not have. */
  #forgetRefs(): void {
    for (const ref of this.git("for-each-ref", "--format=%(refname)", "refs/remotes", "refs/tags").split("\n"))
      if (ref !== "") this.git("update-ref", "--no-deref", "-d", ref);
  }
}
