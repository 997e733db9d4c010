// Whether the code reads what a table offers: a row without a reader looks like a setting and does nothing.
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";

/** A row of a table: its name, and the file whose code reads it. */
export interface ReadRow {
  readonly name: string;
  readonly file: string;
}

/** What is wrong with the rows that no code reads, and what to do. */
export function unread(rows: readonly ReadRow[], table: string): string[] {
  const names = new Map<string, ReadonlySet<string>>();
  return rows.flatMap(({ name, file }) => {
    const read = names.get(file) ?? namesReadIn(file);
    names.set(file, read);
    if (read.has(name)) return [];
    return `${table} has ${name}, but ${file} does not read it. Read it there, name the file that does, or remove the row.`;
  });
}

/** The properties that a file's code reads: `x.name`, `x["name"]`, and `{ name } = x`. */
function namesReadIn(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  if (!existsSync(file)) return found;
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) found.add(node.name.text);
    if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression))
      found.add(node.argumentExpression.text);
    if (ts.isBindingElement(node)) {
      const name = node.propertyName ?? node.name;
      if (ts.isIdentifier(name) || ts.isStringLiteral(name)) found.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return found;
}
