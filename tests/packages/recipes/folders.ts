// Writes the folders of recipes as `npm run -s site -- start NAME FOLDER` does, to run the recipes in them.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { filesOfRecipe, type RecipeName, recipeNames, writeFolder } from "../../../site/starts.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const kept = join(root, ".cache/recipes");
const installed = join(root, "examples/recipes/node_modules");

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Next.js refuses links that lead out of its root, so here the root is the repository's. What it has compiled before is kept.
 * In a reader's folder there are no links.
 */
const nextConfig = `export default { turbopack: { root: ${JSON.stringify(root)} } };\n`;

const written = new Map<RecipeName, string>();

/**
 * Writes the folder of a recipe at the first use, with links to the packages that its package.json names and to no others.
 * Returns its path.
 *
 * @throws {Error} one of them is not installed in examples/recipes
 */
export function recipeFolder(name: RecipeName): string {
  const folder = written.get(name) ?? write(name);
  written.set(name, folder);
  return folder;
}

function write(name: RecipeName): string {
  const folder = join(kept, name);
  const files = filesOfRecipe(name);
  for (const file of ["node_modules", "app", "next.config.mjs", ...Object.keys(files)])
    rmSync(join(folder, file), { recursive: true, force: true });
  writeFolder(files, folder);
  const { dependencies, devDependencies } = manifestIn(folder);
  for (const one of Object.keys({ ...dependencies, ...devDependencies })) {
    // A program of its own, which the recipes do not import.
    if (one === "@call-transfer/mock-server") continue;
    const [from, to] = [join(installed, one), join(folder, "node_modules", one)];
    if (!existsSync(from)) throw new Error(`${one} is not in ${installed}.`);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to, "junction");
  }
  if ("next" in dependencies) writeFileSync(join(folder, "next.config.mjs"), nextConfig);
  return folder;
}

/** The command of `npm start` in a folder, for Node. */
export function startCommand(folder: string): readonly string[] {
  const [program = "", ...options] = (manifestIn(folder).scripts.start ?? "").split(" ");
  if (program !== "node") throw new Error(`${folder} does not start with Node.`);
  return [process.execPath, ...options];
}

/** A project of TypeScript with all folders, for one run of the compiler; those of Next.js are checked by its build. */
export function projectOfFolders(): string {
  const names = recipeNames.filter((name) => name !== "nextjs");
  for (const name of names) recipeFolder(name);
  const options: unknown = JSON.parse(filesOfRecipe("express")["tsconfig.json"] ?? "");
  const project = join(kept, "tsconfig.json");
  const include = names.map((name) => `${name}/*.ts`);
  writeFileSync(project, JSON.stringify({ ...Object(options), include }));
  return project;
}
