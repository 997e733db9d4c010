// Installs the SDK and the mock server with pnpm, and runs examples there. pnpm lets a project import what it depends on and
// nothing else, so this shows that the pages name every package that their programs import.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tools } from "../../scripts/packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const runFile = promisify(execFile);
const withinMs = 600_000;

/** Examples that need the SDK, the mock server, and for tests a runner. */
const examples = [
  "vitest/calls.test.ts",
  "vitest/more.test.ts",
  "group-ringing.ts",
  "paging.ts",
  "msw/availability.test.ts",
];

/** Installs a project with the two packages that customers meet. `tarballs` are beside it, by package name. */
async function installed(project: string, tarballs: Readonly<Record<string, string>>): Promise<void> {
  const packed = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:../${file}`]));
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const direct = ["@call-transfer/sdk", "@call-transfer/mock-server"].map((name) => [name, packed[name]]);
  const others = ["msw", "vitest"].map((name) => [name, devDependencies[name]]);
  const description = {
    name: "customer",
    private: true,
    type: "module",
    dependencies: Object.fromEntries([...direct, ...others]),
    // What these packages depend on is not on npm either.
    pnpm: { overrides: packed },
  };
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify(description));
  const pnpm = join(tools, "node_modules/pnpm/bin/pnpm.cjs");
  await runFile(process.execPath, [pnpm, "install", "--prefer-offline"], { cwd: project, timeout: withinMs });
}

/** Runs the examples in a project of pnpm's. */
export async function runUnderPnpm(project: string, tarballs: Readonly<Record<string, string>>): Promise<void> {
  await installed(project, tarballs);
  const run = (...command: string[]) => runFile(process.execPath, command, { cwd: project, timeout: withinMs });
  for (const path of examples) copyFileSync(join(root, "examples", path), join(project, basename(path)));
  for (const path of examples.filter((one) => !one.includes(".test."))) await run(basename(path));
  await run("node_modules/vitest/vitest.mjs", "run");
}
