// `npm run add FOLDER [packages]`: packs the packages of this clone and installs them in another folder with its own package
// manager, until they are on npm. Only FOLDER changes. Each tarball has a digest in its name, so that lockfiles and caches of
// package managers notice changed sources under an unchanged version. Requires built packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pack, published, temporaryFolder } from "./packed.ts";
import { packFolders } from "./tarballs.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const scope = "@call-transfer/";
/** The tarballs in the other folder. They belong into its repository if the lockfile does. */
const vendor = ".call-transfer";
const usual = ["sdk", "mock-server"] as const;
/** Packages that programs import in production. The others are for development and tests. */
const forProduction = new Set(["sdk", "spec"]);
const isWindows = process.platform === "win32";

export const managers = ["npm", "pnpm", "yarn", "bun"] as const;
export type Manager = (typeof managers)[number];

// Names instead of options where possible: `npm run` takes them without `--`, which PowerShell drops.
const usage = `Usage: npm run add FOLDER [packages] [-- --with npm|pnpm|yarn|bun] [--python VENV]

Installs packages of this clone in FOLDER, by default ${usual.join(" and ")}. Run it again after a change of the sources.
  packages       ${published.join(", ")}; python is short for --python .venv
  --with NAME    the package manager; by default the one of FOLDER
  --python VENV  the Python client, into a virtual environment in FOLDER, which is made if it is missing`;

/** The text of a mistake on the command line. */
class UsageError extends Error {}

type Dependencies = Readonly<Record<string, string>>;
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly packageManager?: string;
  readonly workspaces?: unknown;
  readonly dependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
  readonly peerDependencies?: Dependencies;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

const manifestIn = (folder: string): Manifest | undefined => {
  const path = join(folder, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Manifest) : undefined;
};

const lockfiles: Readonly<Record<string, Manager>> = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "pnpm-workspace.yaml": "pnpm",
  "yarn.lock": "yarn",
  ".yarnrc.yml": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
};

/** The package manager of a folder, or of the workspace that it is in; npm if neither says. */
export function managerOf(folder: string): Manager {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const manifest = manifestIn(place);
    // A lockfile further up that belongs to no workspace is a stray one.
    if (
      place === resolve(folder) ||
      manifest?.workspaces !== undefined ||
      existsSync(join(place, "pnpm-workspace.yaml"))
    ) {
      const named = managers.find((name) => manifest?.packageManager?.startsWith(`${name}@`));
      const found = named ?? Object.entries(lockfiles).find(([file]) => existsSync(join(place, file)))?.[1];
      if (found !== undefined) return found;
    }
    if (place === dirname(place)) return "npm";
  }
}

/** Packages by their folders with those that they need. */
function withNeeded(names: readonly string[]): string[] {
  const needed = names.flatMap((name) => Object.keys(manifestIn(join(root, "packages", name))?.dependencies ?? {}));
  const all = [
    ...new Set([...names, ...needed.filter((name) => name.startsWith(scope)).map((name) => name.slice(scope.length))]),
  ];
  return all.length === names.length ? all : withNeeded(all);
}

/**
 * Package manifests for an install without npm. What a package needs of ours becomes a peer, which FOLDER has: every package
 * manager then takes the tarball there, without overrides at the root of a workspace. A peer that one of the others brings
 * along, such as zod, becomes a dependency, because that one no longer stands between FOLDER and the package.
 */
export function asPeers(manifests: readonly Manifest[]): Manifest[] {
  const versions = new Map(manifests.map(({ name, version }) => [name, version]));
  const brought = new Set(manifests.flatMap(({ dependencies }) => Object.keys(dependencies ?? {})));
  return manifests.map((manifest) => {
    const dependencies: Record<string, string> = {};
    const peerDependencies: Record<string, string> = {};
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      const version = versions.get(name);
      if (version === undefined) dependencies[name] = range;
      else peerDependencies[name] = version;
    }
    for (const [name, range] of Object.entries(manifest.peerDependencies ?? {}))
      (brought.has(name) ? dependencies : peerDependencies)[name] ??= range;
    const metas = Object.entries(manifest.peerDependenciesMeta ?? {}).filter(([name]) => name in peerDependencies);
    return { ...manifest, dependencies, peerDependencies, peerDependenciesMeta: Object.fromEntries(metas) };
  });
}

