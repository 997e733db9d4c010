// The declarations of a package's surface, and whether customers hand their values in, are handed them, or both.
import ts from "typescript";

export type Flow = "in" | "out" | "both";

export interface Surface {
  /** Exported names by entry point. */
  readonly modules: ReadonlyMap<string, ReadonlySet<string>>;
  /** Statements by the name they declare; several for overloads. */
  readonly declarations: ReadonlyMap<string, readonly ts.Statement[]>;
  /** Which way the values of a type go; a type that no value leads to may go either way. */
  readonly flowOf: (name: string) => Flow;
}

const printer = ts.createPrinter({ removeComments: true });

/** The text of a node on one line. */
export const printed = (node: ts.Node | undefined): string =>
  node ? printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/\s+/g, " ") : "";

export const turned = (flow: Flow): Flow => (flow === "in" ? "out" : flow === "out" ? "in" : "both");

/** Reads the text that `surfacesOf` wrote. */
export function parseSurface(text: string): Surface {
  const file = ts.createSourceFile("surface.d.ts", text, ts.ScriptTarget.Latest, true);
  const modules = new Map<string, Set<string>>();
  const declarations = new Map<string, ts.Statement[]>();
  for (const statement of file.statements) {
    if (ts.isModuleDeclaration(statement)) {
      modules.set(statement.name.text, exportedBy(statement));
      continue;
    }
    for (const name of namesOf(statement)) declarations.set(name, [...(declarations.get(name) ?? []), statement]);
  }
  const flows = flowsIn(declarations);
  const flowOf = (name: string): Flow => {
    const found = flows.get(name);
    return found?.size === 1 ? ([...found][0] ?? "both") : "both";
  };
  return { modules, declarations, flowOf };
}

function exportedBy(module: ts.ModuleDeclaration): Set<string> {
  const names = new Set<string>();
  ts.forEachChild(module, function visit(node): void {
    if (ts.isExportSpecifier(node)) names.add(node.name.text);
    else ts.forEachChild(node, visit);
  });
  return names;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

/** Follows values from what customers call and construct: what they pass goes in, what they get comes out. */
function flowsIn(declarations: ReadonlyMap<string, readonly ts.Statement[]>): Map<string, Set<Flow>> {
  const flows = new Map<string, Set<Flow>>();
  const visit = (node: ts.Node, flow: Flow): void => {
    if (ts.isIdentifier(node)) reach(node.text, flow);
    else if (!ts.isParameter(node)) ts.forEachChild(node, (child) => visit(child, flow));
    else if (node.type) visit(node.type, turned(flow));
  };
  const reach = (name: string, met: Flow): void => {
    const found = declarations.get(name);
    // Instances of a class are made here, so handing one back in asks nothing of customers.
    const flow = found?.some(ts.isClassDeclaration) ? "out" : met;
    const known = flows.get(name) ?? new Set();
    if (!found || known.has(flow)) return;
    flows.set(name, known.add(flow));
    for (const statement of found) visit(statement, flow);
  };
  for (const [name, statements] of declarations) {
    const holdsValues = statements.some(
      (statement) =>
        ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isVariableStatement(statement),
    );
    if (holdsValues) reach(name, "out");
  }
  return flows;
}
