// Finds exported names without a doc comment, and members of exported types without one.
import ts from "typescript";

/**
 * Lists the exported names and members without a doc comment, as `file:line name`.
 *
 * @param folder Path that ends in a slash. Declarations outside of it do not count.
 */
export function undocumentedIn(entries: readonly string[], options: ts.CompilerOptions, folder: string): string[] {
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Symbol>();
  const found: string[] = [];

  const visit = (symbol: ts.Symbol, name: string): void => {
    const resolved = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declarations = (resolved.declarations ?? []).filter((declaration) => isIn(folder, declaration));
    const [first] = declarations;
    if (!first || seen.has(resolved) || declarations.some(isInternal)) return;
    seen.add(resolved);
    const comment = ts.displayPartsToString(resolved.getDocumentationComment(checker));
    if (comment.trim() === "") found.push(`${placeOf(first, folder)} ${name}`);
    for (const declaration of declarations) {
      for (const member of membersOf(declaration)) {
        const inside = member.name && checker.getSymbolAtLocation(member.name);
        if (inside) visit(inside, `${name}.${inside.name}`);
      }
    }
  };

  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entry} does not exist, or exports nothing.`);
    for (const symbol of checker.getExportsOfModule(module)) visit(symbol, symbol.name);
  }
  return found.sort();
}

/** The members that need a comment each. What is made of the contract has its names, such as paths and codes. */
function membersOf(node: ts.Node): readonly (ts.ClassElement | ts.TypeElement)[] {
  if (node.getSourceFile().fileName.endsWith("types.gen.ts")) return [];
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return node.members.filter(isPublic);
  const type = ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node) ? node.type : undefined;
  // A literal on one line is part of what the comment above it describes.
  return type && ts.isTypeLiteralNode(type) && type.getText().includes("\n") ? type.members.filter(isPublic) : [];
}

/** Not `private` or `#private`, and not a protocol of the language such as `[Symbol.iterator]`. */
const isPublic = (member: ts.ClassElement | ts.TypeElement): boolean =>
  member.name !== undefined &&
  !ts.isPrivateIdentifier(member.name) &&
  !ts.isComputedPropertyName(member.name) &&
  (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0;

const isInternal = (node: ts.Node): boolean => ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");

const isIn = (folder: string, node: ts.Node): boolean => {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(folder) && !fileName.includes("/node_modules/");
};

function placeOf(node: ts.Node, folder: string): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName.slice(folder.length)}:${line + 1}`;
}
