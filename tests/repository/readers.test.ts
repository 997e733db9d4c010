import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import { policyRows } from "../../scripts/generate/policies.ts";

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

it("every policy is read by the file that its row names: one without a reader looks like a setting and does nothing", () => {
  const unread = Object.entries(policyRows).filter(
    ([name, row]) => !namesReadIn(`packages/backend/src/${row["read-by"]}`).has(name),
  );
  expect(unread.map(([name, row]) => `${name} by ${row["read-by"]}`)).toEqual([]);
});
