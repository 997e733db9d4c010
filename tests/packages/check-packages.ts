// Packs and installs the packages and checks each one: metadata, no install scripts, guides, links by tag, files, no test files,
// source maps lead to published sources, declarations of programs can name every type, the licences of contained packages are published, publint and are-the-types-wrong
// pass. Requires built packages, and tests/lint.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import ts from "typescript";
import type { Manifest } from "../../build/guides.ts";
import { licencesFile } from "../../build/licences.ts";
import { asModules } from "../../build/options.ts";
import { anchorsIn, relativeLinksIn } from "../../scripts/markdown.ts";
import { install, optionalPeers, pack, published, temporaryFolder } from "../../scripts/packed.ts";
import { unnameable } from "./nameable.ts";

interface PackageJson {
  name: string;
  description: string;
  private?: boolean;
  main?: string;
  exports: Record<string, string | Record<string, unknown>>;
  bin?: Record<string, string>;
  version: string;
  repository: { url: string; directory?: string };
  homepage?: string;
  bugs?: { url?: string };
  publishConfig?: { access?: string; provenance?: boolean };
  keywords?: unknown[];
  sideEffects?: unknown;
  engines?: { node?: string };
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
}

interface Installed {
  /** Name of the folder in packages/. */
  readonly source: string;
  readonly folder: string;
  readonly tarball: string;
  readonly description: PackageJson;
  /** Every file, relative to `folder`. */
  readonly files: readonly string[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const commandWithinMs = 600_000;
const runsAtInstall = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "dependencies"];
/** The only dependencies that some packages may have. */
const allowedDependencies: Readonly<Record<string, readonly string[]>> = {
  "@call-transfer/spec": [],
  "@call-transfer/sdk": ["openapi-fetch"],
};

/** The sources and the build of the mock server's page, which browsers load and no code imports. */
const pageFolder = "/inspector/";

/** The names of the entries with types that a release promises. */
const entriesOf = ({ name, exports }: PackageJson): string[] =>
  Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "string" || isInternal(subpath) || subpath === "./unstable" ? [] : [`${name}${subpath.slice(1)}`],
  );

/** Whether only this repository can load an entry, from sources (docs/decisions/0012). */
const isInternal = (subpath: string): boolean => subpath === "./control-client";

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The web address of the repository. */
const pageOf = ({ repository }: PackageJson): string | undefined => /^git\+(https:.+)\.git$/.exec(repository.url)?.[1];

function metadataProblems({ source, folder, description }: Installed): string[] {
  const {
    repository,
    homepage,
    bugs,
    publishConfig,
    keywords,
    sideEffects,
    engines,
    scripts = {},
    dependencies = {},
  } = description;
  const allowed = allowedDependencies[description.name];
  const licence = join(folder, "LICENSE");
  const page = pageOf(description);
  const changelog = join(folder, "CHANGELOG.md");
  const demands: [boolean, string][] = [
    [
      repository.directory === `packages/${source}` && page !== undefined,
      "has a wrong or no repository. Set repository.url and repository.directory.",
    ],
    [
      homepage === `${page}/tree/main/packages/${source}#readme`,
      "has a wrong or no homepage. Link its folder in the repository.",
    ],
    [bugs?.url === `${page}/issues`, "has a wrong or no bugs.url. Link the issues of the repository."],
    [Boolean(description.description), "has no description. Add one."],
    [
      // The workflow asks for provenance. In publishConfig, it would fail a first publication by hand.
      publishConfig?.access === "public" && publishConfig.provenance === undefined,
      "must have publishConfig.access public, and no publishConfig.provenance.",
    ],
    [(keywords?.length ?? 0) > 0, "has no keywords. Add some."],
    [sideEffects !== undefined, "has no sideEffects. Add it to package.json."],
    [engines?.node !== undefined, "has no engines.node. Add the lowest Node version."],
    ...["README.md", "llms.txt", "guides"].map((name): [boolean, string] => [
      existsSync(join(folder, name)),
      `has no ${name}. Add it, or the package to build/guides.ts.`,
    ]),
    [
      existsSync(changelog) && readFileSync(changelog, "utf8").startsWith(`# ${description.name}\n`),
      "has no CHANGELOG.md titled with its name. Add one for changesets.",
    ],
    [
      existsSync(licence) && readFileSync(licence, "utf8") === readFileSync(join(root, "LICENSE"), "utf8"),
      "has no copy of the licence. Copy LICENSE from the root.",
    ],
    [!runsAtInstall.some((name) => name in scripts), "has an install script. Remove it."],
    [
      allowed === undefined || Object.keys(dependencies).join() === allowed.join(),
      `depends on ${Object.keys(dependencies)}. Allowed: ${allowed?.join() || "nothing"}.`,
    ],
  ];
  return demands.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** Files that a page names in HTML, in styles, or with a query that tells Vite how to take them in. */
const fileInPage = /["'](\.{1,2}\/[\w./-]+)(?:\?[\w&]+)?["']/g;

/** What a source names as imports: files by relative paths, and packages. */
function importsOf(path: string): string[] {
  const text = ts.sys.readFile(path) ?? "";
  const { importedFiles } = ts.preProcessFile(text, true, true);
  // The compiler's search misses some of these.
  const later = [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, file = ""]) => file);
  const inPage = path.includes(pageFolder) ? [...text.matchAll(fileInPage)].map(([, file = ""]) => file) : [];
  return [...importedFiles.map(({ fileName }) => fileName), ...later, ...inPage];
}

