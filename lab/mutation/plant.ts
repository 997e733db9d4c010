// Plants bugs in source files and reads the tables that list them.
import { readFileSync } from "node:fs";
import ts from "typescript";

const packages = new URL("../../packages/", import.meta.url);

/** The source of a file below `packages/`. */
export const sourceOf = (file: string): string => readFileSync(new URL(file, packages), "utf8");

/** A wrong variant of one source file. */
export interface Mutant {
  readonly name: string;
  /** The heading in its table. */
  readonly group: string;
  /** The section of the specification, or the assumption, that the bug violates; empty in the table of the simulation. */
  readonly rule: string;
  /** The file, below `packages/`. */
  readonly file: string;
  /** Contract cases that match run first. */
  readonly first: RegExp;
  /** Returns the source with the bug. Throws if the source does not contain the original code. */
  readonly plant: (source: string) => string;
}

/** What caught a mutant: the case or invariant, and its message. Both are undefined if nothing did. */
export interface Outcome {
  readonly caughtBy?: string;
  readonly failure?: string;
  /** Why the mutant could not run. */
  readonly broken?: string;
}

/** A piece of code inside a named declaration. Spaces, line breaks and comments are ignored. */
export interface Address {
  readonly file: string;
  /** The function, method, property, variable, type or class that contains the code. */
  readonly within: string;
  readonly from: string;
  readonly to: string;
}

const parsedBefore = new Map<string, ts.SourceFile>();

function parse(text: string): ts.SourceFile {
  const file =
    parsedBefore.get(text) ?? ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  parsedBefore.set(text, file);
  return file;
}

/** The leaves of a syntax tree that have text. */
function tokensOf(node: ts.Node, file: ts.SourceFile): ts.Node[] {
  const children = node.getChildren(file).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc);
  if (children.length > 0) return children.flatMap((child) => tokensOf(child, file));
  return node.getWidth(file) > 0 ? [node] : [];
}

const textsOf = (text: string): string[] => {
  const file = parse(text);
  return tokensOf(file, file).map((token) => token.getText(file));
};

function* declarationsIn(node: ts.Node, name: string): Generator<ts.Node> {
  const named = (node as ts.NamedDeclaration).name;
  if (named && !ts.isIdentifier(node) && named.getText().replaceAll('"', "") === name) yield node;
  for (const child of node.getChildren()) yield* declarationsIn(child, name);
}

/** Replaces the code at an address. Throws unless the declaration contains it exactly once. */
export function replaceAt({ file, within, from, to }: Address, source: string): string {
  const parsed = parse(source);
  const declarations = [...declarationsIn(parsed, within)];
  if (declarations.length === 0)
    throw new Error(`packages/${file} declares no "${within}". Name the declaration that contains: ${from}`);
  const wanted = textsOf(from);
  const places = new Map<number, number>();
  for (const declaration of declarations) {
    if (from.startsWith("~")) {
      const part = from.slice(1);
      const end = declaration.getEnd() - part.length;
      const next = (at: number): number => source.indexOf(part, at);
      for (let at = next(declaration.getStart(parsed)); at >= 0 && at <= end; at = next(at + 1))
        places.set(at, at + part.length);
      continue;
    }
    const tokens = tokensOf(declaration, parsed);
    const texts = tokens.map((token) => token.getText(parsed));
    for (let index = 0; index + wanted.length <= texts.length; index += 1) {
      if (!wanted.every((text, offset) => texts[index + offset] === text)) continue;
      const [first, last] = [tokens[index], tokens[index + wanted.length - 1]];
      if (first && last) places.set(first.getStart(parsed), last.getEnd());
    }
  }
  const [place, ...others] = places;
  if (place === undefined || others.length > 0)
    throw new Error(`"${within}" in packages/${file} must contain this code once, not ${places.size} times: ${from}`);
  const code = source.slice(...place);
  return source.slice(0, place[0]) + to.replace(/^~/, "").replace("…", () => code) + source.slice(place[1]);
}

/**
 * Reads a table of bugs. Each line is a row: `rule name ¦ declaration ¦ code ¦ wrong code`. The rule is optional and starts
 * with § or A-. Code that starts with `~` is matched as text, for example a part of a regular expression. In wrong code,
 * `…` stands for the code. `= text` starts a group, `@ file ¦ first` a file with the cases to run first, `#` a comment.
 */
export function readTable(text: string): Mutant[] {
  let [group, file, first] = ["", "", /^/];
  return text.split("\n").flatMap((line, index) => {
    const [head = "", within, from, to, ...rest] = line.split("¦").map((cell) => cell.trim());
    const content = head.slice(2);
    if (line.startsWith("= ")) group = content;
    else if (line.startsWith("@ ")) [file, first] = [content, new RegExp(within ?? "^")];
    else if (line !== "" && !line.startsWith("#")) {
      if (!within || !from || to === undefined || rest.length > 0)
        throw new Error(
          `Line ${index + 1} of the table must be "name ¦ declaration ¦ code ¦ wrong code", not: ${line}`,
        );
      const [, rule = "", name = ""] = /^((?:§|A-)\S+)? ?(.*)$/.exec(head) ?? [];
      const address = { file, within, from, to };
      return [{ name, group, rule, file, first, plant: (source: string) => replaceAt(address, source) }];
    }
    return [];
  });
}

const tableAt = (path: string): Mutant[] => readTable(readFileSync(new URL(path, import.meta.url), "utf8"));

/** The mutants for the contract suite, and those for the simulation. */
export const contractMutants = tableAt("rules.txt");
export const simulationMutants = tableAt("../simulate/mutants.txt");

/** Returns the source of the mutant's file with the bug. Throws if the bug changes nothing. */
export function withBug({ name, file, plant }: Mutant, source: string): string {
  const planted = plant(source);
  if (planted === source) throw new Error(`${name}: the bug changes nothing in packages/${file}`);
  return planted;
}
