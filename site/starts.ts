// The folders of the starts and of the recipes: a page's or an example's files with everything that they need beside them.
// `npm run -s site -- start call-the-api FOLDER` writes one. tests/packages/check-recipes.ts runs the recipes in theirs.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
/** The part of a text that a pattern finds. */
const part = (text: string, pattern: RegExp): string => {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined)
    throw new Error(`A page has nothing like ${pattern}, which the folders of starts and recipes need.`);
  return found;
};

type Files = Readonly<Record<string, string>>;

/** Packages with the versions that a folder installs: ours as they are here, others as this repository is tested with. */
function withVersions(names: readonly string[]): Readonly<Record<string, string>> {
  const tested = ["package.json", "examples/recipes/package.json"].map((path) => JSON.parse(read(path)));
  const versions = Object.assign(
    {},
    ...tested.flatMap(({ devDependencies, dependencies }) => [devDependencies, dependencies]),
  );
  const versionOf = (name: string): string => {
    const [, own] = /^@call-transfer\/(.+)$/.exec(name) ?? [];
    const version = own ? JSON.parse(read(`packages/${own}/package.json`)).version : versions[name];
    if (version === undefined) throw new Error(`Add ${name}, which a page installs, to examples/recipes/package.json.`);
    return `^${version}`;
  };
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, versionOf(name)]));
}

/** A package.json. The page names the oldest Node. */
const manifest = (name: string, page: string, more: object): string =>
  `${JSON.stringify({ name, private: true, engines: { node: `>=${part(page, /\bNode ([\d.]+) or newer/)}` }, ...more }, undefined, 2)}\n`;

/** The pages with a folder. */
export const starts = ["call-the-api", "receive-offers", "build-a-page", "test-an-integration"] as const;
export type Start = (typeof starts)[number];

/**
 * The files of a start by their names: those that its page prints, in both languages, and the package.json of its commands.
 *
 * @throws Error if the page has no files, or installs what this repository does not know.
 */
export function filesOfStart(start: Start): Files {
  const page = read(`docs/start/${start}.md`);
  const pattern = /^<!-- (?:file: (\S+)|examples\/python\/start\/(\S+)) -->\n\n```\w+\n([\s\S]*?)^```/gm;
  const files = [...page.matchAll(pattern)].map(([, file, python, text = ""]) => [file ?? python, text]);
  if (files.length === 0) throw new Error(`docs/start/${start}.md has no files.`);
  const commands = part(page, /^```sh\n([\s\S]*?)^```/m);
  const installed = (list: RegExp) =>
    withVersions([...commands.matchAll(list)].flatMap(([, names = ""]) => names.split(" ")));
  const isModule = commands.includes("npm pkg set type=module");
  return {
    "package.json": manifest(part(commands, /^mkdir (\S+) /m), page, {
      ...(isModule && { type: "module" }),
      dependencies: installed(/^npm install (?!--)(.+)$/gm),
      devDependencies: installed(/^npm install --save-dev (.+)$/gm),
    }),
    ".gitignore": ["node_modules", ".env", ".venv", ""].join("\n"),
    ...Object.fromEntries(files),
  };
}

interface Recipe {
  /** The files below examples/recipes, which stand beside each other in the folder. Those of Next.js keep their places. */
  readonly files: readonly string[];
  /** The commands of package.json by their names, besides `platform` and `check`. */
  readonly scripts: Readonly<Record<string, string>>;
  /** What it installs besides the packages that its files import. */
  readonly others?: readonly string[];
}

const errors = "error-response.ts";
const offers = "receive/offers.ts";
const wrangler = "wrangler.jsonc";
const byNode = (file: string): Recipe["scripts"] => ({ start: `node --env-file=.env ${basename(file)}` });
const server = (file: string, shared: string): Recipe => ({ files: [file, shared], scripts: byNode(file) });
// By npx, because wrangler has 240 MB.
const byWrangler = { start: "npx wrangler@4 dev --port 3000", deploy: "npx wrangler@4 deploy" };
const nextFolder = "nextjs/";
const next = globSync(["app/**/*.ts", "app/**/*.tsx", "tsconfig.json"], { cwd: join(root, "examples/recipes/nextjs") })
  .map((file) => nextFolder + file.replaceAll("\\", "/"))
  .sort();

