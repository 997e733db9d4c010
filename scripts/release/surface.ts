// Writes a package's public types as one text: the exports of each entry point, then every declaration they lead to, sorted
// by name and without comments. Reads the sources, so no build is needed.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve, sep } from "node:path";
import ts from "typescript";
import { compactCode } from "../generate/text/compact.ts";
import { wrap } from "../generate/text/text.ts";
import { tsc } from "../tsc.ts";
import { type Change, change } from "./change.ts";
import { namesOf } from "./compare/records.ts";
import { type JsonObject, mapIn, objectIn } from "./json.ts";

/** The condition in `exports` that names the sources. */
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
  /** Whether npm does not get it. */
  readonly isPrivate: boolean;
  /** Whether customers get it: at npm, or at PyPI. */
  readonly isReleased: boolean;
  /** Source files of the public entry points by subpath, e.g. `./webhooks`. Nothing is promised of `./unstable`, which is left out. */
  readonly entries: ReadonlyMap<string, string>;
  /** Those of all entry points, also of one that only this repository can import. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Every package in a folder, in the order of the subfolders. */
export function packagesIn(folder: string): Package[] {
  return readdirSync(folder).map((child) => {
    const home = join(folder, child);
    const description = objectIn(JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as unknown);
    const targets = mapIn(description.exports);
    const sources = [...targets].flatMap(([subpath, target]): [string, string][] => {
      const source = objectIn(target)[sourceCondition];
      return typeof source === "string" ? [[subpath, resolve(home, source)]] : [];
    });
    const isPublic = ([subpath]: [string, string]): boolean =>
      subpath !== "./unstable" && Object.keys(objectIn(targets.get(subpath))).length > 1;
    return {
      name: String(description.name),
      version: String(description.version),
      folder: home,
      isPrivate: description.private === true,
      isReleased: description.private !== true || existsSync(join(home, "pyproject.toml")),
      entries: new Map(sources.filter(isPublic)),
      sources: new Map(sources),
    };
  });
}

/**
 * Sources by the names that import them. Without them, the compiler finds the packages through node_modules, where it writes
 * no declarations, and which files it finds there first differs from run to run.
 */
const sourcesOf = (packages: readonly Package[]): Record<string, string[]> =>
  Object.fromEntries(
    packages.flatMap(({ name, sources }) => [...sources].map(([subpath, path]) => [posix.join(name, subpath), [path]])),
  );

