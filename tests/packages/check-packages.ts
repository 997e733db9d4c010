// Packs and installs the packages and checks each one: metadata, no install scripts, guides, links by tag, no test files, maps
// that lead to published sources, the licences of contained packages, publint and are-the-types-wrong; and that a customer's
// declarations can name what the packages return. Requires built packages, and tests/lint.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Manifest } from "../../build/guides.ts";
import { licencesFile } from "../../build/licences.ts";
import { anchorsIn, relativeLinksIn } from "../../scripts/markdown.ts";
import { install, optionalPeers, pack, published, temporaryFolder } from "../../scripts/packed.ts";
import { unnameable } from "./nameable.ts";

interface PackageJson extends Manifest {
  readonly main?: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
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

/** Whether only this repository can load an entry, from sources (docs/decisions/0012). */
const isInternal = (subpath: string): boolean => subpath === "./control-client";

/** The names of the entries with types that a release promises: not those that only this repository can load. */
const entriesOf = ({ name, exports }: PackageJson): string[] =>
  Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "string" || ["./control-client", "./unstable"].includes(subpath)
      ? []
      : [`${name}${subpath.slice(1)}`],
  );

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The repository's own addresses of a package. The workflow asks for provenance: here it would fail a first publication by hand. */
const addressesOf = (source: string) => {
  const address = "https://github.com/call-transfer/call-transfer";
  return {
    homepage: `${address}/tree/main/packages/${source}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: "git", url: `git+${address}.git`, directory: `packages/${source}` },
    publishConfig: { access: "public" },
  };
};

function metadataProblems({ source, folder, description }: Installed): string[] {
  const { name, scripts = {}, dependencies = {} } = description;
  const allowed = allowedDependencies[name];
  const at = (file: string): string => {
    const path = join(folder, file);
    return existsSync(path) && statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  };
  const demands: [boolean, string][] = [
    ...["description", "keywords", "sideEffects", "engines"].map((field): [boolean, string] => [
      Object.hasOwn(description, field),
      `has no ${field}. Add it to package.json.`,
    ]),
    ...Object.entries(addressesOf(source)).map(([field, value]): [boolean, string] => [
      JSON.stringify(Reflect.get(description, field)) === JSON.stringify(value),
      `must have as ${field} ${JSON.stringify(value)}.`,
    ]),
    ...["README.md", "llms.txt"].map((file): [boolean, string] => [
      at(file) !== "" && existsSync(join(folder, "guides")),
      `has no ${file} or no guides. Add it, or the package to build/guides.ts.`,
    ]),
    [at("CHANGELOG.md").startsWith(`# ${name}\n`), "has no CHANGELOG.md titled with its name. Add one for changesets."],
    [at("LICENSE") === readFileSync(join(root, "LICENSE"), "utf8"), "has no copy of LICENSE from the root."],
    [!runsAtInstall.some((one) => one in scripts), "has an install script. Remove it."],
    [
      allowed === undefined || Object.keys(dependencies).join() === allowed.join(),
      `depends on ${Object.keys(dependencies)}. Allowed: ${allowed?.join() || "nothing"}.`,
    ],
  ];
  return demands.filter(([holds]) => !holds).map(([, problem]) => problem);
}

const fileProblems = ({ files }: Installed): string[] =>
  files.filter((path) => /\.test\./.test(path)).map((path) => `publishes the test ${path}. Leave it out of files.`);

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
      .flatMap((path) => [...readFileSync(join(folder, path), "utf8").matchAll(/ from "((?:@[^/"]+\/)?\w[\w-]*)/g)])
      .map(([, name = ""]) => name),
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

/** What is wrong with the MCP server's command, started as a client does: a tool, and a guide that the package carries. */
async function mcpProblems(project: string): Promise<string[]> {
  const command = join(project, "node_modules", ".bin", "call-transfer-mcp");
  const client = new Client({ name: "check-packed", version: "1.0.0" });
  try {
    await client.connect(new StdioClientTransport({ command, cwd: project, stderr: "ignore" }));
    const answers = [
      await client.callTool({ name: "list_roles" }),
      await client.readResource({ uri: "call-transfer://guides/placing-calls" }),
    ].map((answer) => JSON.stringify(answer));
    const isRight = answers[0]?.includes('"roles"') && answers[1]?.includes("# Placing calls safely");
    return isRight ? [] : [`answers an MCP client otherwise: ${answers.join(" ").slice(0, 2000)}`];
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
const undeclared = unnameable(
  project,
  packages.flatMap(({ description }) => entriesOf(description)),
);
for (const problem of undeclared) console.error(`Declarations cannot name ${problem}`);
if (undeclared.length > 0) process.exitCode = 1;
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
    ...lintProblems(each),
    ...(description.name === "@call-transfer/mcp" ? await mcpProblems(project) : []),
  ];
  const unpacked = files.reduce((sum, path) => sum + statSync(join(each.folder, path)).size, 0);
  const size = `${files.length} files, ${kilobytes(statSync(tarball).size)} packed, ${kilobytes(unpacked)} unpacked`;
  console.log(`${problems.length === 0 ? "ok    " : "failed"}  ${description.name.padEnd(28)} ${size}`);
  for (const problem of problems) console.error(`${description.name} ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
