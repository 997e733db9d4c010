const width = 90;

/** A declaration in lines of at most 90 columns, where parameters or the parts of a union allow it. */
export function layOut(code: string): string {
  const line = code
    .replace(/\s+/g, " ")
    .replace(/([<([=]) \| /g, (_, before: string) => (before === "=" ? "= " : before))
    .replace(/\( /g, "(")
    .replace(/ \)/g, ")")
    .trim();
  if (line.length <= width) return line;
  if (/^type /.test(line)) return unionIn(line) ?? code;
  return /^(?:function|new |[\w.]+(?:<.*>)?\()/.test(line) ? (parametersIn(line) ?? code) : code;
}

/** A type alias with one part of its union a line. */
function unionIn(line: string): string | undefined {
  const start = line.indexOf(" = ");
  const parts = split(line.slice(start + 3), " | ");
  return start > 0 && parts.length > 1
    ? `${line.slice(0, start)} =${parts.map((part) => `\n  | ${part}`).join("")}`
    : undefined;
}

/** A signature with one parameter a line. */
function parametersIn(line: string): string | undefined {
  const open = split(line, "(")[0]?.length ?? 0;
  const close = closing(line, open);
  const parameters = split(line.slice(open + 1, close), ", ");
  if (close < 0 || parameters.join("") === "") return undefined;
  return `${line.slice(0, open)}(${parameters.map((parameter) => `\n  ${parameter},`).join("")}\n${line.slice(close)}`;
}

/** The parts of a text between separators that stand outside of brackets. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
    }
    depth += depthOf(text, at);
  }
  return [...parts, text.slice(from)];
}

/** The place of the bracket that closes the one at a place; -1 if there is none. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    depth += depthOf(text, at);
    if (depth === 0) return at;
  }
  return -1;
}

function depthOf(text: string, at: number): number {
  const character = text[at] ?? "";
  if ("([{<".includes(character)) return 1;
  return ")]}".includes(character) || (character === ">" && text[at - 1] !== "=") ? -1 : 0;
}
