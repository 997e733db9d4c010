// Uses the packages as a customer does: packs them, and installs them in a new project.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOf, makeOnce, runWithinMs } from "./made.ts";
import { writeTarballs } from "./tarballs.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** The packages of the checks, apart from the workspace. */
export const tools = join(root, "tests/tools");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A folder that is removed at the end of its scope. Declare it with `using`. */
export const temporaryFolder = (name: string) => mkdtempDisposableSync(join(tmpdir(), `call-transfer-${name}-`));

/** Runs a command in a folder and returns its output. The error of a failed command contains the output. */
export const run = (folder: string, command: string, ...options: readonly string[]): string =>
  runWith(process.env, folder, command, ...options);

/** The same in another environment. */
export function runWith(
  env: NodeJS.ProcessEnv,
  folder: string,
  command: string,
  ...options: readonly string[]
): string {
  try {
    const settings = { cwd: folder, env, encoding: "utf8", timeout: runWithinMs, maxBuffer: 1 << 28 } as const;
    return execFileSync(command, options, { ...settings, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

/** What decides what npm installs. */
const installedFrom = ["package.json", "package-lock.json", ".npmrc"];

/** Milliseconds since 1970 of the last change of a file; 0 if there is none. */
const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Installs what a folder's package.json names, unless it is there: exactly with a lockfile, and otherwise the direct
 * dependencies alone exactly. Waits for another process that installs the same. Until all packages are there, imports find what
 * they found before.
 */
export function ensureInstalled(folder: string): void {
  const lockfile = join(folder, "package-lock.json");
  const isLocked = existsSync(lockfile);
  const wantedMs = changedMs(isLocked ? lockfile : join(folder, "package.json"));
  const modules = join(folder, "node_modules");
  const isCurrent = () => changedMs(join(modules, ".package-lock.json")) >= wantedMs;
  makeOnce(join(folder, ".cache", "installing.lock"), isCurrent, () => {
    const staging = join(folder, ".cache", "installing");
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging);
    for (const name of installedFrom)
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(staging, name));
    const command = isLocked ? ["ci"] : ["install", "--no-package-lock"];
    execFileSync("npm", [...command, "--prefer-offline", "--no-audit", "--no-fund"], {
      cwd: staging,
      stdio: "inherit",
      timeout: runWithinMs,
    });
    if (existsSync(modules)) renameSync(modules, join(staging, "old"));
    renameSync(join(staging, "node_modules"), modules);
    rmSync(staging, { recursive: true, force: true });
  });
}

/** Installs tests/tools, whose packages a folder then finds as its own. */
export function ensureTools(folder: string): void {
  ensureInstalled(tools);
  const link = join(folder, "node_modules");
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(link, { recursive: true, force: true });
  try {
    symlinkSync(join(tools, "node_modules"), link, "junction");
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(link)) throw error;
  }
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest;

/** The packages that are published, by their folders. */
export const published: readonly string[] = readdirSync(join(root, "packages")).filter(
  (name) => manifestOf(name).private !== true,
);

/** What the tarballs are made of. */
const packedFrom = [
  ...["README.md", "docs", "build/guides.ts", "scripts/markdown.ts", "scripts/tarballs.ts"],
  ...published.map((name) => `packages/${name}`),
];

/**
 * Copies the tarballs of packages, given by their folders, into `folder`. All are packed once for every check, and again when
 * what they are made of changes. Returns the tarball of each package name.
 */
export function pack(folder: string, packages: readonly string[]): Record<string, string> {
  const tarballs = packages.map((source) => {
    const { name, version } = manifestOf(source);
    return [name, `${name.slice(1).replace("/", "-")}-${version}.tgz`] as const;
  });
  const kept = join(root, ".cache", "tarballs", digestOf(packedFrom));
  makeOnce(
    join(root, ".cache", "packing.lock"),
    () => existsSync(kept),
    () => {
      rmSync(dirname(kept), { recursive: true, force: true });
      mkdirSync(`${kept}.new`, { recursive: true });
      writeTarballs(root, published, `${kept}.new`);
      renameSync(`${kept}.new`, kept);
    },
  );
  for (const [, filename] of tarballs) copyFileSync(join(kept, filename), join(folder, filename));
  return Object.fromEntries(tarballs);
}

/** Returns the optional peer dependencies of packages, given by their folders, with their ranges. */
export function optionalPeers(packages: readonly string[]): Record<string, string> {
  return Object.assign({}, ...packages.map((name) => manifestOf(name).peerDependencies));
}

/** Packages by name, with the range or the tarball of each. */
type Packages = Readonly<Record<string, string>>;

/**
 * Creates a project beside the tarballs and installs it.
 *
 * @param others What it depends on besides them, as ranges by name.
 */
export function install(project: string, tarballs: Packages, others: Packages = {}): void {
  mkdirSync(project);
  const packed = Object.entries(tarballs).map(([name, filename]) => [name, `file:../${filename}`]);
  const dependencies = { ...Object.fromEntries(packed), ...others };
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description, null, 2));
  writeFileSync(join(project, ".npmrc"), "audit=false\nfund=false\nworkspaces=false\n");
  run(project, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund");
}
