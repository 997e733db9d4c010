// Reads files and folders: of a commit, or of the working tree.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

type Texts = ReadonlyMap<string, string>;

/** Runs git and returns its output as it is. */
const gitBytes = (root: string, input: string, ...options: string[]): Buffer =>
  execFileSync("git", options, { cwd: root, input, maxBuffer: 1 << 28, stdio: "pipe" });

/** The files of a commit's folder, by path. */
export function filesAt(root: string, commit: string, folder: string): Map<string, string> {
  const listed = gitBytes(root, "", "ls-tree", "-r", "-z", "--name-only", commit, "--", `${folder}/`).toString();
  return textsOf(root, commit, listed.split("\0").filter(Boolean));
}

/** Reads many files of a commit with one process. */
function textsOf(root: string, commit: string, paths: readonly string[]): Map<string, string> {
  const output = gitBytes(root, paths.map((path) => `${commit}:${path}\n`).join(""), "cat-file", "--batch");
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

/** A folder as one text: JSON of its files by path. Empty for a folder without files. */
const folderText = (files: Texts): string =>
  files.size === 0 ? "" : JSON.stringify(Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1))));

/** The text of a file of a commit, or of a folder as JSON of its files by path. Empty if the commit has neither. */
export function textAt(root: string, commit: string, path: string): string {
  const kind = gitBytes(root, "", "ls-tree", commit, "--", path).toString().split(" ")[1];
  if (kind === undefined) return "";
  return kind === "tree" ? folderText(filesAt(root, commit, path)) : (textsOf(root, commit, [path]).get(path) ?? "");
}

/** The text of a file in the working tree, or of a folder, as {@link textAt} has it. */
export function textNow(root: string, path: string): string {
  const read = (file: string): string => readFileSync(join(root, file), "utf8").replaceAll("\r\n", "\n");
  if (!existsSync(join(root, path))) return "";
  if (!statSync(join(root, path)).isDirectory()) return read(path);
  const files = globSync(`${path}/**/*`, { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  return folderText(
    new Map(files.filter((file) => statSync(join(root, file)).isFile()).map((file) => [file, read(file)])),
  );
}
