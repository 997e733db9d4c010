// The contract cases of the last release, type-checked against the packages as they are now.
import { dirname, relative, resolve } from "node:path";
import ts from "typescript";
import type { Change } from "./change.ts";

/** A source file and every file that it leads to by relative imports, by path. */
export function filesFrom(entry: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(entry)) return found;
  const text = ts.sys.readFile(entry) ?? "";
  found.set(entry, text);
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (fileName.startsWith(".")) filesFrom(resolve(dirname(entry), fileName), found);
  }
  return found;
}

/**
 * What no longer compiles among files that were kept aside.
 * @param files The kept files.
 * @param home A file from whose place packages are looked up.
 */
export function checkFiles(files: readonly string[], home: string, options: ts.CompilerOptions): Change[] {
  const host = ts.createCompilerHost(options);
  const kept = new Set(files);
  host.resolveModuleNameLiterals = (literals, from, redirected, settings, source) =>
    literals.map((literal) => {
      const seen = kept.has(from) && !literal.text.startsWith(".") ? home : from;
      const mode = ts.getModeForUsageLocation(source, literal, settings);
      return ts.resolveModuleName(literal.text, seen, settings, host, undefined, redirected, mode);
    });
  const program = ts.createProgram([...files], options, host);
  return files.flatMap((path) => {
    const file = program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not there`);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((found): Change => {
      const line = file.getLineAndCharacterOfPosition(found.start ?? 0).line + 1;
      const message = ts.flattenDiagnosticMessageText(found.messageText, " ").replace(/\s+/g, " ").replace(/\.$/, "");
      const met = [`${relative(dirname(dirname(path)), path)}:${line}`];
      return {
        bump: "major",
        place: "contract cases of the last release",
        words: `no longer compile: ${message}`,
        met,
      };
    });
  });
}
