// Writes the tarballs of packages as npm would, with their guides, and with links to the repository at the tag of the version.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Manifest, packedPages } from "../build/guides.ts";

interface Listed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const runWithinMs = 900_000;

/** Runs npm without any script of a package, and returns what it reports. */
function npmPack(folder: string, ...options: readonly string[]): Listed[] {
  const settings = { cwd: folder, encoding: "utf8", timeout: runWithinMs, maxBuffer: 1 << 28, stdio: "pipe" } as const;
  return JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...options], settings)) as Listed[];
}

/** The file permissions of a tarball, which do not depend on the checkout. */
const permissionsOf = (path: string): number => (statSync(path).mode & 0o100 ? 0o755 : 0o644);

/**
 * Packs packages of a built workspace. Nothing is written into the workspace.
 *
 * @param packages Their folders in `packages/`.
 * @param target Where the tarballs are written.
 * @returns The tarball of each package by its name, in the order of `packages`.
 */
export function writeTarballs(workspace: string, packages: readonly string[], target: string): Record<string, string> {
  using staging = mkdtempDisposableSync(join(tmpdir(), "call-transfer-tarballs-"));
  const listed = npmPack(workspace, "--dry-run", ...packages.flatMap((name) => ["--workspace", `packages/${name}`]));
  const staged = packages.map((name, index) => {
    const folder = join(staging.path, name);
    stage(workspace, name, listed[index]?.files ?? [], folder);
    return folder;
  });
  const packed = npmPack(staging.path, "--pack-destination", target, ...staged);
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

/** Copies what npm publishes of a package, and writes its pages beside it. */
function stage(workspace: string, name: string, files: Listed["files"], folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o644);
  };
  for (const { path } of files) {
    cpSync(join(workspace, "packages", name, path), join(folder, path));
    chmodSync(join(folder, path), permissionsOf(join(folder, path)));
  }
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  for (const [path, text] of packedPages(workspace, name, manifest)) write(path, text);
}