/** A source and every file that it imports relatively, also indirectly. */
function filesFrom(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const name of importsOf(entry))
    if (name.startsWith(".")) filesFrom(resolve(dirname(entry), name.replace(/\?.*/, "")), found);
  return found;
}

/** Sources that a build puts in the place of modules of a dependency. */
const inPlace = Object.values(asModules).flatMap(
  (path) => /[\\/]packages[\\/][^\\/]+[\\/](src[\\/].+)$/.exec(path)?.[1] ?? [],
);

/** Published sources that no entry point or command imports, such as a test client. */
function unreachedSources({ folder, description: { exports, bin = {} }, files }: Installed): string[] {
  const entries = [
    ...Object.values(exports).flatMap((target) =>
      typeof target === "string" ? [] : [target["@call-transfer/source"]],
    ),
    ...Object.values(bin).map((path) => path.replace(/^\.\/dist\/(.+)\.js$/, "src/$1.ts")),
    ...files.filter((path) => path === `src${pageFolder}index.html` || inPlace.includes(path)),
  ];
  const reached = entries.flatMap((entry) => [...filesFrom(join(folder, String(entry)))]);
  return files.filter(
    (path) => path.startsWith("src/") && !path.endsWith(".d.ts") && !reached.includes(join(folder, path)),
  );
}

function fileProblems(installed: Installed): string[] {
  const tests = installed.files.filter((path) => /\.test\./.test(path));
  return [
    ...tests.map((path) => `publishes the test ${path}. Leave it out of files.`),
    ...unreachedSources(installed).map(
      (path) => `publishes ${path}, which no entry point imports. Leave it out of files.`,
    ),
  ];
}

/** Code without a source map, and maps with sources that are neither in the map, nor in the package, nor in a dependency. */
function mapProblems({ folder, files }: Installed): string[] {
  const code = files.filter((path) => /^dist\/.*\.c?js$/.test(path) && !path.startsWith(`dist${pageFolder}`));
  return code.flatMap((path) => {
    const map = join(folder, `${path}.map`);
    if (!existsSync(map)) return [`publishes ${path} without a source map. Turn on sourcemap in its build.`];
    const { sources, sourcesContent = [] } = readJson(map) as { sources: string[]; sourcesContent?: (string | null)[] };
    const lost = sources.filter(
      (source, index) => typeof sourcesContent[index] !== "string" && !existsSync(join(dirname(map), source)),
    );
    return lost.map((source) => `maps ${path} to the missing file ${source}. Publish it or correct the map.`);
  });
}

/** Packages of others whose code is in the package, as its maps and the sources of its page say, without their licence. */
function licenceProblems({ folder, files }: Installed): string[] {
  const maps = files.filter((path) => /^dist\/.*\.map$/.test(path)).map((path) => join(folder, path));
  const sources = maps.flatMap((map) =>
    (readJson(map) as { sources: string[] }).sources.map((source) => join(dirname(map), source)),
  );
  const contained = new Set([
    ...sources.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
    ...files
      .filter((path) => path.startsWith(`src${pageFolder}`))
      .flatMap((path) => importsOf(join(folder, path)))
      .flatMap((name) => /^(?:@[^/]+\/)?[\w-]+/.exec(name)?.[0] ?? []),
  ]);
  const notices = join(folder, licencesFile);
  const text = existsSync(notices) ? readFileSync(notices, "utf8") : "";
  return [...contained]
    .filter((name) => !name.startsWith("@call-transfer/") && !text.includes(`\n## ${name} `))
    .map((name) => `contains code of ${name} without its licence. Add the plugin of build/licences.ts to its build.`);
}

/**
 * Follows every link in the pages of a package: those to its own files, and those to the repository, which must name the tag
 * of its version. Returns the broken ones.
 *
 * @param root The repository, as it is at that tag.
 * @param folder The unpacked package.
 */
