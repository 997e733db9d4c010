import { typescriptLanguage } from "@codemirror/lang-javascript";

/**
 * Marks what a program awaits with its line: `await call()` becomes `await __at(12, call())`. An error that an SDK's promise
 * rejects with has no stack that leads to the program, so this is how its line is found. No line changes its number.
 */
export function markAwaits(source: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  let hasMistake = false;
  let line = 1;
  let seen = 0;
  typescriptLanguage.parser.parse(source).iterate({
    enter({ type, node }) {
      hasMistake ||= type.isError;
      if (type.name !== "UnaryExpression" && type.name !== "AwaitExpression") return;
      const operand = node.lastChild;
      if (node.firstChild?.name !== "await" || operand === null) return;
      line += source.slice(seen, node.from).split("\n").length - 1;
      seen = node.from;
      insertions.push({ at: operand.from, text: `__at(${line}, ` }, { at: operand.to, text: ")" });
    },
  });
  if (hasMistake) return source;
  // The last first, so that the places before it stay.
  return insertions
    .sort((one, other) => other.at - one.at)
    .reduce((marked, { at, text }) => marked.slice(0, at) + text + marked.slice(at), source);
}
