// Reads the last release from git. releases/release.json holds git's object ids of the released files; the commit that
// recorded them has the files. The commit id is not stored, because a rebase changes it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GateError } from "./changesets.ts";
import { changedKeys, isEqual, objectIn } from "./json.ts";
import { filesAt, textAt } from "./tree.ts";

export const recordFile = "releases/release.json";
export const contractFile = "packages/spec/openapi.json";
export const suiteFolder = "packages/contract/src";

/** The generated module with the document of the control plane. */
export const controlFile = "packages/backend/src/generated/document.gen.ts";

const folderOf = (name: string): string => `packages/${name.split("/").at(-1)}`;

/** The package.json of a package. */
export const manifestFile = (name: string): string => `${folderOf(name)}/package.json`;

/** The committed report of a package's command: options, variables and exit statuses. Most packages have none. */
export const commandFile = (name: string): string => `${folderOf(name)}/command.json`;

/** The committed report of a package's promises: defaults, variables, tables, addresses, tools. Some packages have none. */
export const promisesFile = (name: string): string => `${folderOf(name)}/promises.json`;

/** The committed record of the Python client's public names. No other package has one. */
export const pythonFile = (name: string): string => `${folderOf(name)}/surface.json`;

/** The vectors that clients in any language are held to. */
export const vectorsFolder = "packages/contract/vectors";

/** The published schemas of the files that customers write for the mock server. */
export const schemaFiles = ["config", "seed", "stubs"].map((name) => `packages/mock-server/${name}.schema.json`);

/** The sources with the retry budget of the Python client. */
export const pythonRetryFile = "packages/python/src/call_transfer/_retry.py";

/** The committed report of a package's public types. */
export const surfaceFile = (name: string): string => `${folderOf(name)}/api.d.ts`;

/** The contents of `releases/release.json`. */
export interface ReleaseRecord {
  /** The version of every public package. */
  readonly versions: Readonly<Record<string, string>>;
  /**
   * Git's object ids of the released parts by path: contracts, contract suite, public types, manifests, commands, promises,
   * public names of the Python client, vectors, schemas of the mock server, retry budget of the Python client.
   */
  readonly objects: Readonly<Record<string, string>>;
  /**
   * Present until the first release: the changeset that moves every package to 1.0.0. It covers only what the record
   * holds, so later changes need changesets of their own.
   */
  readonly bootstrap?: { readonly changeset: string; readonly version: string };
}

/** The tree of the last release. */
export interface Baseline {
  readonly record: ReleaseRecord;
  /** The text of a file, or of a folder as JSON of its files by path; empty when the release does not have it. */
  readonly read: (path: string) => string;
  /** The files of a folder, by path. */
  readonly filesIn: (folder: string) => Map<string, string>;
}

const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(objectIn(value)).map(([name, text]) => [name, String(text)]));

/** Parses a record. @throws {GateError} if the text is invalid */
export function parseRecord(text: string): ReleaseRecord {
  try {
    const { versions, objects, bootstrap } = objectIn(JSON.parse(text) as unknown);
    const { changeset, version } = objectIn(bootstrap);
    const record = { versions: textsIn(versions), objects: textsIn(objects) };
    if (typeof changeset !== "string" || typeof version !== "string") return record;
    return { ...record, bootstrap: { changeset, version } };
  } catch (error) {
    throw new GateError(`${recordFile} cannot be read: ${(error as Error).message}\n${restoreHint}`);
  }
}

const restoreHint = `To restore the committed record, run: git restore --source=HEAD --staged --worktree ${recordFile}`;

/** Reads the record in the working tree. @throws {GateError} if it is missing or invalid */
export function recordIn(root: string): ReleaseRecord {
  let text: string;
  try {
    text = readFileSync(join(root, recordFile), "utf8");
  } catch {
    throw new GateError(`${recordFile} is missing.\n${restoreHint}`);
  }
  return parseRecord(text);
}

type Git = (...options: string[]) => string;

const gitIn =
  (root: string, settings: { readonly env?: NodeJS.ProcessEnv } = {}): Git =>
  (...options) =>
    execFileSync("git", options, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: "pipe",
      input: "",
      env: { ...process.env, ...settings.env },
    });

function succeeds(git: Git, ...options: string[]): boolean {
  try {
    git(...options);
    return true;
  } catch {
    return false;
  }
}