/** The recipes with a folder, by name. */
export const recipes = {
  express: server("express.ts", errors),
  fastify: server("fastify.ts", errors),
  hono: server("hono.ts", errors),
  nextjs: {
    files: [...next, errors, offers],
    scripts: { dev: "next dev", build: "next build", start: "next start" },
    others: ["react-dom", "@types/react-dom"],
  },
  worker: { files: ["worker.ts", errors, wrangler], scripts: byWrangler },
  "receive-node": server("receive/node.ts", offers),
  "receive-express": server("receive/express.ts", offers),
  "receive-express-json": server("receive/express-json.ts", offers),
  "receive-fastify": server("receive/fastify.ts", offers),
  "receive-hono": server("receive/hono.ts", offers),
  "receive-worker": {
    files: ["receive/worker.ts", "receive/durable-object.ts", "receive/wrangler.jsonc"],
    scripts: byWrangler,
  },
} as const satisfies Readonly<Record<string, Recipe>>;
export type RecipeName = keyof typeof recipes;

/** Whether a name is one of a recipe with a folder. */
export const isRecipe = (name: string): name is RecipeName => Object.hasOwn(recipes, name);
/** The names of the recipes. */
export const recipeNames: readonly RecipeName[] = Object.keys(recipes).filter(isRecipe);

/** The packages that a program imports, by name. */
const importedBy = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export) .* from "((?:@[^/"]+\/)?[^."/][^/"]*)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith("node:"));

/**
 * The files of a recipe's folder by their names: its programs, package.json, tsconfig.json, and the settings of its page in
 * `.env`, where `npm run platform` adds address and credentials.
 *
 * @throws Error if a program imports a package that examples/recipes/package.json does not have, or the page has no settings.
 */
export function filesOfRecipe(name: RecipeName): Files {
  const { files, scripts, others = [] }: Recipe = recipes[name];
  const page = read("docs/recipes.md");
  const placed = Object.fromEntries(
    files.map((file) => [
      file.startsWith(nextFolder) ? file.slice(nextFolder.length) : basename(file),
      read(`examples/recipes/${file}`),
    ]),
  );
  const used = [...Object.values(placed).flatMap(importedBy), ...others, ...("dev" in scripts ? ["next"] : [])];
  const isType = (one: string): boolean => one.startsWith("@types/");
  const { dependencies: tested } = JSON.parse(read("examples/recipes/package.json"));
  const types = used.map((one) => `@types/${one}`).filter((one) => one in tested);
  const platform = part(page, /^npx @call-transfer\/mock-server (--write-env .*)$/m);
  const [, secret = "", secrets = ""] = /^echo (\S+) > (\S+)$/m.exec(page) ?? [];
  const hasSecrets = files.includes(offers);
  // A Worker has the settings of its page in wrangler.jsonc.
  const hasCall = files.includes(errors) && !files.includes(wrangler);
  const environment = [
    hasCall && part(page, /^export (FLOW_ID=.*)$/m).replace(" ", "\n"),
    hasSecrets && `CALL_TRANSFER_SIGNING_SECRETS_FILE=${secrets}`,
  ].filter(Boolean);
  return {
    "package.json": manifest(name, page, {
      type: "module",
      scripts: { platform: `call-transfer-mock ${platform}`, ...scripts, check: "tsc" },
      dependencies: withVersions(used.filter((one) => !isType(one))),
      devDependencies: withVersions([
        ...["@call-transfer/mock-server", "typescript", "@types/node"],
        ...[...types, ...used].filter(isType),
      ]),
    }),
    "tsconfig.json": part(read("docs/sdk.md"), /^<!-- file: tsconfig.json -->\n\n```json\n([\s\S]*?)^```/m),
    ".gitignore": ["node_modules", ".env", secrets, ".next", ".wrangler", ""].join("\n"),
    ...(environment.length > 0 && { ".env": `${environment.join("\n")}\n` }),
    ...(hasSecrets && { [secrets]: `${secret}\n` }),
    ...placed,
  };
}

/**
 * Writes files into a folder, and returns their names.
 *
 * @param files Their texts, by the names.
 * @throws Error if the folder has one of them: then nothing is written.
 */
export function writeFolder(files: Files, folder: string): string[] {
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
function filesOf(name: string): Files | undefined {
  const start = starts.find((one) => one === name);
  if (start !== undefined) return filesOfStart(start);
  return isRecipe(name) ? filesOfRecipe(name) : undefined;
}

/** Writes files into a folder and prints their paths, or why not. */
function writeAndPrint(files: Files, folder: string): void {
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
