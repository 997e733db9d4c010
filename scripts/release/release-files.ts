// What a release consists of: a tarball and notes for each package, a bill of materials of what their installation brings,
// and `order.txt`, which names the tarballs so that nothing comes before what it needs.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Package, packagesIn } from "./compare/surface.ts";
import { objectIn } from "./json.ts";

export interface ReleaseFile {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

const withinMs = 900_000;

/** Runs a command in a folder and answers what it said; what it complained of is carried by the error. */
export function run(folder: string, command: string, ...options: readonly string[]): string {
  try {
    const settings = { cwd: folder, encoding: "utf8", timeout: withinMs, maxBuffer: 1 << 28 } as const;
    return execFileSync(command, options, { ...settings, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${options.join(" ")} failed.\n${stdout}${stderr}`);
  }
}

/** Packages in an order in which each comes after those it depends on. */
export function inOrder<P extends { readonly name: string }>(
  packages: readonly P[],
  needs: (one: P) => readonly string[],
): P[] {
  const ordered: P[] = [];
  const visit = (one: P, path: readonly P[]): void => {
    if (path.includes(one)) throw new Error(`${[...path, one].map(({ name }) => name).join(" needs ")}`);
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

/** The part of a changelog that tells of one version. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version);
  return section?.slice(section.indexOf("\n")).trim() ?? "";
}

const needsOf = ({ folder }: Package): string[] =>
  Object.keys(
    objectIn(objectIn(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as unknown).dependencies),
  );

/** Gives a file the rights that a tarball should carry, whatever those of the checkout are. */
const grantAsUsual = (path: string): void => chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);

/** Packs every public package of a built workspace into a folder, each with its notes. */
export function packInto(workspace: string, folder: string): ReleaseFile[] {
  mkdirSync(folder, { recursive: true });
  const packages = inOrder(packagesIn(join(workspace, "packages")), needsOf).filter(({ isPrivate }) => !isPrivate);
  const files = packages.map((each): ReleaseFile => {
    const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const listed = JSON.parse(run(each.folder, "npm", ...packing, "--dry-run")) as { files: { path: string }[] }[];
    for (const { path } of listed.flatMap(({ files }) => files)) grantAsUsual(join(each.folder, path));
    const [packed] = JSON.parse(run(each.folder, "npm", ...packing)) as { filename: string }[];
    if (!packed) throw new Error(`${each.name} was not packed`);
    const changelog = join(each.folder, "CHANGELOG.md");
    const notes = existsSync(changelog) ? notesOf(readFileSync(changelog, "utf8"), each.version) : "";
    writeFileSync(join(folder, `${packed.filename}.md`), `${notes || `${each.name} ${each.version}`}\n`);
    return { name: each.name, version: each.version, tarball: packed.filename };
  });
  return files;
}

/** Writes everything that a release consists of into a folder. */
export function writeReleaseFiles(workspace: string, folder: string): ReleaseFile[] {
  const files = packInto(workspace, folder);
  writeFileSync(
    join(folder, "order.txt"),
    files.map(({ name, version, tarball }) => `${name} ${version} ${tarball}\n`).join(""),
  );
  writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(folder, files));
  return files;
}

/** What a customer's installation of the tarballs consists of, in CycloneDX form. */
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
    // Where the tarballs stood while it was written is nobody's business; they stand beside it.
    return bill.replaceAll(`file:${folder}/`, "");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
