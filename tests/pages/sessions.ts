// Divides pages into what one reader does in one folder.
import { type ProvedBlock, proveBlocks } from "./blocks.ts";

/** The blocks of a page that a reader uses together, in a new folder. */
export interface Session {
  /** The page, and the heading if the page has several. */
  readonly title: string;
  readonly page: string;
  readonly blocks: readonly ProvedBlock[];
  /** The Node to use, such as `20` or `22.18`: the oldest that runs everything, by the page. */
  readonly node: string;
}

const oldestNode = 20;

/** The newest Node that a text requires. */
function nodeIn(text: string): string {
  const named = [...text.matchAll(/\bNode (\d+(?:\.\d+)?) or newer/g)].map(([, version]) => Number(version));
  return String(Math.max(oldestNode, ...named));
}

/** A part of a page that begins with `<!-- folder -->` above a heading, or with the page. Lines from 0; `to` is behind it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly level: number;
  readonly heading: string;
  readonly nodes: readonly string[];
}

function partsIn(lines: readonly string[]): Part[] {
  const marks = lines.flatMap((line, index) => (/^<!-- folder\b.* -->$/.test(line) ? [index] : []));
  return [0, ...marks].map((from, index, all) => {
    const to = all[index + 1] ?? lines.length;
    const heading = lines.slice(from, to).find((line) => /^#+ /.test(line)) ?? "";
    const level = from === 0 ? 0 : heading.indexOf(" ");
    return {
      from,
      to,
      level,
      heading: heading.replace(/^#+ /, ""),
      nodes: lines[from]?.match(/\b\d+(?:\.\d+)?/g) ?? [],
    };
  });
}

/** Adds the programs elsewhere on the page that a program imports, by their names: a reader saves them before it. */
function withImports(chosen: readonly ProvedBlock[], all: readonly ProvedBlock[]): ProvedBlock[] {
  const nameOf = ({ proof }: ProvedBlock) => (proof.kind === "file" && /([\w-]+)\.ts$/.exec(proof.path)?.[1]) || "";
  return chosen.flatMap((block) => {
    const names = [...block.text.matchAll(/ from "\.[./]*\/([\w-]+)(?:\.ts)?"/g)].map(([, name]) => name);
    return [...all.filter((one) => !chosen.includes(one) && names.includes(nameOf(one))), block];
  });
}

/**
 * The sessions of a page. A comment `<!-- folder -->` above a heading says that readers of the section start in a new folder.
 * They begin with what stands above it, in the sections that contain it. `<!-- folder, Node 20 and 24 -->` makes a session
 * with each of these.
 */
export function sessionsIn(page: string, text: string): Session[] {
  const { proved } = proveBlocks(page, text);
  const lines = text.split("\n");
  const parts = partsIn(lines);
  return parts.flatMap((part, index) => {
    const next = parts[index + 1];
    // What has sections of its own only begins them.
    if (next && next.level > part.level) return [];
    const above = parts
      .slice(0, index)
      .filter(({ level }, at) => parts.slice(at + 1, index + 1).every((one) => one.level > level));
    const own = [...above, part];
    const chosen = proved.filter(({ line }) => own.some(({ from, to }) => line > from && line <= to));
    const blocks = withImports(chosen, proved);
    const words = own.map(({ from, to }) => lines.slice(from, to).join("\n")).join("\n");
    const nodes = part.nodes.length > 0 ? part.nodes : [nodeIn(words)];
    return nodes.map((node) => ({ title: index === 0 ? page : `${page}, ${part.heading}`, page, blocks, node }));
  });
}

/** A page as readers see it. */
const withoutComments = (text: string): string => text.replace(/<!--[\s\S]*?-->/g, "");

/** A file that a reader saves. */
export interface SavedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * The file of a block: under the name that the page prints, or that of its line for a program without one. Undefined for
 * what is no file.
 *
 * @throws {Error} a mark gives a name that no reader sees
 */
export function fileOf(block: ProvedBlock, page: string): SavedFile | undefined {
  const { proof, language, line, marks, text } = block;
  // The names of Deno have types in Deno alone, where npm run check -- receiving recipes checks them.
  if (/\bDeno\./.test(text)) return undefined;
  const seen = withoutComments(page);
  if (marks.file !== undefined) {
    if (!seen.includes(marks.file)) throw new Error(`${block.page}:${line}: The page does not print ${marks.file}.`);
    return { name: marks.file, text };
  }
  const name = proof.kind === "file" ? proof.path.replace(/^.*\//, "") : undefined;
  if (name !== undefined && seen.includes(name)) return { name, text };
  // Parts of a reader's own app, which have its packages. tests/pages/code-blocks.test.ts checks them. A README shows programs.
  const isPart = name === undefined && (proof.kind !== "types" || !block.page.startsWith("packages/"));
  if (isPart || !/^m?tsx?$/.test(language)) return undefined;
  const given = proof.kind === "types" ? `${proof.given}\n` : "";
  return { name: `line-${line}.${language.replace(/^m?/, "m")}`, text: given + text };
}
