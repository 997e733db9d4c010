// The last release, read from git: releases/release.json names git's ids of what the release held, and the commit that
// recorded it still has all of it. No commit id is stored, since a rebase would change it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GateError } from "./changesets.ts";
import { isEqual, namesIn, objectIn } from "./json.ts";

export const recordFile = "releases/release.json";
export const contractFile = "packages/spec/openapi.json";
export const suiteFolder = "packages/contract/src";

/** The committed report of what a package offers to TypeScript. */
export const surfaceFile = (name: string): string => `packages/${name.split("/").at(-1)}/api.d.ts`;

/** What `releases/release.json` holds. */
export interface ReleaseRecord {
  /** The version of every public package. */
  readonly versions: Readonly<Record<string, string>>;
  /** Git's ids of the contract, the contract suite and the surfaces, by path: their digests. */
  readonly objects: Readonly<Record<string, string>>;
  /**
   * Present until the first release: the changeset that carries every package from its first version to 1.0.0. It
   * stands for what the record holds, so it does not carry what changes afterwards.
   */
  readonly bootstrap?: { readonly changeset: string; readonly version: string };
}

/** The tree of the last release. */
export interface Baseline {
  readonly record: ReleaseRecord;
  /** The text of a file; empty where the release had none. */
  readonly read: (path: string) => string;
  /** The files of a folder, by path. */
  readonly filesIn: (folder: string) => Map<string, string>;
}

const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(objectIn(value)).map(([name, text]) => [name, String(text)]));

/** Reads the text of a record. @throws {GateError} where it is none. */
export function parseRecord(text: string): ReleaseRecord {
  try {
    const { versions, objects, bootstrap } = objectIn(JSON.parse(text) as unknown);
    const { changeset, version } = objectIn(bootstrap);
    const record = { versions: textsIn(versions), objects: textsIn(objects) };
    if (typeof changeset !== "string" || typeof version !== "string") return record;
    return { ...record, bootstrap: { changeset, version } };
  } catch (error) {
    throw new GateError(`${recordFile} cannot be read: ${(error as Error).message}\n${bringBack}`);
  }
}

const bringBack = `To bring back the committed record, run: git restore --source=HEAD --staged --worktree ${recordFile}`;

/** Reads the record in the working tree. @throws {GateError} where there is none. */
export function recordIn(root: string): ReleaseRecord {
  let text: string;
  try {
    text = readFileSync(join(root, recordFile), "utf8");
  } catch {
    throw new GateError(`${recordFile} is missing.\n${bringBack}`);
  }
  return parseRecord(text);
}

type Git = (...options: string[]) => string;

/** Runs git in a folder; throws where it fails. */
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

/** Git in a repository with its whole history. @throws {GateError} in any other folder. */
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
  // Sources may also lie unpacked inside another repository.
  if (prefix !== "") throw new GateError(`${problem} ${fix}`);
  if (git("rev-parse", "--is-shallow-repository").trim() === "true") {
    throw new GateError(
      "This clone is shallow, so it may lack the commit of the last release. Run `git fetch --unshallow`; in a " +
        "workflow, check out with `fetch-depth: 0`.",
    );
  }
  return git;
}

const pathsOf = ({ versions }: Pick<ReleaseRecord, "versions">): string[] => [
  contractFile,
  suiteFolder,
  ...Object.keys(versions).map(surfaceFile),
];

/** Git's ids of some paths in a tree, by path. */
function objectsIn(git: Git, tree: string, paths: readonly string[]): Record<string, string> {
  const lines = git("ls-tree", "-z", tree, "--", ...paths).split("\0");
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const [facts = "", path = ""] = line.split("\t");
      return [path, facts.split(" ")[2] ?? ""];
    }),
  );
}

/** Git's ids of what a release of these versions holds, as the working tree has it now. */
export function objectsNow(root: string, versions: ReleaseRecord["versions"]): Record<string, string> {
  historyOf(root);
  const paths = pathsOf({ versions });
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-index-"));
  try {
    // An index of its own, so that nothing is staged.
    const git = gitIn(root, { env: { GIT_INDEX_FILE: join(folder, "index") } });
    git("add", "--all", "--", ...paths);
    return objectsIn(git, git("write-tree").trim(), paths);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Finds the last release: the newest commit with the present record whose tree holds what the record names. That is the
 * commit that changed the record last, unless a later one took an edit of it back.
 * @throws {GateError} where git cannot tell, or no commit fits; it says what to run.
 */
export function baselineOf(root: string): Baseline {
  const git = historyOf(root);
  const record = recordIn(root);
  const isCommitted = succeeds(git, "cat-file", "-e", `HEAD:${recordFile}`);
  if (!isCommitted || !succeeds(git, "diff", "--quiet", "HEAD", "--", recordFile)) {
    throw new GateError(
      `${recordFile} differs from the last commit. If \`npm run release:check -- --record\` or ` +
        `\`npm run release:version\` wrote it, commit it together with everything else that differs.\n${bringBack}`,
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

/** The texts of many files of a commit, by one process. */
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
  const differing = namesIn(there, record.objects).filter((path) => there[path] !== record.objects[path]);
  const short = commit.slice(0, 10);
  const again = record.bootstrap
    ? "Run `npm run release:check -- --record` and commit what it writes."
    : `Run \`git revert ${short}\`, then \`npm run release:version\` again.`;
  return (
    `${recordFile} names another state than commit ${short}, which changed it last, holds: ${differing.join(", ")} ` +
    "differ. Either the record was edited by hand, or its commit took in more changes after it was recorded. Nothing " +
    `can be compared with it.\n${again} To take back an edit, see \`git log -p -- ${recordFile}\`.`
  );
}