/** Writes tarballs of packages into a folder of FOLDER, and removes those of earlier runs. Returns their files by package name. */
function writeTarballs(folder: string, names: readonly string[]): Dependencies {
  using temporary = temporaryFolder("add");
  const tarballs = pack(temporary.path, names);
  const folders = Object.entries(tarballs).map(([name, file]) => {
    const unpacked = join(temporary.path, name.slice(scope.length));
    mkdirSync(unpacked);
    const tar = spawnSync("tar", ["-xzf", `../${file}`, "--strip-components=1"], { cwd: unpacked, encoding: "utf8" });
    if (tar.status !== 0) throw new Error(`tar cannot unpack ${file}. ${tar.error?.message ?? tar.stderr}`);
    return unpacked;
  });
  const manifests = asPeers(folders.map((each) => manifestIn(each) ?? {}));
  for (const [index, manifest] of manifests.entries())
    writeFileSync(join(folders[index] ?? "", "package.json"), JSON.stringify(manifest, null, 2));
  const target = join(temporary.path, "packed");
  mkdirSync(target);
  const files = Object.entries(packFolders(folders, target)).map(([name, file]) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(target, file)))
      .digest("hex")
      .slice(0, 10);
    return [name, `${file.replace(/^call-transfer-|\.tgz$/g, "")}-${digest}.tgz`, join(target, file)] as const;
  });
  mkdirSync(join(folder, vendor), { recursive: true });
  for (const old of readdirSync(join(folder, vendor)))
    if (old.endsWith(".tgz") && !files.some(([, file]) => file === old)) rmSync(join(folder, vendor, old));
  for (const [, file, from] of files) copyFileSync(from, join(folder, vendor, file));
  return Object.fromEntries(files.map(([name, file]) => [name, `file:${vendor}/${file}`]));
}

/** The text of a package.json with packages added. One that is there stays a dependency of the kind that it is. */
export function withPackages(text: string, packages: Dependencies, asked: readonly string[]): string {
  const manifest = JSON.parse(text) as Manifest;
  const next = { dependencies: { ...manifest.dependencies }, devDependencies: { ...manifest.devDependencies } };
  for (const [name, file] of Object.entries(packages)) {
    const isNew = !(name in next.dependencies) && !(name in next.devDependencies);
    const short = name.slice(scope.length);
    const isProduction = isNew ? asked.includes(short) && forProduction.has(short) : name in next.dependencies;
    next[isProduction ? "dependencies" : "devDependencies"][name] = file;
  }
  const kinds = Object.entries(next).filter(([, each]) => Object.keys(each).length > 0);
  const sorted = kinds.map(([kind, each]) => [kind, Object.fromEntries(Object.entries(each).sort())]);
  const [, indent = "  "] = /^\{\r?\n([ \t]+)/.exec(text) ?? [];
  return `${JSON.stringify({ ...manifest, ...Object.fromEntries(sorted) }, null, indent)}\n`;
}

/** The packages of ours that a folder already has. They must be of the same sources. */
const presentIn = ({ dependencies, devDependencies }: Manifest): string[] =>
  Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => name.startsWith(scope))
    .map((name) => name.slice(scope.length))
    .filter((name) => published.includes(name));

/** The environment of the caller, without what `npm run` sets for scripts of this clone. */
function callersEnvironment(): NodeJS.ProcessEnv {
  const ofRun =
    /^(?:npm_(?!config_)|npm_config_(?:local_prefix|global_prefix|npm_version|node_gyp|noproxy|loglevel)$|NODE$|INIT_CWD$)/;
  const kept = Object.entries(process.env).filter(([name]) => !ofRun.test(name));
  const isPath = ([name]: readonly [string, unknown]) => name.toUpperCase() === "PATH";
  const withoutRun = (path = "") =>
    path
      .split(delimiter)
      .filter((each) => !/node_modules[\\/]\.bin$|node-gyp-bin$/.test(each))
      .join(delimiter);
  const paths = kept.filter(isPath).map(([name, path]) => [name, withoutRun(path)]);
  // In CI, Yarn refuses to change a lockfile.
  return { ...Object.fromEntries([...kept, ...paths]), YARN_ENABLE_IMMUTABLE_INSTALLS: "false" };
}