/** Git in a repository with full history. @throws {GateError} in any other folder */
function historyOf(root: string): Git {
  const git = gitIn(root);
  const problem = "The last release is read from git, and this folder is not the root of a git repository.";
  const fix = "Clone the repository and run the command there.";
  let prefix: string;
  try {
    prefix = git("rev-parse", "--show-prefix").trim();
  } catch (error) {
    throw new GateError(`${problem} ${fix}\n${(error as Error).message}`);
  }
  // The sources may be unpacked inside another repository.
  if (prefix !== "") throw new GateError(`${problem} ${fix}`);
  if (git("rev-parse", "--is-shallow-repository").trim() === "true") {
    throw new GateError(
      "This clone is shallow, so it may lack the commit of the last release. Run `git fetch --unshallow`, or in a " +
        "workflow check out with `fetch-depth: 0`.",
    );
  }
  return git;
}

type Versions = Pick<ReleaseRecord, "versions">;

/** Parts that every record has. */
const firstPaths = ({ versions }: Versions): string[] => [
  contractFile,
  suiteFolder,
  ...Object.keys(versions).map(surfaceFile),
];

/** Parts that records have from the first release on. */
const laterPaths = ({ versions }: Versions): string[] => [
  controlFile,
  ...Object.keys(versions).flatMap((name) => [
    manifestFile(name),
    commandFile(name),
    promisesFile(name),
    pythonFile(name),
  ]),
];

/** Parts that the records of the first versions lack. The commit of such a release has them all the same. */
const unrecordedPaths: readonly string[] = [vectorsFolder, ...schemaFiles, pythonRetryFile];

/** All parts in groups, in the order in which records got them. */
const groupsOf = (record: Versions): readonly (readonly string[])[] => [
  firstPaths(record),
  laterPaths(record),
  unrecordedPaths,
];

/** The parts that a record must have: those of the last group that it names anything of, and of the groups before. */
function pathsOf(record: ReleaseRecord): string[] {
  const groups = groupsOf(record);
  const last = groups.findLastIndex((paths) => paths.some((path) => path in record.objects));
  return groups.slice(0, Math.max(1, last + 1)).flat();
}

/** Git's object ids by path. */
function objectsIn(git: Git, tree: string, paths: readonly string[]): Record<string, string> {
  const lines = git("ls-tree", "-z", tree, "--", ...paths).split("\0");
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const [facts = "", path = ""] = line.split("\t");
      return [path, facts.split(" ")[2] ?? ""];
    }),
  );
}

/** Git's object ids of the files that a release would hold now. */
export function objectsNow(root: string, versions: ReleaseRecord["versions"]): Record<string, string> {
  historyOf(root);
  const paths = groupsOf({ versions })
    .flat()
    .filter((path) => existsSync(join(root, path)));
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-index-"));
  try {
    // A separate index, so that nothing is staged.
    const git = gitIn(root, { env: { GIT_INDEX_FILE: join(folder, "index") } });
    git("add", "--all", "--", ...paths);
    return objectsIn(git, git("write-tree").trim(), paths);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Finds the last release: the newest commit that has the current record and the files it names. Usually this is the last
 * commit that changed the record; not if an edit of the record was reverted later.
 * @throws {GateError} if no commit matches
 */
export function baselineOf(root: string): Baseline {
  const git = historyOf(root);
  const record = recordIn(root);
  const isCommitted = succeeds(git, "cat-file", "-e", `HEAD:${recordFile}`);
  if (!isCommitted || !succeeds(git, "diff", "--quiet", "HEAD", "--", recordFile)) {
    throw new GateError(
      `${recordFile} differs from the last commit. If \`npm run release -- check --record\` or ` +
        `\`npm run release -- version\` wrote it, commit it together with everything else that differs.\n${restoreHint}`,
    );
  }
  const idAt = (commit: string): string => objectsIn(git, commit, [recordFile])[recordFile] ?? "";
  const commits = git("rev-list", "HEAD", "--", recordFile).split("\n").filter(Boolean);
  const paths = pathsOf(record);
  const found = commits.find(
    (commit) => idAt(commit) === idAt("HEAD") && isEqual(objectsIn(git, commit, paths), record.objects),
  );
  if (!found) throw new GateError(mismatch(git, commits[0] ?? "HEAD", record));
  return {
    record,
    read: (path) => (path in record.objects || unrecordedPaths.includes(path) ? textAt(root, found, path) : ""),
    filesIn: (folder) => filesAt(root, found, folder),
  };
}

function mismatch(git: Git, commit: string, record: ReleaseRecord): string {
  const there = objectsIn(git, commit, pathsOf(record));
  const differing = changedKeys(there, record.objects);
  const short = commit.slice(0, 10);
  const again = record.bootstrap
    ? "Run `npm run release -- check --record` and commit what it writes."
    : `Run \`git revert ${short}\`, then \`npm run release -- version\` again.`;
  return (
    `${recordFile} does not match commit ${short}, which changed it last: ${differing.join(", ")} differ. Either the ` +
    "record was edited by hand, or its commit took in more changes after it was recorded.\n" +
    `${again} To undo an edit, see \`git log -p -- ${recordFile}\`.`
  );
}
