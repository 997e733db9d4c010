// Type-checks the contract cases of the last release against the current packages.
import { dirname, join } from "node:path";
import ts from "typescript";
import type { Change } from "./change.ts";

/**
 * Reports what no longer compiles in an earlier entry and the earlier files it imports. They replace the files on disk.
 * @param files Earlier texts by path, relative to the root
 */
export function checkFiles(
  files: ReadonlyMap<string, string>,
  entry: string,
  root: string,
  options: ts.CompilerOptions,
): Change[] {
  if (!files.has(entry))
    throw new Error(`The last release has no ${entry}. Update suiteFolder in baseline.ts if the suite has moved.`);
  const placed = new Map([...files].map(([path, text]) => [join(root, path), { path, text }]));
  const folders = new Set([...placed.keys()].map((path) => dirname(path)));
  const host = ts.createCompilerHost(options);
  const { directoryExists, fileExists, readFile } = host;
  host.directoryExists = (path) => folders.has(path) || (directoryExists?.(path) ?? true);
  host.fileExists = (path) => placed.has(path) || fileExists(path);
  host.readFile = (path) => placed.get(path)?.text ?? readFile(path);
  const program = ts.createProgram([join(root, entry)], options, host);
  return program.getSourceFiles().flatMap((file) => {
    const earlier = placed.get(file.fileName);
    if (!earlier) return [];
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((found): Change => {
      const line = file.getLineAndCharacterOfPosition(found.start ?? 0).line + 1;
      const message = ts.flattenDiagnosticMessageText(found.messageText, " ").replace(/\s+/g, " ").replace(/\.$/, "");
      return {
        bump: "major",
        place: "contract cases of the last release",
        message: `no longer compile: ${message}`,
        usedIn: [`${earlier.path}:${line}`],
      };
    });
  });
}
