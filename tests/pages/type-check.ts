// Type-checks the programs and the data of the pages in one run of the compiler.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { tsc } from "../../scripts/tsc.ts";
import { type ProvedBlock, root } from "./blocks.ts";

/** A file for the compiler. Line 1 of the block is line `offset + 1` of the file. */
interface Source {
  readonly block: ProvedBlock;
  readonly name: string;
  readonly text: string;
  readonly offset: number;
}

function sourceOf(block: ProvedBlock, index: number): Source | undefined {
  const { proof, language } = block;
  const folder = block.page.replace(/\W+/g, "-");
  const base = `${folder}/block-${index}`;
  if (proof.kind === "types") {
    const above = proof.given === "" ? "" : `${proof.given}\n`;
    // A program that is saved under a name can be imported by the next.
    const name = block.marks.file ? `${folder}/${block.marks.file}` : `${base}.${language}`;
    return { block, name, text: above + block.text, offset: above.split("\n").length - 1 };
  }
  if (proof.kind !== "data") return undefined;
  const data = language === "yaml" ? `${JSON.stringify(parse(block.text))}\n` : block.text;
  return { block, name: `${base}.ts`, text: `export const value: ${proof.type} =\n${data}`, offset: 1 };
}

const compilerOptions = {
  types: ["node", "vite/client"],
  allowJs: true,
  checkJs: true,
  moduleDetection: "force",
  noUnusedLocals: false,
};

/** The compiler's errors in the blocks, as `page:line: message`. */
export function typeErrors(blocks: readonly ProvedBlock[]): string[] {
  const folder = fileURLToPath(new URL(`.cache/code-blocks-${process.pid}/`, root));
  const sources = blocks.flatMap((block, index) => sourceOf(block, index) ?? []);
  mkdirSync(folder, { recursive: true });
  try {
    for (const { name, text } of sources) {
      mkdirSync(dirname(`${folder}${name}`), { recursive: true });
      writeFileSync(`${folder}${name}`, text);
    }
    const config = { extends: "../../tsconfig.base.json", compilerOptions, include: ["**/*"] };
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify(config));
    const options = [...tsc, "-p", folder, "--pretty", "false"];
    const { stdout, status } = spawnSync(process.execPath, options, { cwd: folder, encoding: "utf8" });
    const errors = stdout.split("\n").filter((line) => line !== "");
    if (status !== 0 && errors.length === 0) throw new Error(`The compiler ended with status ${status}.`);
    return errors.map((error) => located(error, sources));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function located(error: string, sources: readonly Source[]): string {
  const [, name, line, message] = /^(\S+?)\((\d+),\d+\): (.*)$/.exec(error) ?? [];
  const source = sources.find((one) => one.name === name);
  if (!source) return error;
  const { page, line: fence } = source.block;
  const within = Number(line) - source.offset;
  return within > 0 ? `${page}:${fence + within}: ${message}` : `${page}:${fence}: in the mark above: ${message}`;
}
