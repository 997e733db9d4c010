// Finds types that a customer's declarations cannot name. With `declaration: true`, the compiler writes the type of each exported
// value into a declaration file, and fails (TS4023) where a type is not exported by its name.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
  types: [],
  strict: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
};

const isOurs = (type: ts.Type): boolean =>
  (type.getSymbol()?.declarations ?? []).some((node) => node.getSourceFile().fileName.includes("/@call-transfer/"));

/** Statements that export what each function of a module returns, each method of that, and so on. */
class Program {
  readonly statements: string[] = [];
  readonly #seen = new Set<ts.Symbol>();
  readonly #checker: ts.TypeChecker;
  readonly #at: ts.Node;

  constructor(module: ts.Symbol, checker: ts.TypeChecker, at: ts.Node) {
    this.#checker = checker;
    this.#at = at;
    for (const symbol of checker.getExportsOfModule(module)) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if (target.flags & ts.SymbolFlags.Class) this.#addInstance(symbol.name, checker.getDeclaredTypeOfSymbol(target));
      else if (target.flags & ts.SymbolFlags.Value) this.#visit("entry", symbol.name, this.#typeOf(target), true);
    }
  }

  #typeOf(symbol: ts.Symbol): ts.Type {
    return this.#checker.getTypeOfSymbolAtLocation(symbol, this.#at);
  }

  #addInstance(name: string, type: ts.Type): void {
    const { typeParameters = [] } = type as ts.InterfaceType;
    const given = typeParameters.length > 0 ? `<${typeParameters.map(() => "any").join(", ")}>` : "";
    this.#follow(this.#add(`null! as entry.${name}${given}`, "const"), type, true);
  }

  /** Adds a constant and returns its name. */
  #add(expression: string, kind: "const" | "export const"): string {
    const name = `v${this.statements.length}`;
    this.statements.push(`${kind} ${name} = ${expression};`);
    return name;
  }

  /** A function is called. Of a record, the methods are; not of a record in a record, which is data. */
  #visit(owner: string, name: string, type: ts.Type, mayPass: boolean): void {
    const [call] = type.getCallSignatures();
    if (call === undefined) {
      if (mayPass && isOurs(type)) this.#follow(`${owner}.${name}`, type, false);
      return;
    }
    const result = call.getReturnType();
    const value = this.#add(`${owner}.${name}(...(null! as Parameters<typeof ${owner}.${name}>))`, "export const");
    this.#follow(value, result, true);
    const awaited = this.#checker.getAwaitedType(result);
    if (awaited && awaited !== result) this.#follow(this.#add(`await ${value}`, "export const"), awaited, true);
  }

  #follow(value: string, type: ts.Type, mayPass: boolean): void {
    const symbol = type.getSymbol();
    if (!symbol || this.#seen.has(symbol) || !isOurs(type)) return;
    this.#seen.add(symbol);
    for (const property of type.getProperties().filter(({ name }) => /^[a-z]\w*$/i.test(name)))
      this.#visit(value, property.name, this.#typeOf(property), mayPass);
  }
}

const textOf = (entry: string, statements: readonly string[]): string =>
  [`import * as entry from "${entry}";`, ...statements, ""].join("\n");

/**
 * The exports of a customer's project whose types cannot be written, each with the compiler's message.
 * @param folder The project that the packages are installed in
 * @param entries What the project imports. Each is a program that exports what each function and method returns.
 */
export function unnameable(folder: string, entries: readonly string[]): string[] {
  const paths = entries.map((_, at) => join(folder, `nameable-${at}.mts`));
  const write = (statements: (at: number) => readonly string[]): void => {
    for (const [at, path] of paths.entries()) writeFileSync(path, textOf(entries[at] ?? "", statements(at)));
  };
  write(() => []);
  const program = ts.createProgram(paths, options);
  const statements = paths.map((path) => {
    const file = program.getSourceFile(path);
    const [statement] = file?.statements ?? [];
    if (!file || !statement || !ts.isImportDeclaration(statement)) throw new Error(`${path} was not read.`);
    const module = program.getTypeChecker().getSymbolAtLocation(statement.moduleSpecifier);
    if (!module) throw new Error(`${statement.moduleSpecifier.getText()} cannot be found.`);
    return new Program(module, program.getTypeChecker(), file).statements;
  });
  write((at) => statements[at] ?? []);
  return ts
    .createProgram(paths, options)
    .getDeclarationDiagnostics()
    .map(({ file, start = 0, messageText }) => {
      const [first = "", ...lines] = file?.text.split("\n") ?? [];
      const line = lines[(file?.getLineAndCharacterOfPosition(start).line ?? 1) - 1];
      return `${/"(.+)"/.exec(first)?.[1]}: ${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
}
