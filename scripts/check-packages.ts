// Looks at what each public package would publish: every file that its package.json points to must be in the tarball,
// and no test may be.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

interface PackageJson {
  name: string;
  private?: boolean;
  exports?: unknown;
  bin?: unknown;
}

const packagesFolder = fileURLToPath(new URL("../packages", import.meta.url));

/** Every text in a nested structure, e.g. the files that an `exports` map points to. */
const textsIn = (node: unknown): string[] =>
  typeof node === "string" ? [node] : Object.values(node ?? {}).flatMap(textsIn);

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
  ];
}

const problems = readdirSync(packagesFolder).flatMap((name) => problemsOf(join(packagesFolder, name)));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
