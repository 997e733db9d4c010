// Looks at what each public package would publish: every file that its package.json points to must be in the tarball, no
// test may be, and every entry point must load. Expects the packages to be built.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

interface PackageJson {
  name: string;
  private?: boolean;
  exports: Record<string, string | Record<string, unknown>>;
  bin?: unknown;
}

const packagesFolder = fileURLToPath(new URL("../packages", import.meta.url));

/** Every text in a nested structure, e.g. the files that an `exports` map points to. */
const textsIn = (node: unknown): string[] =>
  typeof node === "string" ? [node] : Object.values(node ?? {}).flatMap(textsIn);

/** The entry points that do not load, as ES modules and, where the package offers it, as CommonJS. */
function unloadableOf(folder: string, { name, exports }: PackageJson): string[] {
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return [];
    const entry = join(name, subpath);
    const ways = [`await import("${entry}")`, ...("require" in target ? [`require("${entry}")`] : [])];
    return ways.filter(
      (way) => spawnSync(process.execPath, ["-e", `(async () => { ${way} })()`], { cwd: folder }).status !== 0,
    );
  });
}

function problemsOf(folder: string): string[] {
  const description = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;
  if (description.private) return [];
  const report = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(report) as [{ size: number; files: { path: string }[] }];
  const files = new Set(packed.files.map(({ path }) => path));
  const missing = textsIn([description.exports, description.bin]).filter((target) => !files.has(normalize(target)));
  const tests = [...files].filter((path) => /\.test\./.test(path));
  console.log(`${description.name}: ${files.size} files, ${packed.size} bytes packed`);
  return [
    ...missing.map((target) => `${description.name} points to ${target}, which it does not publish`),
    ...tests.map((path) => `${description.name} publishes the test ${path}`),
    ...unloadableOf(folder, description).map((way) => `${description.name} fails at ${way}`),
  ];
}

const problems = readdirSync(packagesFolder).flatMap((name) => problemsOf(join(packagesFolder, name)));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
