// The commands with which the pages tell customers to install packages, in blocks, in comments of programs and in sentences.
import { globSync } from "node:fs";
import { blocksIn, pages, read, root } from "./blocks.ts";

/** Programs with the word after which packages stand. `npx` and the like also run what they install. */
const installers = [
  ...["npm install", "npm i", "npm add", "pnpm add", "yarn add", "bun add", "deno add"],
  ...["pip install", "uv add", "uv pip install"],
];
const runners = ["npx", "pnpm dlx", "bunx", "uvx"];

/** A command that a page prints. */
export interface InstallCommand {
  /** As the page prints it. Of a command that also does something, what installs its package and prints the help. */
  readonly command: string;
  /** The packages without their versions; a folder begins with `./`. */
  readonly packages: readonly string[];
  readonly page: string;
}

const word = `(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s"'\`&|;()#]+)`;
const printed = new RegExp(`(?<=^|[\\s\`(])(${[...installers, ...runners].join("|")})((?: ${word})+)`, "gm");
const inSettings = /"command": "(npx)",\s*"args": \["-y", "([^"]+)"/g;

const isRunner = (command: string): boolean => runners.some((runner) => command.startsWith(`${runner} `));
const withoutQuotes = (text: string): string => text.replace(/^(["'])(.*)\1$/, "$2");

/** `@scope/name@1` and `npm:name` are the package `@scope/name` and `name`; `name[extra]` and `name~=1.0` are `name`. */
const packageOf = (named: string): string => named.replace(/^npm:/, "").replace(/^(@?[^@[~=<>!]+).*$/, "$1");

/** pip takes what has a slash for a folder; a name at npm may have one behind its scope. */
const folderOf = (program: string, named: string): string =>
  program === "pip install" && /^(?!https?:)[^@]*\//.test(named) ? named.replace(/^(?!\.)/, "./") : packageOf(named);

/** Options whose value is the next word. */
const withValue = new Set(["--prefix", "--registry", "--index-url", "-r"]);

function namedIn(words: readonly string[]): string[] {
  return words.filter((each, index) => !each.startsWith("-") && !withValue.has(words[index - 1] ?? ""));
}

/** The code of a page, in blocks and in sentences. Everything else is a program, which has them in its comments. */
function codeOf(page: string, text: string): string {
  if (!page.endsWith(".md")) return text;
  const blocks = blocksIn(page, text).map((block) => block.text);
  const sentences = text.replace(/<!--[\s\S]*?-->|^ *```[\s\S]*?^ *```$/gm, "");
  const inline = [...sentences.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll("\n", " "));
  return [...blocks, ...inline].join("\n").replace(/\\\n\s*/g, "");
}

/** The commands of a page that name packages, in order. */
export function installCommandsIn(page: string, text: string): InstallCommand[] {
  const code = codeOf(page, text);
  const found: InstallCommand[] = [];
  for (const [, program = "", rest = ""] of [...code.matchAll(printed), ...code.matchAll(inSettings)]) {
    const words = (rest.match(new RegExp(word, "g")) ?? []).map(withoutQuotes);
    const named = namedIn(words);
    if (runners.includes(program)) {
      const [first] = named;
      if (first === undefined) continue;
      const options = program === "npx" ? "--yes " : "";
      found.push({ command: `${program} ${options}${first} --help`, packages: [packageOf(first)], page });
    } else if (named.length > 0) {
      const packages = named.map((each) => folderOf(program, each));
      found.push({ command: `${program}${rest}`, packages, page });
    }
  }
  return found.filter((one) => !isInstalledBefore(one, found));
}

/** Whether a command runs what another of its page has installed: `openapi-ts` is a command of `@hey-api/openapi-ts`. */
function isInstalledBefore(
  { command, packages: [name = ""] }: InstallCommand,
  all: readonly InstallCommand[],
): boolean {
  if (!isRunner(command) || name.startsWith("@call-transfer/")) return false;
  return all.some(
    ({ command: other, packages }) =>
      other !== command && packages.some((one) => one.replace(/^@[^/]+\//, "") === name),
  );
}

/** Pages for those who work on this project, who have a clone. */
const ofDevelopers = /^(?:CONTRIBUTING\.md$|docs\/(?:architecture|releasing)\.md$|docs\/decisions\/)/;

/** Each distinct command of customers' pages and programs, by the first that has it. */
export function installCommands(): InstallCommand[] {
  const programs = globSync("examples/**/*.{ts,mjs,py,jsonc}", { cwd: root, exclude: ["**/node_modules"] }).sort();
  const texts = [...pages.filter((page) => !ofDevelopers.test(page)), "site/front.md", ...programs];
  const seen = new Set<string>();
  return texts
    .flatMap((page) => installCommandsIn(page, read(page)))
    .filter(({ command }) => !seen.has(command) && seen.add(command));
}
