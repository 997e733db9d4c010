// Reads the last release from git. releases.json names the versions of each release, and git's id of the packages' tree in the last
// one; the commit that recorded it has the files. The commit's own id is not stored, because a rebase changes it.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GateError } from "./changesets.ts";
import { listIn, objectIn } from "./json.ts";
import { pythonPackage } from "./versions.ts";

export const recordFile = "scripts/release/releases.json";
export const contractFile = "packages/spec/openapi.json";
/** The generated module with the document of the control plane. */
export const controlFile = "packages/backend/src/generated/document.gen.ts";
export const suiteFolder = "packages/contract/src";
/** The vectors that clients in any language are held to. */
export const vectorsFolder = "packages/contract/vectors";
/** The published schemas of the files that customers write for the mock server. */
export const schemaFiles = ["seed", "stubs"].map((name) => `packages/mock-server/${name}.schema.json`);

/** A record of a package: `api.d.ts`, `command.json`, `promises.json`, `surface.json` or `package.json`. Some have few of them. */
export const recordOf = (name: string, file: string): string => `packages/${name.split("/").at(-1)}/${file}`;

/** The versions of each package in a release. */
export type Versions = Readonly<Record<string, string>>;

/** A release, as the record has it. */
export interface Release {
  readonly versions: Versions;
  /** Git's id of the tree of `packages/`. */
  readonly packages: string;
}

/** A state of the files. A folder is read as JSON of its files by path. What does not exist is empty. */
export type Read = (path: string) => string;

/** The last release with its files. */
export interface Baseline {
  readonly release: Release;
  readonly read: Read;
}

const restore = `To restore the committed record, run: git restore --source=HEAD --staged --worktree ${recordFile}`;

/** The releases in the text of the record, oldest first. @throws {GateError} if the text is invalid */
export function releasesIn(text: string): Release[] {
  try {
    return listIn(JSON.parse(text)).map((release) => {
      const { versions, packages } = objectIn(release);
      const named = Object.entries(objectIn(versions)).map(([name, version]) => [name, String(version)]);
      return { versions: Object.fromEntries(named), packages: String(packages) };
    });
  } catch (error) {
    throw new GateError(`${recordFile} cannot be read: ${(error as Error).message}\n${restore}`);
  }
}

/** The releases in the working tree. @throws {GateError} if the record is missing or invalid */
export function recordedIn(root: string): Release[] {
  if (!existsSync(join(root, recordFile))) throw new GateError(`${recordFile} is missing.\n${restore}`);
  return releasesIn(readFileSync(join(root, recordFile), "utf8"));
}

type Git = (...options: string[]) => string;

const gitIn =
  (root: string, env: NodeJS.ProcessEnv = {}): Git =>
  (...options) =>
    execFileSync("git", options, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: "pipe",
      input: "",
      env: { ...process.env, ...env },
    });

/** Git in the root of a repository with its whole history. @throws {GateError} in any other folder */
function historyOf(root: string): Git {
  const git = gitIn(root);
  const isRoot = (): boolean => {
    try {
      // The sources may be unpacked inside another repository.
      return git("rev-parse", "--show-prefix").trim() === "";
    } catch {
      return false;
    }
  };
  if (!isRoot())
    throw new GateError(
      "The last release is read from git, and this folder is not the root of a git repository. Clone it and run the command there.",
    );
  if (git("rev-parse", "--is-shallow-repository").trim() === "true")
    throw new GateError(
      "This clone is shallow, so it may lack the commit of the last release. Run `git fetch --unshallow`, or in a " +
        "workflow check out with `fetch-depth: 0`.",
    );
  return git;
}

/** Git's id of the tree that `packages/` would be now. Nothing is staged. */
export function packagesNow(root: string): string {
  historyOf(root);
  using folder = mkdtempDisposableSync(join(tmpdir(), "call-transfer-index-"));
  const git = gitIn(root, { GIT_INDEX_FILE: join(folder.path, "index") });
  git("add", "--all", "--", "packages");
  return git("write-tree", "--prefix=packages/").trim();
}

/**
 * Finds the last release: the newest commit that changed the record and has the packages which the record names.
 * @throws {GateError} if no commit fits
 */
