// Parses a package's surface and finds out which way the values of each type flow.
import ts from "typescript";

/** Whether customers provide the values of a type, receive them, or both. */
export type Flow = "in" | "out" | "both";

export interface Surface {
  /** Exported names by entry point. */
  readonly modules: ReadonlyMap<string, ReadonlySet<string>>;
  /** Statements by the name they declare. Overloads have several. */
  readonly declarations: ReadonlyMap<string, readonly ts.Statement[]>;
  /** A type that no value leads to is "both". */
  readonly flowOf: (name: string) => Flow;
}

const printer = ts.createPrinter({ removeComments: true });

/** The text of a node on one line. */
export const printed = (node: ts.Node | undefined): string =>
  node ? printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/\s+/g, " ") : "";

export const opposite = (flow: Flow): Flow => (flow === "in" ? "out" : flow === "out" ? "in" : "both");

export const hasModifier = (node: ts.Node, modifier: ts.SyntaxKind): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === modifier);

/** The names that a statement declares. */
export function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

/** Parses the text that `surfacesOf` writes. */
export function parseSurface(text: string): Surface {
  const file = ts.createSourceFile("surface.d.ts", text, ts.ScriptTarget.Latest, true);
  const entries = file.statements.filter(ts.isModuleDeclaration);
  const modules = new Map(entries.map((entry) => [entry.name.text, exportedBy(entry)]));
  const declared = file.statements
    .filter((statement) => !ts.isModuleDeclaration(statement))
    .flatMap((statement) => namesOf(statement).map((name) => ({ name, statement })));
  const declarations = new Map(
    [...Map.groupBy(declared, ({ name }) => name)].map(([name, group]) => [name, group.map((one) => one.statement)]),
  );
  const flows = flowsIn(declarations);
  const flowOf = (name: string): Flow => {
    const [flow = "both", ...others] = flows.get(name) ?? [];
    return others.length === 0 ? flow : "both";
  };
  return { modules, declarations, flowOf };
}

function exportedBy(module: ts.ModuleDeclaration): Set<string> {
  const statements = module.body && ts.isModuleBlock(module.body) ? module.body.statements : [];
  const clauses = statements.flatMap((statement) => (ts.isExportDeclaration(statement) ? statement.exportClause : []));
  return new Set(
    clauses.flatMap((clause) =>
      clause && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [],
    ),
  );
}

const holdsValue = (statement: ts.Statement): boolean =>
  ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isVariableStatement(statement);

/** Follows values from functions, classes and variables: parameters flow in, results flow out. */
function flowsIn(declarations: Surface["declarations"]): Map<string, Set<Flow>> {
  const flows = new Map<string, Set<Flow>>();
  const visit = (node: ts.Node, flow: Flow): void => {
    if (ts.isIdentifier(node)) reach(node.text, flow);
    else if (!ts.isParameter(node)) ts.forEachChild(node, (child) => visit(child, flow));
    else if (node.type) visit(node.type, opposite(flow));
  };
  const reach = (name: string, reached: Flow): void => {
    const found = declarations.get(name);
    // Customers cannot create instances of our classes themselves, so passing one in requires nothing new from them.
    const flow = found?.some(ts.isClassDeclaration) ? "out" : reached;
    const known = flows.get(name) ?? new Set();
    if (!found || known.has(flow)) return;
    flows.set(name, known.add(flow));
    for (const statement of found) visit(statement, flow);
  };
  for (const [name, statements] of declarations) if (statements.some(holdsValue)) reach(name, "out");
  return flows;
}
