// Builds every package, two at a time. Skips the build when neither the sources nor the output changed since the last one, so
// that each command can ask for a build without paying for it twice; `--force` builds anyway.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const record = join(root, ".cache/build.json");
const shared = [
  ...["package-lock.json", "tsconfig.base.json", "packages/spec/openapi.json"],
  ...["scripts/build-options.ts", "scripts/licences.ts"],
];
// The longest builds first, so that none is left alone at the end.
const packages = ["backend", "sdk", "spec", "contract", "mock-server"];

/** SHA-256 of the given files and of every file in the given folders, with their names; missing ones count as such. */
function digestOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    if (!existsSync(path)) hash.update(`missing ${relative(root, path)}\n`);
    else if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(`${relative(root, path)}\n`).update(readFileSync(path));
  };
  for (const path of paths) add(join(root, path));
  return hash.digest("hex");
}

const inputs = () =>
  digestOf([
    ...shared,
    ...packages.flatMap((name) => ["src", "package.json", "tsup.config.ts"].map((part) => `packages/${name}/${part}`)),
  ]);
const outputs = () => digestOf(packages.map((name) => `packages/${name}/dist`));

function isCurrent(): boolean {
  if (!existsSync(record)) return false;
  const last: unknown = JSON.parse(readFileSync(record, "utf8"));
  return JSON.stringify(last) === JSON.stringify({ inputs: inputs(), outputs: outputs() });
}

/** Builds one package and prints what the build said once it ended; false when it failed. */
async function build(name: string): Promise<boolean> {
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  const child = spawn(process.execPath, [tsup, "--silent"], { cwd: join(root, "packages", name) });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => said.push(text));
  const [status] = await once(child, "close");
  console.log(`${said.join("")}${status === 0 ? "built" : "FAILED"} @call-transfer/${name}`);
  return status === 0;
}

async function buildAll(): Promise<boolean> {
  const left = [...packages];
  const lane = async (): Promise<boolean> => {
    let isFine = true;
    for (let name = left.shift(); name !== undefined; name = left.shift()) isFine = (await build(name)) && isFine;
    return isFine;
  };
  const lanes = await Promise.all([lane(), lane()]);
  return lanes.every(Boolean);
}

if (isCurrent() && !process.argv.includes("--force")) {
  console.log("The build is current.");
} else {
  const before = inputs();
  if (!(await buildAll())) process.exit(1);
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ inputs: before, outputs: outputs() }));
}