export function baselineOf(root: string): Baseline {
  const git = historyOf(root);
  const release = recordedIn(root).at(-1);
  if (git("status", "--porcelain", "--", recordFile) !== "")
    throw new GateError(
      `${recordFile} differs from the last commit. If \`npm run release -- check --record\` or ` +
        `\`npm run release -- version\` wrote it, commit it together with everything else that differs.\n${restore}`,
    );
  if (release === undefined) return { release: { versions: {}, packages: "" }, read: () => "" };
  const commits = git("rev-list", "HEAD", "--", recordFile).split("\n").filter(Boolean);
  const found = commits.find((commit) => treeAt(git, commit, "packages") === release.packages);
  if (found === undefined)
    throw new GateError(
      `${recordFile} does not fit commit ${commits[0]?.slice(0, 10)}, which changed it last. Either the record was edited by ` +
        "hand, or its commit took in more changes after it was recorded.\n" +
        `Run \`git revert ${commits[0]?.slice(0, 10)}\`, then record the release again. To see an edit, run \`git log -p -- ${recordFile}\`.`,
    );
  return { release, read: (path) => textAt(git, found, path) };
}

/** Git's id of a file or folder of a commit. Empty if the commit does not have it. */
const treeAt = (git: Git, commit: string, path: string): string =>
  git("ls-tree", commit, "--", path).split("\t")[0]?.split(" ")[2] ?? "";

function textAt(git: Git, commit: string, path: string): string {
  const kind = git("ls-tree", commit, "--", path).split(" ")[1];
  if (kind === undefined) return "";
  if (kind === "blob") return git("show", `${commit}:${path}`);
  const listed = git("ls-tree", "-r", "-z", "--name-only", commit, "--", `${path}/`).split("\0").filter(Boolean);
  return folderText(listed, (file) => git("show", `${commit}:${file}`));
}

const folderText = (files: readonly string[], read: Read): string =>
  files.length === 0 ? "" : JSON.stringify(Object.fromEntries([...files].sort().map((file) => [file, read(file)])));

/** The text of a file or folder in the working tree. */
export function textNow(root: string, path: string): string {
  const read = (file: string): string => readFileSync(join(root, file), "utf8").replaceAll("\r\n", "\n");
  if (!existsSync(join(root, path))) return "";
  if (!statSync(join(root, path)).isDirectory()) return read(path);
  const files = globSync(`${path}/**/*`, { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  return folderText(
    files.filter((file) => statSync(join(root, file)).isFile()),
    read,
  );
}

/** Writes a release into the record: after the others, or in the place of the last one if that has the same versions. */
export function recordRelease(root: string, versions: Versions): Release[] {
  const releases = recordedIn(root);
  const isAgain = JSON.stringify(releases.at(-1)?.versions) === JSON.stringify(versions);
  const all = [...(isAgain ? releases.slice(0, -1) : releases), { versions, packages: packagesNow(root) }];
  writeFileSync(join(root, recordFile), `${JSON.stringify(all, null, 2)}\n`);
  return all;
}

const page = "docs/compatibility.md";
const spec = "@call-transfer/spec";
/** The packages by the heads of their columns. */
const columns: Readonly<Record<string, string>> = {
  Contract: spec,
  "TypeScript SDK": "@call-transfer/sdk",
  "Python client": pythonPackage,
  Backend: "@call-transfer/backend",
  "Mock server": "@call-transfer/mock-server",
  "Contract suite": "@call-transfer/contract",
  "MCP server": "@call-transfer/mcp",
};
const start = "<!-- versions, written by `npm run release -- version` -->";
const end = "<!-- end of versions -->";

/** The versions of a package in some releases: the one, or the first and the last. */
function span(releases: readonly Release[], name: string): string {
  const all = releases.flatMap(({ versions }) => versions[name] ?? []);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined) return "–";
  return first === last ? first : `${first} to ${last}`;
}

/** The page with its table, newest first. @throws {Error} if the page lacks the comments around the table */
export function withCompatibility(text: string, releases: readonly Release[]): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks ${start} or ${end}. Restore both.`);
  const names = Object.values(columns);
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const groups = [...Map.groupBy(releases, ({ versions }) => versions[spec]).values()].reverse();
  const rows = groups.map((group) => names.map((name) => span(group, name)));
  const table = [Object.keys(columns), names.map(() => "---"), ...rows].map(row).join("");
  return `${text.slice(0, from)}${start}\n\n${table}\n${text.slice(to)}`;
}

/** Writes the table of the versions that fit together: a row for each version of the contract. */
export function writeCompatibility(root: string, releases: readonly Release[]): void {
  const path = join(root, page);
  writeFileSync(path, withCompatibility(readFileSync(path, "utf8"), releases));
}
