// Lays out generated TypeScript as compactJson lays out JSON: what fits on one line stands on one line.
import ts from "typescript";
import { wrap } from "./text.ts";

type Group = ts.TypeLiteralNode | ts.MappedTypeNode | ts.ObjectLiteralExpression | ts.ArrayLiteralExpression;

const isGroup = (node: ts.Node): node is Group =>
  ts.isTypeLiteralNode(node) ||
  ts.isMappedTypeNode(node) ||
  ts.isObjectLiteralExpression(node) ||
  ts.isArrayLiteralExpression(node);

/** Text of a group on one line, without the separator behind its last member. */
const onOneLine = (text: string): string =>
  text
    .replace(/\[\n\s*/g, "[")
    .replace(/,?\n\s*\]/g, "]")
    .replace(/[;,]?\n\s*\}/g, " }")
    .replace(/\n\s*/g, " ");

const hasComment = (text: string): boolean => /\/\*|(?:^|\s)\/\//m.test(text);

const isWordList = (node: Group): node is ts.ArrayLiteralExpression =>
  ts.isArrayLiteralExpression(node) && node.elements.length > 0 && node.elements.every(ts.isStringLiteral);

interface Options {
  readonly width?: number;
  /** Which groups may share a line; all of them by default. */
  readonly mayFit?: (node: Group) => boolean;
}

/** Text with every type, object and list that fits on one line, 120 columns by default, and two columns a level. */
export function compactCode(generated: string, { width = 120, mayFit = () => true }: Options = {}): string {
  const text = generated
    .replace(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2))
    .replace(/\{\n *\}/g, "{}")
    .replace(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\/$/gm, "$1/** $2 */");
  const file = ts.createSourceFile("generated.ts", text, ts.ScriptTarget.Latest, true);
  let written = "";
  let copied = 0;
  const upTo = (end: number): void => {
    written += text.slice(copied, end);
    copied = end;
  };
  const visit = (node: ts.Node): void => {
    const own = node.getText(file);
    if (!own.includes("\n")) return;
    if (isGroup(node) && mayFit(node) && !hasComment(own)) {
      upTo(node.getStart(file));
      const before = written.slice(written.lastIndexOf("\n") + 1);
      const [after = ""] = text.slice(node.end).split("\n", 1);
      const line = onOneLine(own);
      const fits = before.length + line.length + after.length <= width;
      const indent = before.slice(0, before.search(/\S/));
      const laidOut = fits ? line : isWordList(node) ? filled(node, indent, width) : undefined;
      if (laidOut !== undefined) {
        written += laidOut;
        copied = node.end;
        return;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  upTo(text.length);
  return written;
}

/** A long list of words, filled line by line. */
function filled(list: ts.ArrayLiteralExpression, indent: string, width: number): string {
  const words = list.elements.map((element) => element.getText()).join(", ");
  const lines = wrap(words, width - indent.length - 2).map((line) => `${indent}  ${line}\n`);
  return `[\n${lines.join("")}${indent}]`;
}