/** Uses a temporary folder below the root, where the compiler finds the installed types. */
async function withFolder<T>(root: string, use: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "compiled-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Compiles files with TypeScript 7 and returns what it printed: one error per line, with paths relative to the folder.
 * @param options Compiler options as in a tsconfig.json
 */
function compile(folder: string, files: readonly string[], options: JsonObject): Promise<string> {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  const settings = { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...tsc, "-p", ".", "--pretty", "false"], settings, (error, stdout, stderr) => {
      // The status of errors in the files is 1 or 2. Anything else, such as a signal, is a failed run.
      if (error && (typeof error.code !== "number" || stdout === "")) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/**
 * Compiles the contract suite of the last release against the present packages, and reports what no longer compiles. It shows what
 * no record does: generated types.
 * @param suite Its files by path; the first one is the entry
 */
export const checkSuite = (
  suite: ReadonlyMap<string, string>,
  packages: readonly Package[],
  root: string,
  options: JsonObject,
): Promise<Change[]> =>
  withFolder(root, async (folder) => {
    const [entry] = suite.keys();
    if (entry === undefined) return [];
    for (const [path, text] of suite) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const output = await compile(folder, [entry], { ...options, noEmit: true, paths: sourcesOf(packages) });
    if (/^error /m.test(output))
      throw new Error(`The contract suite of the last release cannot be compiled.\n${output}`);
    return output.split(/\n(?! )/).flatMap((text) => {
      const [, path = "", line, message = ""] = /^(.+?)\((\d+),\d+\): error TS\d+: ([\s\S]*)$/.exec(text.trim()) ?? [];
      if (!suite.has(path)) return [];
      const said = message.replace(/\s+/g, " ").replace(/\.$/, "");
      return [change("major", "contract suite of the last release", `no longer compiles: ${said}`, `${path}:${line}`)];
    });
  });

/** Declaration files by the path of their source. */
const emitted = (
  packages: readonly Package[],
  root: string,
  options: JsonObject,
): Promise<Map<string, ts.SourceFile>> =>
  withFolder(root, async (folder) => {
    const outDir = join(folder, "out");
    const paths = sourcesOf(packages);
    const output = await compile(folder, Object.values(paths).flat(), {
      ...options,
      paths,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      removeComments: true,
      // Types are checked by `npm test`; here they are only written out.
      noCheck: true,
      rootDir: root,
      outDir,
    });
    if (output !== "") throw new Error(`The public types cannot be written.\n${output}`);
    const written = readdirSync(outDir, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".d.ts"));
    return new Map(
      written.map((path) => {
        const source = join(root, path.replace(/\.d\.ts$/, ".ts"));
        const text = readFileSync(join(outDir, path), "utf8");
        return [source, ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true)];
      }),
    );
  });

// Other generated files follow from the documents, which are compared as such. Policies, models and error classes are shown.
const isGenerated = (file: ts.SourceFile): boolean =>
  /(?<!\/policies|\/status-errors|\/backend\/src\/generated\/models)\.gen\.ts$/.test(file.fileName);

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** An export whose names cannot be read from the package's own files, or that has no name. */
const isUnnamed = (statement: ts.Statement): boolean =>
  ts.isExportAssignment(statement) ||
  (ts.isExportDeclaration(statement) &&
    (statement.exportClause
      ? ts.isNamespaceExport(statement.exportClause)
      : !/^["'](?:\.|@call-transfer\/)/.test(statement.moduleSpecifier?.getText() ?? "")));

/** A name in a file. */
type Source = readonly [path: string, name: string];

/** Follows names through imports and exports. */
class Names {
  readonly #files: ReadonlyMap<string, ts.SourceFile>;
  /** Sources of the packages by the names that import them. */
  readonly #sources: Readonly<Record<string, readonly string[]>>;

  constructor(files: ReadonlyMap<string, ts.SourceFile>, sources: Readonly<Record<string, readonly string[]>>) {
    this.#files = files;
    this.#sources = sources;
  }

  /** The source of each exported name of a file. */
  exportsOf(path: string): Map<string, Source> {
    const found = new Map<string, Source>();
    for (const statement of this.#fileAt(path).statements) {
      if (isUnnamed(statement)) {
        throw new Error(`${path} has \`${statement.getText()}\`, which hides names. Export them by name.`);
      }
      if (!ts.isExportDeclaration(statement)) {
        if (isExported(statement)) for (const name of namesOf(statement)) found.set(name, [path, name]);
        continue;
      }
      const from = this.#pathOf(statement.moduleSpecifier, path) ?? this.#packageOf(statement.moduleSpecifier) ?? path;
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

  /** The statements that declare a name, in the file or where the file imports it from. */
  declarationsOf([path, name]: Source): Declared[] {
    const file = this.#fileAt(path);
    const own = file.statements.filter((statement) => namesOf(statement).includes(name));
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

  #fileAt(path: string): ts.SourceFile {
    const file = this.#files.get(path);
    if (!file) throw new Error(`The compiler wrote no declarations for ${path}. Import it by a relative path.`);
    return file;
  }

  /** The source of an entry of another package, which an entry passes on. */
  #packageOf(specifier: ts.Expression | undefined): string | undefined {
    return specifier && ts.isStringLiteral(specifier) ? this.#sources[specifier.text]?.[0] : undefined;
  }

  #pathOf(specifier: ts.Expression | undefined, from: string): string | undefined {
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
    return resolve(from, "..", specifier.text);
  }
}

/** The text of a declaration. Generated types are compared as part of the contract, so their names are enough here. */
function textOf({ file, statement }: Declared): string {
  const behaves = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  if (isGenerated(file) && !behaves)
    return namesOf(statement)
      .map((name) => `type ${name} = unknown;`)
      .join("\n");
  return statement.getText(file).replace(/^(?:export |declare |default )+/, "declare ");
}

/**
 * The public types of each package by its name, as the text of a declaration file.
 * @param options Compiler options as in a tsconfig.json
 */
export async function surfacesOf(
  packages: readonly Package[],
  root: string,
  options: JsonObject,
): Promise<Map<string, string>> {
  const names = new Names(await emitted(packages, root, options), sourcesOf(packages));
  return new Map(packages.map((each) => [each.name, surfaceOf(each, names)]));
}

/** The exports and declarations of a package. Those that it passes on from another package stand there. */
function surfaceOf({ name, folder, entries }: Package, names: Names): string {
  const texts = new Map<string, Set<string>>();
  const visited = new Set<ts.Statement>();
  const visit = (source: Source): void => {
    for (const declared of names.declarationsOf(source)) {
      if (visited.has(declared.statement) || !declared.file.fileName.startsWith(`${folder}${sep}`)) continue;
      visited.add(declared.statement);
      const text = textOf(declared);
      for (const one of namesOf(declared.statement)) texts.set(one, (texts.get(one) ?? new Set()).add(text));
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
    const list = exported.map(([as, [, own]]) => (as === own ? own : `${own} as ${as}`)).join(", ");
    const lines = wrap(list, 116).map((line) => `    ${line}\n`);
    const exports = lines.length > 1 ? `{\n${lines.join("")}  }` : `{ ${list} }`;
    return `declare module "${join(name, subpath)}" {\n  export ${exports};\n}`;
  });
  const declarations = [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, each]) => [...each]);
  return `${modules.join("\n\n")}\n\n${withLinesTogether(compactCode(`${[...new Set(declarations)].join("\n\n")}\n`))}`;
}

/** Text without the blank line between two declarations of one line. */
function withLinesTogether(text: string): string {
  const blocks = text.split("\n\n");
  const isLine = (block = "\n"): boolean => !block.trimEnd().includes("\n");
  return blocks.reduce(
    (joined, block, at) => `${joined}${isLine(block) && isLine(blocks[at - 1]) ? "\n" : "\n\n"}${block}`,
  );
}
