// What a package offers to TypeScript, as one text: each entry point's exports, then every declaration they lead to, in
// order of name and without comments. Taken from the sources, so that nothing has to be built for it.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { objectIn } from "../json.ts";

/** The condition under which `exports` names the sources. */
const sourceCondition = "@call-transfer/source";

interface Declared {
  readonly file: ts.SourceFile;
  readonly statement: ts.Statement;
}

/** A package of the workspace, as its package.json describes it. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly isPrivate: boolean;
  /** Entry points by subpath, e.g. `./webhooks`, with their source files. */
  readonly entries: ReadonlyMap<string, string>;
}

/** Every package in a folder of packages, by the order of their folders. */
export function packagesIn(folder: string): Package[] {
  return readdirSync(folder).map((child) => {
    const home = join(folder, child);
    const description = objectIn(JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as unknown);
    const entries = Object.entries(objectIn(description.exports)).flatMap(([subpath, target]): [string, string][] => {
      const source = objectIn(target)[sourceCondition];
      return typeof source === "string" ? [[subpath, resolve(home, source)]] : [];
    });
    return {
      name: String(description.name),
      version: String(description.version),
      folder: home,
      isPrivate: description.private === true,
      entries: new Map(entries),
    };
  });
}

/** The declaration files of a package's sources, by the path of the source. */
function emitted(roots: readonly string[], options: ts.CompilerOptions): Map<string, ts.SourceFile> {
  const program = ts.createProgram([...roots], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: true,
    rewriteRelativeImportExtensions: false,
  });
  const files = new Map<string, ts.SourceFile>();
  program.emit(undefined, (_, text, __, ___, sources) => {
    const path = sources?.[0]?.fileName;
    if (path) files.set(path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  });
  return files;
}

const namesDeclared = (statement: ts.Statement): string[] => {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const named = statement as ts.Statement & { name?: ts.Identifier };
  return named.name && ts.isIdentifier(named.name) ? [named.name.text] : [];
};

const isGenerated = (file: ts.SourceFile): boolean => /\.gen\.ts$/.test(file.fileName);

/** An export whose names nobody can tell from the package's own files, or that has none. */
const isUnseen = (statement: ts.Statement): boolean =>
  ts.isExportAssignment(statement) ||
  (ts.isExportDeclaration(statement) &&
    (statement.exportClause
      ? ts.isNamespaceExport(statement.exportClause)
      : !/^["']\./.test(statement.moduleSpecifier?.getText() ?? "")));

/** Where a name comes from: `name` of the file `path`, or nothing of this package. */
type Source = readonly [path: string, name: string];

/** Follows names through the files of a package. */
class Names {
  readonly #files: ReadonlyMap<string, ts.SourceFile>;

  constructor(files: ReadonlyMap<string, ts.SourceFile>) {
    this.#files = files;
  }

  /** What each exported name of a file stands for. */
  exportsOf(path: string): Map<string, Source> {
    const found = new Map<string, Source>();
    const file = this.#files.get(path);
    for (const statement of file?.statements ?? []) {
      if (isUnseen(statement)) {
        throw new Error(`${path} has \`${statement.getText()}\`, whose names no surface shows: export them by name.`);
      }
      if (!ts.isExportDeclaration(statement)) {
        const isExported =
          ts.canHaveModifiers(statement) &&
          ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
        if (isExported) for (const name of namesDeclared(statement)) found.set(name, [path, name]);
        continue;
      }
      const from = this.#pathOf(statement.moduleSpecifier, path) ?? path;
      if (!statement.exportClause) {
        for (const [name, source] of this.exportsOf(from)) found.set(name, source);
      } else if (ts.isNamedExports(statement.exportClause)) {
        for (const { name, propertyName } of statement.exportClause.elements) {
          found.set(name.text, [from, (propertyName ?? name).text]);
        }
      }
    }
    return found;
  }

  /** The statements that declare a name as a file sees it. */
  declarationsOf([path, name]: Source): Declared[] {
    const file = this.#files.get(path);
    if (!file) return [];
    const own = file.statements.filter((statement) => namesDeclared(statement).includes(name));
    if (own.length > 0) return own.map((statement) => ({ file, statement }));
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !statement.importClause?.namedBindings) continue;
      const from = this.#pathOf(statement.moduleSpecifier, path);
      const bindings = statement.importClause.namedBindings;
      if (!from || !ts.isNamedImports(bindings)) continue;
      const imported = bindings.elements.find((element) => element.name.text === name);
      if (imported) return this.declarationsOf([from, (imported.propertyName ?? imported.name).text]);
    }
    const exported = this.exportsOf(path).get(name);
    return exported && (exported[0] !== path || exported[1] !== name) ? this.declarationsOf(exported) : [];
  }

  #pathOf(specifier: ts.Expression | undefined, from: string): string | undefined {
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
    return resolve(from, "..", specifier.text);
  }
}

/** The text of a declaration; what is generated from the contract is compared there, so its name is enough here. */
function textOf({ file, statement }: Declared): string {
  const behaves = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  if (isGenerated(file) && !behaves)
    return namesDeclared(statement)
      .map((name) => `type ${name} = unknown;`)
      .join("\n");
  return statement.getText(file).replace(/^(?:export |declare |default )+/, "declare ");
}

/** What the sources of each package offer, by its name, as the text of a declaration file. */
export function surfacesOf(packages: readonly Package[], options: ts.CompilerOptions): Map<string, string> {
  const names = new Names(
    emitted(
      packages.flatMap(({ entries }) => [...entries.values()]),
      options,
    ),
  );
  return new Map(packages.map((each) => [each.name, surfaceOf(each, names)]));
}

function surfaceOf({ name, entries }: Package, names: Names): string {
  const texts = new Map<string, Set<string>>();
  const visited = new Set<ts.Statement>();
  const visit = (source: Source): void => {
    for (const declared of names.declarationsOf(source)) {
      if (visited.has(declared.statement)) continue;
      visited.add(declared.statement);
      const text = textOf(declared);
      for (const one of namesDeclared(declared.statement)) texts.set(one, (texts.get(one) ?? new Set()).add(text));
      if (text.endsWith(" = unknown;")) continue;
      const follow = (node: ts.Node): void => {
        if (ts.isIdentifier(node)) visit([declared.file.fileName, node.text]);
        ts.forEachChild(node, follow);
      };
      follow(declared.statement);
    }
  };
  const modules = [...entries].map(([subpath, path]) => {
    const exported = [...names.exportsOf(path)].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, source] of exported) visit(source);
    const lines = exported.map(([as, [, own]]) => `  export { ${as === own ? own : `${own} as ${as}`} };`);
    return [`declare module "${join(name, subpath)}" {`, ...lines, "}"].join("\n");
  });
  const declarations = [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, each]) => [...each]);
  return `${[...modules, ...new Set(declarations)].join("\n\n")}\n`;
}
