// The folders of recipes: a program of examples/ with everything that it needs beside it. `npm run -s site -- start nextjs
// FOLDER` writes one. tests/packages/check-recipes.ts runs the recipes in these folders.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = (path: string, part: RegExp): string => {
  const [, text] = part.exec(read(path)) ?? [];
  if (text === undefined) throw new Error(`${path} has nothing like ${part}, which folders of recipes need.`);
  return text;
};

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

interface Versions {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The package.json of a recipe's folder. */
function manifestOf(name: RecipeName, programs: readonly string[]): string {
  const { scripts, others = [] }: Recipe = recipes[name];
  const { dependencies: tested }: Versions = JSON.parse(read("examples/recipes/package.json"));
  const versionOf = (wanted: string): string => {
    const [, own] = /^@call-transfer\/(.+)$/.exec(wanted) ?? [];
    const { version }: Partial<Versions> = own ? JSON.parse(read(`packages/${own}/package.json`)) : {};
    const found = version ?? tested[wanted];
    if (found === undefined) throw new Error(`Recipe ${name}: add ${wanted} to examples/recipes/package.json.`);
    return `^${found}`;
  };
  const withVersions = (names: readonly string[]) =>
    Object.fromEntries([...new Set(names)].sort().map((one) => [one, versionOf(one)]));
  const isType = (one: string): boolean => one.startsWith("@types/");
  const used = [...programs.flatMap(importedBy), ...others, ...("dev" in scripts ? ["next"] : [])];
  const types = used.map((one) => `@types/${one}`).filter((one) => one in tested);
  const platform = page("docs/recipes.md", /^npx (@call-transfer\/mock-server --write-env .*)$/m);
  const [, oldestNode = ""] = /\bNode ([\d.]+) or newer/.exec(read("docs/recipes.md")) ?? [];
  const manifest = {
    name,
    private: true,
    type: "module",
    engines: { node: `>=${oldestNode}` },
    scripts: {
      platform: platform.replace("@call-transfer/mock-server", "call-transfer-mock"),
      ...scripts,
      check: "tsc",
    },
    dependencies: withVersions(used.filter((one) => !isType(one))),
    devDependencies: withVersions([
      ...["@call-transfer/mock-server", "typescript", "@types/node"],
      ...[...types, ...used].filter(isType),
    ]),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * The files of a recipe's folder by their names: its programs, package.json, tsconfig.json, and the settings of its page in
 * `.env`, where `npm run platform` adds address and credentials.
 *
 * @throws Error if a program imports a package that examples/recipes/package.json does not have, or the page has no settings.
 */
export function filesOfRecipe(name: RecipeName): Readonly<Record<string, string>> {
  const { files }: Recipe = recipes[name];
  const placed = Object.fromEntries(
    files.map((file) => [
      file.startsWith(nextFolder) ? file.slice(nextFolder.length) : basename(file),
      read(`examples/recipes/${file}`),
    ]),
  );
  const programs = Object.values(placed);
  const call = page("docs/recipes.md", /^export (FLOW_ID=.*)$/m).replace(" ", "\n");
  const [, secret = "", secrets = ""] = /^echo (\S+) > (\S+)$/m.exec(read("docs/recipes.md")) ?? [];
  const hasSecrets = files.includes(offers);
  // A Worker has the settings of its page in wrangler.jsonc.
  const hasCall = files.includes(errors) && !files.includes(wrangler);
  const environment = [hasCall && call, hasSecrets && `CALL_TRANSFER_SIGNING_SECRETS_FILE=${secrets}`].filter(Boolean);
  return {
    "package.json": manifestOf(name, programs),
    "tsconfig.json": page("docs/sdk.md", /^<!-- file: tsconfig.json -->\n\n```json\n([\s\S]*?)^```/m),
    ".gitignore": ["node_modules", ".env", secrets, ".next", ".wrangler", ""].join("\n"),
    ...(environment.length > 0 && { ".env": `${environment.join("\n")}\n` }),
    ...(hasSecrets && { [secrets]: `${secret}\n` }),
    ...placed,
  };
}
