// Asks TypeScript's language service what an editor shows for the marked places of a program.
import ts from "typescript";

/** The options of a customer who is as strict as TypeScript allows. */
export const editorOptions: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
};

/** Text with every line moved to the right. */
const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");

/** Documentation with its tags, as an editor shows it below a type. */
function documentation(parts: readonly ts.SymbolDisplayPart[] = [], tags: readonly ts.JSDocTagInfo[] = []): string {
  const shown = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString([...(text ?? [])])}`.trim());
  return [ts.displayPartsToString([...parts]), ...shown].filter(Boolean).join("\n");
}

const message = ({ code, messageText }: ts.Diagnostic): string =>
  `error TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;

/** A language service for one program. */
function serviceFor(path: string, options: ts.CompilerOptions): ts.LanguageService {
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    realpath: ts.sys.realpath ?? ((name) => name),
  });
}

/** What an editor shows at a place. */
function hoverAt(service: ts.LanguageService, path: string, position: number): string {
  const info = service.getQuickInfoAtPosition(path, position);
  if (!info) return "nothing";
  const type = ts.displayPartsToString(info.displayParts);
  return [type, documentation(info.documentation, info.tags)].filter(Boolean).join("\n\n");
}

/** Every field of the type at a place, with its documentation. */
function fieldsAt(checker: ts.TypeChecker, source: ts.SourceFile, position: number): string {
  const find = (node: ts.Node): ts.Node =>
    ts.forEachChild(node, (child) => (child.pos <= position && position < child.end ? find(child) : undefined)) ?? node;
  const fields = checker.getTypeAtLocation(find(source)).getProperties();
  return fields
    .map((field) => {
      const type = checker.typeToString(checker.getTypeOfSymbol(field), undefined, ts.TypeFormatFlags.NoTruncation);
      const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
      const text = documentation(field.getDocumentationComment(checker), field.getJsDocTags(checker));
      return `${field.name}${isOptional ? "?" : ""}: ${type}\n${indented(text || "NO DOCUMENTATION")}`;
    })
    .join("\n");
}

/** The answers to every mark of a program, as text, in its order. */
export function answersOf(path: string, options: ts.CompilerOptions): string {
  const service = serviceFor(path, options);
  const program = service.getProgram();
  const source = program?.getSourceFile(path);
  if (!program || !source) throw new Error(`${path} cannot be read`);
  const diagnostics = new Map(
    [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map((diagnostic) => [
      source.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line,
      diagnostic,
    ]),
  );
  const lines = source.text.split("\n");
  const answers: string[] = [];
  let last = 0;
  lines.forEach((line, index) => {
    const heading = /^\/\/ (## .*)/.exec(line)?.[1];
    const mark = /^ *\/\/ *\^(\?|fields)$/.exec(line)?.[1];
    const diagnostic = diagnostics.get(index);
    if (heading) answers.push(heading);
    if (!/^ *\/\//.test(line)) last = index;
    if (mark) {
      const column = line.indexOf("^");
      const position = source.getPositionOfLineAndCharacter(last, column);
      const text =
        mark === "?" ? hoverAt(service, path, position) : fieldsAt(program.getTypeChecker(), source, position);
      answers.push(`${lines[last]}\n${" ".repeat(column)}^\n${indented(text)}`);
    }
    const isExpected = /^ *\/\/ error$/.test(lines[index - 1] ?? "");
    if (isExpected || diagnostic)
      answers.push(
        `${line}\n${indented(diagnostic ? message(diagnostic) : "NO ERROR")}${isExpected ? "" : "\nUNEXPECTED"}`,
      );
  });
  return `${answers.join("\n\n")}\n`;
}