/** Runs a program in FOLDER, with its output. */
function runThere(folder: string, program: string, options: readonly string[], advice: string): void {
  console.log(`\n> ${[program, ...options].join(" ")}`);
  // Windows starts package managers, which are scripts, through its shell only.
  const shell = isWindows && !program.includes("\\");
  const { status, error } = spawnSync(program, options, {
    cwd: folder,
    env: callersEnvironment(),
    stdio: "inherit",
    shell,
  });
  if (status === 0) return;
  const reason =
    error === undefined ? `${program} ended with status ${status}.` : `${program} did not start (${error.message}).`;
  throw new Error(`${reason} ${advice}`);
}

const installing: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["install", "--no-audit", "--no-fund"],
  pnpm: ["install", "--no-frozen-lockfile"],
  yarn: ["install"],
  bun: ["install"],
};

function addPackages(folder: string, names: readonly string[], manager: Manager): void {
  const path = join(folder, "package.json");
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const name =
      basename(folder)
        .toLowerCase()
        .replace(/[^a-z0-9-]+/g, "-")
        .replace(/^-+/, "") || "app";
    writeFileSync(path, JSON.stringify({ name, version: "1.0.0", private: true, type: "module" }, null, 2));
    // Without one, Yarn takes a project further up for this one's.
    if (manager === "yarn") writeFileSync(join(folder, "yarn.lock"), "");
  }
  const text = readFileSync(path, "utf8");
  const all = withNeeded([...new Set([...names, ...presentIn(JSON.parse(text) as Manifest)])]);
  const packages = writeTarballs(folder, all);
  writeFileSync(path, withPackages(text, packages, names));
  for (const [name, file] of Object.entries(packages)) console.log(`  ${name} from ${file.slice("file:".length)}`);
  runThere(folder, manager, installing[manager], `Install ${manager}, or choose another with --with.`);
}

/** Installs the Python client. pip takes a folder again whenever it is asked, whatever its version. */
function addPython(folder: string, environment: string): void {
  const place = resolve(folder, environment);
  const python = join(place, isWindows ? "Scripts/python.exe" : "bin/python");
  const advice = "Install Python 3.11 or newer with the module venv (on Debian: python3 and python3-venv).";
  if (!existsSync(python)) {
    mkdirSync(folder, { recursive: true });
    runThere(folder, isWindows ? "python" : "python3", ["-m", "venv", environment], advice);
  }
  const options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", join(root, "packages", "python")];
  runThere(folder, python, options, `The environment needs pip: ${python} -m ensurepip.`);
}

function add(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { with: { type: "string" }, python: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [target, ...given] = positionals;
  if (target === undefined) throw new UsageError("FOLDER is missing.");
  const asked = given.map((name) => name.replace(scope, "")).filter((name) => name !== "python");
  // Programs in Python start the mock server, too.
  const names = asked.length > 0 ? asked : given.length > 0 ? ["mock-server"] : usual;
  const unknown = names.find((name) => !published.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no package ${unknown}.`);
  // `npm run` moves to the clone's root.
  const folder = resolve(process.env.INIT_CWD ?? "", target);
  const manager = values.with === undefined ? managerOf(folder) : managers.find((name) => name === values.with);
  if (manager === undefined) throw new UsageError(`Unknown package manager ${values.with}.`);
  if (folder === resolve(root) || `${folder}/`.startsWith(join(root, "packages")))
    throw new UsageError("FOLDER is this clone, or a package of it. Name a folder of your own.");
  addPackages(folder, names, manager);
  const environment = values.python ?? (given.includes("python") ? ".venv" : undefined);
  if (environment !== undefined) addPython(folder, environment);
  console.log(`\nInstalled in ${folder}. After a change of the sources, run the same command again.`);
}

if (import.meta.main) {
  try {
    add();
  } catch (error) {
    const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS");
    console.error(isUsage ? `${(error as Error).message}\n\n${usage}` : (error as Error).message);
    process.exitCode = isUsage ? 2 : 1;
  }
}
