// Reads the last release from git. releases/release.json holds git's object ids of the released files; the commit that
// recorded them has the files. The commit id is not stored, because a rebase changes it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GateError } from "./changesets.ts";
import { changedKeys, isEqual, objectIn } from "./json.ts";

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

/** The committed report of a package's public types. */
export const surfaceFile = (name: string): string => `${folderOf(name)}/api.d.ts`;

/** The contents of `releases/release.json`. */
export interface ReleaseRecord {
  /** The version of every public package. */
  readonly versions: Readonly<Record<string, string>>;
  /**
   * Git's object ids of the released parts by path: contracts, contract suite, public types, manifests, commands, promises,
   * public names of the Python client.
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
  /** The text of a file; empty when the release does not have it. */
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
  (root: string, settings: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {}): Git =>
  (...options) =>
    execFileSync("git", options, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: "pipe",
      input: settings.input ?? "",
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

/** The parts that a record must have: all later ones, or none of them. */
const pathsOf = (record: ReleaseRecord): string[] =>
  laterPaths(record).some((path) => path in record.objects)
    ? [...firstPaths(record), ...laterPaths(record)]
    : firstPaths(record);

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
  const paths = [...firstPaths({ versions }), ...laterPaths({ versions })].filter((path) =>
    existsSync(join(root, path)),
  );
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
    read: (path) => (path in record.objects ? git("show", `${found}:${path}`) : ""),
    filesIn: (folder) => {
      const listed = git("ls-tree", "-r", "-z", "--name-only", found, "--", `${folder}/`);
      return textsOf(root, found, listed.split("\0").filter(Boolean));
    },
  };
}

/** Reads many files of a commit with one process. */
function textsOf(root: string, commit: string, paths: readonly string[]): Map<string, string> {
  const input = paths.map((path) => `${commit}:${path}\n`).join("");
  const output = Buffer.from(gitIn(root, { input })("cat-file", "--batch"));
  let at = 0;
  return new Map(
    paths.map((path) => {
      // `<id> blob <bytes>`, the bytes, and a line end.
      const head = output.indexOf("\n", at);
      const end = head + 1 + Number(output.toString("utf8", at, head).split(" ")[2]);
      at = end + 1;
      return [path, output.toString("utf8", head + 1, end)];
    }),
  );
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
