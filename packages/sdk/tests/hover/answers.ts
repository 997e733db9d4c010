// Asks TypeScript what an editor shows: of marked places of a program, and of everything that a package exports.
import ts from "typescript";

/** The options of a customer who is as strict as TypeScript allows. */
export const editorOptions: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
};

/** The same for a program that reads the sources. */
export const sourceOptions: ts.CompilerOptions = {
  ...editorOptions,
  allowImportingTsExtensions: true,
  customConditions: ["@call-transfer/source"],
};

/** What an editor shows at the place above each `^?` of a program. */
export function hoversOf(path: string, options: ts.CompilerOptions): string {
  const service = ts.createLanguageService({
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
  const source = service.getProgram()?.getSourceFile(path);
  if (!source) throw new Error(`${path} cannot be read`);
  const lines = source.text.split("\n");
  let last = 0;
  const answers = lines.flatMap((line, index) => {
    if (!/^ *\/\/ *\^\?$/.test(line)) {
      last = index;
      return [];
    }
    const position = source.getPositionOfLineAndCharacter(last, line.indexOf("^"));
    const shown = service.getQuickInfoAtPosition(path, position)?.displayParts;
    return [`${lines[last]?.trim()}\n    ${ts.displayPartsToString(shown).replaceAll("\n", "\n    ")}`];
  });
  return `${answers.join("\n")}\n`;
}

/** A name that a package exports, or a member of one: its type, and its documentation as an editor shows it. */
export interface PublicName {
  readonly name: string;
  readonly type: string;
  readonly documentation: string;
}

/** Every public name of the modules that a file imports as namespaces. */
export function publicNamesOf(path: string, options: ts.CompilerOptions): PublicName[] {
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  if (!source) throw new Error(`${path} cannot be read`);
  const shown = (name: string, symbol: ts.Symbol): PublicName[] => {
    const [first] = symbol.declarations ?? [];
    // Of a method with overloads an internal one is left out, and the method is not.
    if (first && ts.getJSDocTags(first).some((tag) => tag.tagName.text === "internal")) return [];
    const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name !== "internal");
    const isType = (symbol.flags & ts.SymbolFlags.Value) === 0;
    const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol);
    const texts = tags.map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`);
    const documentation = [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...texts]
      .join("\n")
      .trim();
    return [{ name, type: checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation), documentation }];
  };
  const isOwn = ({ declarations = [] }: ts.Symbol): boolean =>
    declarations.some((one) => !program.isSourceFileDefaultLibrary(one.getSourceFile()));
  const membersOf = (symbol: ts.Symbol): ts.Symbol[] => {
    if ((symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) === 0) return [];
    const members = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    return members.filter((member) => isOwn(member) && !/^__|#/.test(member.name));
  };
  const namespaces = source.statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier }) => {
    const symbol = checker.getSymbolAtLocation(moduleSpecifier);
    return symbol ? checker.getExportsOfModule(symbol) : [];
  });
  return namespaces
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .flatMap((symbol) => [
      ...shown(symbol.name, symbol),
      ...membersOf(symbol).flatMap((member) => shown(`${symbol.name}.${member.name}`, member)),
    ]);
}
