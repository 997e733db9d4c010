// Rehearses a release in a temporary clone of the last commit: versions, changelogs, record. The long form also packs it, in two
// clones whose tarballs must be byte-identical, installs them and calls every operation. The working tree stays untouched.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong, leftOut } from "../long.ts";
import { install, run, temporaryFolder } from "../packed.ts";
import { runEveryOperation, withPackedServer } from "../packed-server.ts";
import { buildClone } from "./build-clone.ts";
import { changesetsIn } from "./changesets.ts";
import { cloneWorkspace, commitAll } from "./clone.ts";
import { writePythonFiles } from "./python-files.ts";
import { packInto, writeReleaseFiles } from "./release-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a function under another umask; child processes inherit it. */
function withUmask<T>(mask: number, use: () => T): T {
  const usual = process.umask(mask);
  try {
    return use();
  } finally {
    process.umask(usual);
  }
}

/** Releases what is pending in a clone of one commit, as the workflow does. */
function release(clone: string, commit: string): void {
  cloneWorkspace(root, clone, commit);
  if (changesetsIn(join(clone, ".changeset")).length > 0) {
    run(clone, "npm", "run", "release", "--", "version");
    commitAll(clone);
  }
}

/** Checks that the gate and the supply-chain check pass in the released state. */
function checkReleased(clone: string): void {
  const gate = ["--conditions=@call-transfer/source", join("scripts", "release", "gate.ts")];
  console.log(run(clone, process.execPath, ...gate).trim());
  console.log(run(clone, process.execPath, join("tests", "packages", "check-supply-chain.ts")).trim());
}

const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Packs a second clone. Tarballs must not depend on path or permissions, so it has another path and a stricter umask. */
function comparePacked(folder: string, commit: string, tarballs: readonly string[]): void {
  const two = join(folder, "somewhere else", "two");
  const again = withUmask(0o077, () => {
    release(two, commit);
    buildClone(two);
    return packInto(two, join(folder, "packed-again"));
  });
  for (const [index, tarball] of tarballs.entries()) {
    const second = join(folder, "packed-again", again[index]?.tarball ?? "");
    if (digest(join(folder, "packed", tarball)) !== digest(second))
      throw new Error(`${tarball} differs between two clones of the same commit. Make the build reproducible.`);
  }
  const python = writePythonFiles(join(folder, "one"), join(folder, "packed"));
  withUmask(0o077, () => writePythonFiles(two, join(folder, "packed-again")));
  for (const file of python)
    if (digest(join(folder, "packed/python", file)) !== digest(join(folder, "packed-again/python", file)))
      throw new Error(`${file} differs between two clones of the same commit. Make the build reproducible.`);
  console.log(`Python: ${python.join(", ")}, identical in both clones`);
}

async function dryRun(): Promise<void> {
  using temporary = temporaryFolder("release");
  const folder = temporary.path;
  const commit = run(root, "git", "rev-parse", "HEAD").trim();
  const one = join(folder, "one");
  release(one, commit);
  checkReleased(one);
  if (!isLong) return leftOut("packing and installing what was released, twice; check packed packs what is there");
  buildClone(one);
  const files = writeReleaseFiles(one, join(folder, "packed"));
  comparePacked(
    folder,
    commit,
    files.map(({ tarball }) => tarball),
  );
  for (const { name, version, tarball } of files) {
    const sum = digest(join(folder, "packed", tarball)).slice(0, 16);
    console.log(`${name} ${version}  sha256 ${sum}…, identical in both clones`);
    const notes = readFileSync(join(folder, "packed", `${tarball}.md`), "utf8");
    console.log(notes.trim().replace(/^/gm, "    "));
  }
  const written = readFileSync(join(folder, "packed", "sbom.cdx.json"), "utf8");
  if (written.includes(folder))
    throw new Error("The bill of materials contains a path of this machine. Remove it in release-files.ts.");
  const bill = JSON.parse(written) as { components: unknown[] };
  console.log(`The bill of materials lists ${bill.components.length} packages.\n`);
  const project = join(folder, "packed", "customer");
  install(project, Object.fromEntries(files.map(({ name, tarball }) => [name, tarball])));
  await withPackedServer(project, [], (ready) => runEveryOperation(project, ready));
}

if (run(root, "git", "status", "--porcelain")) {
  console.log("The working tree has uncommitted changes. The dry run uses the last commit, without them.");
}
try {
  await dryRun();
  console.log("\nThe dry run passed.");
} catch (error) {
  console.error(`\nThe dry run failed. ${(error as Error).message}`);
  process.exitCode = 1;
}
