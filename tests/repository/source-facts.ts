// Finds facts of the contract that a source file repeats.
import { errorCodes, fieldErrorCodes, operations } from "@call-transfer/spec";
import ts from "typescript";

const codes: ReadonlySet<string> = new Set(Object.keys(errorCodes));
const names: ReadonlySet<string> = new Set([...codes, ...fieldErrorCodes, ...Object.keys(operations)]);
const pathPatterns = Object.values(operations).map(
  ({ path }) => new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}(?:[?#]|$)`),
);

/** The longest row of codes or operations that does not count as a list. */
const mostNamesInARow = 2;

/** A node with all below it. */
function nodesOf(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const add = (one: ts.Node): void => {
    found.push(one);
    ts.forEachChild(one, add);
  };
  add(node);
  return found;
}

const parse = (text: string) => ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);

/** The text of a string or template, with `0` for each placeholder; undefined for other nodes. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `0${span.literal.text}`).join("");
  }
  return undefined;
}

const isOneOf = (known: ReadonlySet<string>) => (node: ts.Node) =>
  known.has(textOf(ts.isLiteralTypeNode(node) ? node.literal : node) ?? "");
const isCode = isOneOf(codes);
const isName = isOneOf(names);

const isStatus = (node: ts.Node): boolean => ts.isNumericLiteral(node) && /^[45]\d\d$/.test(node.text);

const keyOf = (node: ts.ObjectLiteralElementLike): string =>
  node.name && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name)) ? node.name.text : "";

function repetitionIn(node: ts.Node): string | undefined {
  const text = textOf(node);
  if (text !== undefined) {
    const path = text.replace(/^(?:https?:\/\/[^/]*|0)(?=\/)/, "");
    if (pathPatterns.some((pattern) => pattern.test(path))) return `the path of an operation: ${text}`;
  }
  if (ts.isPropertyAssignment(node) && codes.has(keyOf(node)) && isStatus(node.initializer)) {
    return `the status of a code: ${node.getText()}`;
  }
  if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.filter(isName).length > mostNamesInARow) return `a list of names: ${node.getText()}`;
    if (node.elements.some(isCode) && node.elements.some(isStatus)) return `the status of a code: ${node.getText()}`;
  }
  if (ts.isObjectLiteralExpression(node)) {
    const listed = node.properties.filter((property) => names.has(keyOf(property)));
    if (listed.length > mostNamesInARow) return `a table of names: ${node.getText().slice(0, 80)}`;
  }
  if (ts.isUnionTypeNode(node) && node.types.filter(isName).length > mostNamesInARow) {
    return `a list of names: ${node.getText()}`;
  }
  return undefined;
}

/** The operation paths, statuses of codes, and lists of codes or operations in a file. */
export function repetitionsIn(text: string): string[] {
  return nodesOf(parse(text))
    .map(repetitionIn)
    .filter((found) => found !== undefined);
}

/** A limit of the contract: the name of its field or setting, and its number. */
export interface Limit {
  readonly name: string;
  readonly value: number;
}

const wordsIn = (name: string): string[] =>
  name
    .split(/(?=[A-Z])|[^a-zA-Z]/)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 3);

/** The comparison, declaration or statement around a number. */
function surroundings(node: ts.Node): ts.Node {
  const { parent } = node;
  const isWhole = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node) || ts.isStatement(node);
  return isWhole || ts.isCallExpression(parent) ? node : surroundings(parent);
}

/** The limits in a file: their number where the comparison or declaration around it has a word of their name. */
export function limitsIn(text: string, limits: readonly Limit[]): string[] {
  return nodesOf(parse(text))
    .filter(ts.isNumericLiteral)
    .flatMap((node) => {
      const around = surroundings(node).getText();
      const words = wordsIn(around);
      const isNamed = limits.some(
        ({ name, value }) => value === Number(node.text) && wordsIn(name).some((word) => words.includes(word)),
      );
      return isNamed ? [around.slice(0, 80)] : [];
    });
}
