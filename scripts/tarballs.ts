// Writes the tarballs of packages as npm would, with their guides, and with links to the repository at the tag of the version.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Manifest, packedPages } from "../build/guides.ts";
import { runWithinMs } from "./made.ts";

/** The file permissions of a tarball, which do not depend on the checkout. */
const permissionsOf = (path: string): number => (statSync(path).mode & 0o100 ? 0o755 : 0o644);

/**
 * Packs packages of a built workspace. Nothing is written into the workspace, and no script of a package runs.
 *
 * @param packages Their folders in `packages/`.
 * @param target Where the tarballs are written.
 * @returns The tarball of each package by its name, in the order of `packages`.
 */
export function writeTarballs(workspace: string, packages: readonly string[], target: string): Record<string, string> {
  using staging = mkdtempDisposableSync(join(tmpdir(), "call-transfer-tarballs-"));
  for (const name of packages) stage(workspace, name, join(staging.path, name));
  const folders = packages.map((name) => join(staging.path, name));
  return packFolders(folders, target);
}

/** Packs folders as they are. Returns the tarball of each package by its name, in their order. */
export function packFolders(folders: readonly string[], target: string): Record<string, string> {
  const options = ["pack", "--json", "--ignore-scripts", "--pack-destination", target, ...folders];
  const settings = { cwd: target, encoding: "utf8", timeout: runWithinMs, stdio: "pipe", maxBuffer: 1 << 28 } as const;
  // Windows starts npm, a script, through its shell only. `npm run` says where its program is.
  const { npm_execpath: npm = "" } = process.env;
  const command: [string, string[]] = /npm-cli\.js$/.test(npm)
    ? [process.execPath, [npm, ...options]]
    : ["npm", options];
  const packed = JSON.parse(execFileSync(...command, settings));
  return Object.fromEntries((packed as Packed[]).map(({ name, filename }) => [name, filename]));
}

/** What npm says of a tarball. */
interface Packed {
  readonly name: string;
  readonly filename: string;
}

/** Copies a package, of which npm takes what `files` names, and writes its pages beside it. */
function stage(workspace: string, name: string, folder: string): void {
  cpSync(join(workspace, "packages", name), folder, {
    recursive: true,
    filter: (path) => basename(path) !== "node_modules",
  });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) chmodSync(path, permissionsOf(path));
  }
  if (!existsSync(join(folder, "dist")))
    throw new Error(`packages/${name} is not built. Run \`npm run build\` before.`);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  for (const [path, text] of packedPages(workspace, name, manifest)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o644);
  }
}
