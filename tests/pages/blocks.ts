// Reads the code blocks of the pages, and decides how each is proved. README.md says what authors write.
import { globSync, readFileSync } from "node:fs";

export const root = new URL("../../", import.meta.url);
export const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comments right above it: `<!-- key: value -->`, and `<!-- examples/x.ts -->` as `from`. */
  readonly marks: Readonly<Partial<Record<Mark, string>>>;
}

const marks = ["from", "file", "given", "type", "printed by", "test", "not run"] as const;
type Mark = (typeof marks)[number];

/** How a block is proved. */
export type Proof =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "types"; readonly given: string }
  | { readonly kind: "data"; readonly type: string }
  | { readonly kind: "schema" }
  | { readonly kind: "saved" }
  | { readonly kind: "commands"; readonly given: string }
  | { readonly kind: "output"; readonly of: Block }
  | { readonly kind: "printed"; readonly by: string }
  | { readonly kind: "test"; readonly path: string }
  | { readonly kind: "not run"; readonly reason: string };

export interface ProvedBlock extends Block {
  readonly proof: Proof;
}

/** The pages for readers. What tools write, such as changelogs, has no code. */
export const pages: readonly string[] = globSync(
  ["README.md", "CONTRIBUTING.md", "docs/**/*.md", "packages/*/README.md"],
  { cwd: root, exclude: (path) => /(?:^|[\\/])node_modules$/.test(path) },
)
  .map((path) => path.replaceAll("\\", "/"))
  .sort();

/** Tests that run all blocks of a language in a page. */
const testsOfPages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/mock-server-cli.md": { console: "packages/mock-server/tests/cli/cli-page.test.ts" },
};

/** Runs the programs and commands in Python of all pages, and compares what they print. */
export const pythonTest = "packages/python/tests/test_examples.py";

const programs = new Set(["ts", "tsx", "mts", "js", "jsx", "mjs"]);
const shells = new Set(["sh", "console"]);
const dataFormats = new Set(["json", "yaml"]);

/** The fenced blocks of a page in order. Throws if a fence does not end. */
export function blocksIn(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent = "", fence, language = ""] = /^( *)(```+|~~~+)(\S*)/.exec(lines[index] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (end < 0) throw new Error(`${page}:${index + 1}: This code block has no end. Add a line ${fence}.`);
    const inside = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const body = inside.map((line) => `${line}\n`).join("");
    blocks.push({ page, line: index + 1, language, text: body, marks: marksAbove(lines.slice(0, index).join("\n")) });
    index = end;
  }
  return blocks;
}

/** The comments at the end of a text. */
function marksAbove(text: string): Partial<Record<Mark, string>> {
  const found: Partial<Record<Mark, string>> = {};
  const [comments = ""] = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)+$/.exec(text) ?? [];
  for (const [, comment = ""] of comments.matchAll(/<!--([\s\S]*?)-->/g)) {
    const [, key = "", value = ""] = /^\s*([a-z ]+?):\s+([\s\S]*?)\s*$/.exec(comment) ?? [];
    const mark = marks.find((name) => name === key);
    if (mark) found[mark] = value;
    else if (/^ \S+\.\w+ $/.test(comment)) found.from = comment.trim();
  }
  return found;
}

/** How to claim a block, for messages. */
const advice =
  "Its language decides how it is proved; see tests/pages/README.md. Languages: " +
  `${[...programs, ...shells, ...dataFormats, "text"].join(", ")}`;

/** Returns whether a block is a program in Python, or commands that begin with one of Python's. */
const isPython = ({ language, text }: Block): boolean =>
  language === "python" || (language === "sh" && /^(?:pip|python|pytest)\b/.test(text));

/** Decides how a block is proved, or returns what is wrong with it. */
function proofOf(block: Block, above: Block | undefined): Proof | string {
  const { from, file, given, type, test, "printed by": by, "not run": reason } = block.marks;
  const chosen = Object.keys(block.marks).filter((mark) => mark !== "file" && mark !== "given");
  if (chosen.length > 1)
    return `It has ${chosen.length} marks that say how it is proved: ${chosen.join(", ")}. Keep one.`;
  if (from !== undefined) return { kind: "file", path: from };
  if (test !== undefined) return { kind: "test", path: test };
  if (by !== undefined) return { kind: "printed", by };
  if (reason !== undefined) return { kind: "not run", reason };
  const { language } = block;
  if (isPython(block) || (language === "text" && above && isPython(above))) return { kind: "test", path: pythonTest };
  const byPage = testsOfPages[block.page]?.[language];
  if (byPage !== undefined) return { kind: "test", path: byPage };
  if (type !== undefined)
    return dataFormats.has(language)
      ? { kind: "data", type }
      : `The mark type is for ${[...dataFormats].join(" and ")}.`;
  if (programs.has(language)) return { kind: "types", given: given ?? "" };
  if (shells.has(language)) return { kind: "commands", given: given ?? "" };
  if (dataFormats.has(language)) {
    if (language === "json" && /"\$schema": "[^"]*@call-transfer\//.test(block.text)) return { kind: "schema" };
    if (file !== undefined) return { kind: "data", type: "unknown" };
    return `Nothing proves this ${language}. Add "$schema", or <!-- type: TYPE --> above it, a type of TypeScript that it must have.`;
  }
  if (file !== undefined) return { kind: "saved" };
  if (language === "text" && above && (above.language === "sh" || above.marks.from !== undefined))
    return { kind: "output", of: above };
  if (language === "text")
    return "No program or command is right above this output. Put it there, or name the test that compares it: <!-- test: PATH -->.";
  return `Nothing proves a block of the language "${language}". ${advice}.`;
}

/** The blocks of a page with their proofs, and what is wrong with the others, as `page:line: message`. */
export function proveBlocks(page: string, text: string): { proved: ProvedBlock[]; problems: string[] } {
  const proved: ProvedBlock[] = [];
  const problems: string[] = [];
  const lines = text.split("\n");
  let above: Block | undefined;
  /** Returns whether nothing but comments is between a block and the one before it. */
  const isNextTo = (block: Block, before: Block): boolean =>
    lines
      .slice(before.line + before.text.split("\n").length, block.line - 1)
      .join("\n")
      .replace(/<!--[\s\S]*?-->/g, "")
      .trim() === "";
  for (const block of blocksIn(page, text)) {
    const proof = proofOf(block, above);
    if (typeof proof === "string") problems.push(`${page}:${block.line}: ${proof}`);
    else proved.push({ ...block, proof });
    // The same in Python has the same output.
    if (!(isPython(block) && above && !isPython(above) && isNextTo(block, above))) above = block;
  }
  return { proved, problems };
}
