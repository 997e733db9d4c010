// The folders of the starts: what a reader of docs/start has saved and installed at the end of a page. `npm run -s site -- start
// call-the-api FOLDER` writes one, or the folder of a recipe.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOfRecipe, isRecipe, recipeNames } from "./recipes.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const dependenciesOf = (path: string): Readonly<Record<string, string>> => {
  const { version, dependencies, devDependencies } = JSON.parse(read(path));
  return { ...dependencies, ...devDependencies, version };
};

/** The pages with a folder. */
export const starts = ["call-the-api", "receive-offers", "build-a-page", "test-an-integration"] as const;
export type Start = (typeof starts)[number];

/** The version of a package that a start installs: ours as they are here, others as this repository is tested with. */
function versionOf(name: string): string {
  const [, own] = /^@call-transfer\/(.+)$/.exec(name) ?? [];
  const version = own ? dependenciesOf(`packages/${own}/package.json`).version : dependenciesOf("package.json")[name];
  if (version === undefined)
    throw new Error(`package.json has no version of ${name}, which a page in docs/start installs.`);
  return `^${version}`;
}

/** The package.json that the commands of a page leave behind. */
function manifestOf(commands: string, node: string): string {
  const install = (pattern: RegExp) => {
    const names = [...commands.matchAll(pattern)].flatMap(([, list = ""]) => list.split(" "));
    return Object.fromEntries(names.sort().map((name) => [name, versionOf(name)]));
  };
  const [, name] = /^mkdir (\S+) /m.exec(commands) ?? [];
  const manifest = {
    name,
    private: true,
    ...(commands.includes("npm pkg set type=module") && { type: "module" }),
    engines: { node: `>=${node}` },
    dependencies: install(/^npm install (?!--)(.+)$/gm),
    devDependencies: install(/^npm install --save-dev (.+)$/gm),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * The files of a start by their names: those that its page prints, in both languages, and the package.json of its commands.
 *
 * @throws Error if the page has no files, or installs what this repository does not know.
 */
export function filesOfStart(start: Start): Readonly<Record<string, string>> {
  const page = read(`docs/start/${start}.md`);
  const pattern = /^<!-- (?:file: (\S+)|examples\/python\/start\/(\S+)) -->\n\n```\w+\n([\s\S]*?)^```/gm;
  const files = [...page.matchAll(pattern)].map(([, file, python, text = ""]) => [file ?? python, text]);
  if (files.length === 0) throw new Error(`docs/start/${start}.md has no files.`);
  const [, commands = ""] = /^```sh\n([\s\S]*?)^```/m.exec(page) ?? [];
  const [, node = ""] = /\bNode ([\d.]+) or newer/.exec(page) ?? [];
  const ignored = ["node_modules", ".env", ".venv", ""].join("\n");
  return { "package.json": manifestOf(commands, node), ".gitignore": ignored, ...Object.fromEntries(files) };
}

/**
 * Writes files into a folder, and returns their names.
 *
 * @param files Their texts, by the names.
 * @throws Error if the folder has one of them: then nothing is written.
 */
export function writeFolder(files: Readonly<Record<string, string>>, folder: string): string[] {
  const there = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (there.length > 0) throw new Error(`${folder} already has ${there.join(", ")}. Name a new folder.`);
  mkdirSync(folder, { recursive: true });
  return Object.entries(files).map(([name, text]) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { flag: "wx" });
    return name;
  });
}

/** The files of a start or of a recipe; undefined for another name. */
function filesOf(name: string): Readonly<Record<string, string>> | undefined {
  const start = starts.find((one) => one === name);
  if (start !== undefined) return filesOfStart(start);
  return isRecipe(name) ? filesOfRecipe(name) : undefined;
}

/** Writes files into a folder and prints their paths, or why not. */
function writeAndPrint(files: Readonly<Record<string, string>>, folder: string): void {
  try {
    for (const file of writeFolder(files, folder)) console.log(`wrote ${join(folder, file)}`);
  } catch (error) {
    console.error(`${folder} was not written: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

if (import.meta.main) {
  const [name = "", folder = "", ...others] = process.argv.slice(2);
  const files = filesOf(name);
  if (files === undefined || folder === "" || folder.startsWith("-") || others.length > 0) {
    const names = [`Starts: ${starts.join(", ")}.`, `Recipes: ${recipeNames.join(", ")}.`];
    console.error(
      ["Name a start or a recipe, and a new folder: npm run -s site -- start NAME FOLDER.", ...names].join("\n"),
    );
    process.exitCode = 2;
  } else writeAndPrint(files, folder);
}
