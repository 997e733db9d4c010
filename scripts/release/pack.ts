// Writes the files of a release: a tarball and notes for each package, a bill of materials of what customers install, and
// `order.txt`, which lists the tarballs in the order to publish them. As a command it takes a new folder, and requires built packages
// and Python with venv.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../packed.ts";
import { writeTarballs } from "../tarballs.ts";
import { objectIn } from "./json.ts";
import { writePythonFiles } from "./python-files.ts";
import { type Package, packagesIn } from "./surface.ts";
import { notesOf } from "./versions.ts";

export interface ReleaseFile {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

/** Sorts packages so that each comes after its dependencies. */
export function inOrder<P extends { readonly name: string }>(
  packages: readonly P[],
  needs: (one: P) => readonly string[],
): P[] {
  const ordered: P[] = [];
  const visit = (one: P, path: readonly P[]): void => {
    if (path.includes(one))
      throw new Error(`Circular dependency: ${[...path, one].map(({ name }) => name).join(" needs ")}.`);
    if (ordered.includes(one)) return;
    for (const name of needs(one)) {
      const needed = packages.find((other) => other.name === name);
      if (needed) visit(needed, [...path, one]);
    }
    ordered.push(one);
  };
  for (const one of packages) visit(one, []);
  return ordered;
}

const needsOf = ({ folder }: Package): string[] =>
  Object.keys(
    objectIn(objectIn(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as unknown).dependencies),
  );

/** Packs every public package of a built workspace into a folder, with notes for each. */
export function packInto(workspace: string, folder: string): ReleaseFile[] {
  mkdirSync(folder, { recursive: true });
  const packages = inOrder(packagesIn(join(workspace, "packages")), needsOf).filter(({ isPrivate }) => !isPrivate);
  const folders = packages.map((each) => basename(each.folder));
  const tarballs = writeTarballs(workspace, folders, folder);
  return packages.map((each): ReleaseFile => {
    const tarball = tarballs[each.name];
    if (tarball === undefined) throw new Error(`npm pack wrote no tarball for ${each.name}.`);
    const changelog = join(each.folder, "CHANGELOG.md");
    const notes = existsSync(changelog) ? notesOf(readFileSync(changelog, "utf8"), each.version) : "";
    writeFileSync(join(folder, `${tarball}.md`), `${notes || `${each.name} ${each.version}`}\n`);
    return { name: each.name, version: each.version, tarball };
  });
}

/** Writes all files of a release into a folder. */
export function writeReleaseFiles(workspace: string, folder: string): ReleaseFile[] {
  const files = packInto(workspace, folder);
  writeFileSync(
    join(folder, "order.txt"),
    files.map(({ name, version, tarball }) => `${name} ${version} ${tarball}\n`).join(""),
  );
  writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(folder, files));
  return files;
}

/** A CycloneDX bill of materials of an installation of the tarballs. */
function billOfMaterials(folder: string, files: readonly ReleaseFile[]): string {
  const project = join(folder, "installed");
  mkdirSync(project);
  try {
    const dependencies = Object.fromEntries(files.map(({ name, tarball }) => [name, `file:../${tarball}`]));
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "release", version: "0.0.0", private: true, dependencies }),
    );
    run(project, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
    const bill = run(project, "npm", "sbom", "--sbom-format", "cyclonedx");
    // The published bill must not contain paths of this machine.
    return bill.replaceAll(`file:${folder}/`, "");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (!folder || existsSync(folder)) {
    console.error("The folder is missing or already exists. Name a new folder: npm run release -- pack packed");
    process.exitCode = 2;
  } else {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    for (const { name, version, tarball } of writeReleaseFiles(root, resolve(folder)))
      console.log(`${name} ${version}: ${tarball}`);
    console.log(`Python: ${writePythonFiles(root, resolve(folder)).join(", ")}`);
  }
}
