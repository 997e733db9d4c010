// Bundles tests of the sources so that each published module that they import is the installed package, and Node 20 can load them.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { install, optionalPeers, pack, published, tools } from "../../../scripts/packed.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const packages = join(root, "packages") + sep;

/** Packages whose sources must not be in a bundle. Of the suite, the data for its targets may. */
const neverBundled = ["backend", "mcp", "mock-server", "sdk", "spec"];

interface Description {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly "@call-transfer/source": string }>>;
}

/** The published name of each entry's source, by its path. */
const entries = new Map(
  readdirSync(packages).flatMap((name) => {
    const path = join(packages, name, "package.json");
    if (!existsSync(path)) return [];
    const { name: published, exports = {} } = JSON.parse(readFileSync(path, "utf8")) as Description;
    return Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [[join(packages, name, target["@call-transfer/source"]), published + subpath.slice(1)] as const],
    );
  }),
);

/** What a source is published as: by its own entry, that of its folder, or the first of its package. */
function publishedAs(path: string): string | undefined {
  const [name = "", source, ...parts] = relative(packages, path).split(sep);
  if (source !== "src" || !neverBundled.includes(name)) return undefined;
  const candidates = [path, join(packages, name, "src", `${parts[0]}.ts`), join(packages, name, "src/index.ts")];
  return candidates.flatMap((candidate) => entries.get(candidate) ?? [])[0];
}

/** A name that the entry does not export fails when Node loads the bundle. */
const installed: Plugin = {
  name: "installed packages",
  setup(bundle) {
    bundle.onResolve({ filter: /\/suite\/run\.ts$/ }, () => ({ path: "@call-transfer/contract", external: true }));
    // Taken in: importing JSON still warns on Node 20.
    bundle.onResolve({ filter: /^@call-transfer\/spec\/openapi\.json$/ }, () => ({
      path: join(packages, "spec/openapi.json"),
    }));
    bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const published = publishedAs(join(resolveDir, path));
      return published === undefined ? undefined : { path: published, external: true };
    });
  },
};

/** Writes tests, given by their paths in this repository, into a project, each in the same place. Returns their paths there. */
export async function bundleTests(project: string, tests: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: tests.map((test) => join(root, test)),
    outdir: project,
    outbase: root,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    metafile: true,
    absWorkingDir: root,
    logLevel: "error",
    plugins: [installed],
  });
  const outputs = Object.entries(metafile.outputs);
  for (const { path } of outputs.flatMap(([, { imports }]) => imports)) linkTool(project, path);
  return outputs.map(([path]) => join(root, path));
}

/** Links what tests run with, such as Vitest, to this repository's copy. Our own packages are installed. */
function linkTool(project: string, specifier: string): void {
  const [name] = /^(?:@[^/]+\/)?[^/:]+(?=\/|$)/.exec(specifier) ?? [];
  if (name === undefined || name.startsWith("@call-transfer")) return;
  const place = join(project, "node_modules", name);
  const found = [root, tools, join(root, "tests/receiving")]
    .map((folder) => join(folder, "node_modules", name))
    .find((path) => existsSync(path));
  if (found === undefined || existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(found, place, "junction");
}

/** Installs all packages from their tarballs in a new project of a folder. Returns its path. */
export function installPacked(folder: string): string {
  const project = join(folder, "customer");
  install(project, pack(folder, published));
  for (const name of ["msw", ...Object.keys(optionalPeers(published))]) linkTool(project, name);
  // Where the tests look for the vectors, which are published too.
  mkdirSync(join(project, "packages"));
  symlinkSync(join(project, "node_modules/@call-transfer/contract"), join(project, "packages/contract"), "junction");
  return project;
}