function brokenLinks(root: string, folder: string, { name, version, repository }: Manifest): string[] {
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  const leadsTo = (file: string, anchor: string): boolean =>
    existsSync(file) && (anchor === "" || !file.endsWith(".md") || anchorsIn(readFileSync(file, "utf8")).has(anchor));
  const byTag = (link: string): boolean => {
    const [, tag, path = "", anchor = ""] = /^(?:blob|tree|raw)\/((?:@[^/]+\/)?[^/]+)\/([^#]*)#?(.*)$/.exec(link) ?? [];
    return tag === `${name}@${version}` && leadsTo(join(root, path), anchor);
  };
  return globSync(["*.md", "llms.txt", "guides/*.md"], { cwd: folder }).flatMap((page) => {
    const text = readFileSync(join(folder, page), "utf8");
    const absolute = [...text.matchAll(/https:\/\/[^\s()<>"\]]+/g)].map(([link]) => link);
    const inRepository = absolute
      .filter((link) => link.startsWith(`${address}/`))
      .map((link) => link.slice(address.length + 1))
      .filter((link) => /^(?:blob|tree|raw)\//.test(link));
    const relative = relativeLinksIn(text).filter((link) => {
      const [, path = "", anchor = ""] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
      return !leadsTo(path === "" ? join(folder, page) : join(folder, dirname(page), path), anchor);
    });
    return [...relative, ...inRepository.filter((link) => !byTag(link))].map((link) => `${page}: ${link}`);
  });
}

/** What is wrong with the MCP server's command, started as a client does: a tool of the API, one of the mock, and a guide. */
async function mcpProblems(project: string): Promise<string[]> {
  const command = join(project, "node_modules", ".bin", "call-transfer-mcp");
  const client = new Client({ name: "check-packed", version: "1.0.0" });
  try {
    await client.connect(new StdioClientTransport({ command, cwd: project, stderr: "ignore" }));
    const { structuredContent: roles } = await client.callTool({ name: "list_roles" });
    const { structuredContent: clock } = await client.callTool({ name: "mock_get_clock" });
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: "call-transfer://guides/placing-calls" });
    return [
      ...(resources.length > 30 && JSON.stringify(contents).includes("# Placing calls safely")
        ? []
        : ["does not serve the guides that it carries. Read them with an MCP client."]),
      ...(Object.hasOwn(Object(roles), "roles") ? [] : ["answers list_roles without roles. Run the command by hand."]),
      ...(Object.hasOwn(Object(clock), "now")
        ? []
        : ["answers mock_get_clock without a time. Run the command by hand."]),
    ];
  } catch (error) {
    return [`does not serve an MCP client: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await client.close();
  }
}

/** What the linters of tests/lint say of a tarball. */
function lintProblems({ tarball, description }: Installed): string[] {
  const profile = description.main === undefined ? "esm-only" : "strict";
  const left = Object.keys(description.exports).filter(isInternal);
  const leaving = left.length > 0 ? ["--exclude-entrypoints", ...left] : [];
  const runs = [
    ["publint", "run", tarball, "--strict", "--level", "suggestion"],
    ["attw", tarball, "--no-color", "--no-emoji", "--profile", profile, ...leaving],
  ] as const;
  return runs.flatMap(([command, ...options]) => {
    const program = join(root, "tests/lint/node_modules/.bin", command);
    const env = { ...process.env, NO_COLOR: "1" };
    const { status, stdout, stderr } = spawnSync(program, options, { env, encoding: "utf8", timeout: commandWithinMs });
    // publint succeeds where it only suggests something.
    return status === 0 && !stdout.includes("Suggestions:") ? [] : [`${command}: ${stdout}${stderr}`];
  });
}

const workspaceVersion = (name: string): string =>
  (readJson(join(root, "node_modules", name, "package.json")) as PackageJson).version;

/** Packs every public package and puts all of them into one project. */
function installAll(folder: string): { project: string; packages: Installed[] } {
  const tarballs = pack(folder, published);
  const project = join(folder, "customer");
  // The workspace's own versions: check consumers takes the newest in range.
  const peers = Object.keys(optionalPeers(published)).map((name) => [name, workspaceVersion(name)]);
  install(project, tarballs, Object.fromEntries(peers));
  const packages = published.map((source): Installed => {
    const { name } = readJson(join(root, "packages", source, "package.json")) as PackageJson;
    const installed = join(project, "node_modules", name);
    return {
      source,
      folder: installed,
      tarball: join(folder, tarballs[name] ?? ""),
      description: readJson(join(installed, "package.json")) as PackageJson,
      files: readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((path) =>
        statSync(join(installed, path)).isFile(),
      ),
    };
  });
  return { project, packages };
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;

using folder = temporaryFolder("packages");
const { project, packages } = installAll(folder.path);
const unnamed = unnameable(
  project,
  packages.flatMap(({ description }) => entriesOf(description)),
);
for (const each of packages) {
  const { description, files, tarball } = each;
  const problems = [
    ...metadataProblems(each),
    ...fileProblems(each),
    ...brokenLinks(root, each.folder, description).map(
      (link) => `has a broken link in ${link}. Correct it in docs/ or README.md.`,
    ),
    ...mapProblems(each),
    ...licenceProblems(each),
    ...unnamed
      .filter((one) => entriesOf(description).some((entry) => one.startsWith(`${entry}: `)))
      .map((one) => `exports what declarations cannot name: ${one}`),
    ...lintProblems(each),
    ...(description.name === "@call-transfer/mcp" ? await mcpProblems(project) : []),
  ];
  const unpacked = files.reduce((sum, path) => sum + statSync(join(each.folder, path)).size, 0);
  const size = `${files.length} files, ${kilobytes(statSync(tarball).size)} packed, ${kilobytes(unpacked)} unpacked`;
  console.log(`${problems.length === 0 ? "ok    " : "failed"}  ${description.name.padEnd(28)} ${size}`);
  for (const problem of problems) console.error(`${description.name} ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
