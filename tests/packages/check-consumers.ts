// Uses the packed packages as customers do: compiles consumers/ with each compiler, as ES modules and as CommonJS, and asks what an
// editor shows. Requires built packages.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { editorOptions, hoversOf, publicNamesOf, sourceOptions } from "../../packages/sdk/tests/hover/answers.ts";
import { ensureTools, install, optionalPeers, pack, temporaryFolder, tools } from "../../scripts/packed.ts";

const consumers = fileURLToPath(new URL("./consumers/", import.meta.url));
const withinMs = 600_000;
const atOnce = 2;
const runFile = promisify(execFile);

/** A step of the check. It fails by throwing. */
interface Task {
  readonly title: string;
  run(): Promise<unknown>;
}

const imports = /^import \* as (\w+) from (".+");$/gm;
const typesFiles = ["sdk-types", "query-types"];
const modulesFile = "platform-types";

/** The TypeScript versions of tests/tools/package.json. */
function compilers(): { version: string; path: string }[] {
  const { dependencies } = JSON.parse(readFileSync(join(tools, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies).flatMap((name) => {
    const [, version] = /^typescript-(.+)$/.exec(name) ?? [];
    return version ? [{ version, path: join(consumers, "node_modules", name, "bin/tsc") }] : [];
  });
}

/** The strictest settings, without the types of Node. attw checks how the other resolutions of modules find the declarations. */
const compilerOptions = {
  ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  ...{ target: "es2022", module: "nodenext", types: [], lib: ["es2022", "dom", "dom.iterable"] },
};

function compilations(project: string): Task[] {
  for (const typesFile of typesFiles) {
    const program = readFileSync(join(consumers, `${typesFile}.ts`), "utf8");
    writeFileSync(join(project, `${typesFile}.mts`), program);
    writeFileSync(join(project, `${typesFile}.cts`), program.replace(imports, "import $1 = require($2);"));
  }
  copyFileSync(join(consumers, `${modulesFile}.ts`), join(project, `${modulesFile}.mts`));
  const files = [...typesFiles.flatMap((name) => [`${name}.mts`, `${name}.cts`]), `${modulesFile}.mts`];
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  return compilers().map(({ version, path }) => ({
    title: `TypeScript ${version}, ESM and CommonJS`,
    run: () => runFile(process.execPath, [path, "-p", "."], { cwd: project, timeout: withinMs }),
  }));
}

/** Asks what an editor shows for the built declarations: the same as for the sources. */
function hover(project: string): Task {
  const tests = fileURLToPath(new URL("../../packages/sdk/tests/hover/", import.meta.url));
  const run = async (): Promise<void> => {
    for (const name of ["program", "entries"]) copyFileSync(join(tests, `${name}.ts`), join(project, `${name}.mts`));
    assert.equal(
      hoversOf(join(project, "program.mts"), editorOptions),
      readFileSync(join(tests, "answers.txt"), "utf8"),
    );
    // The declarations print some types otherwise. What they are is recorded in api.d.ts.
    const documented = (path: string, options: typeof editorOptions): string[] =>
      publicNamesOf(path, options)
        .map(({ name, documentation }) => `${name}: ${documentation}`)
        .sort();
    const ofSources = documented(join(tests, "entries.ts"), sourceOptions);
    assert.deepEqual(documented(join(project, "entries.mts"), editorOptions), ofSources);
  };
  return { title: "what an editor shows", run };
}

/** Runs tasks, two at a time. Returns whether all succeeded. */
async function runAll(tasks: readonly Task[]): Promise<boolean> {
  const left = [...tasks];
  let isGood = true;
  const work = async (): Promise<void> => {
    for (let task = left.shift(); task; task = left.shift()) {
      const from = performance.now();
      try {
        await task.run();
        console.log(`ok      ${task.title} (${((performance.now() - from) / 1000).toFixed(1)} s)`);
      } catch (error) {
        isGood = false;
        // Compilers print errors to stdout.
        const { stdout = "", message } = error as Error & { stdout?: string };
        console.log(`failed  ${task.title}\n${stdout || message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return isGood;
}

async function check(folder: string): Promise<boolean> {
  ensureTools(consumers);
  const project = join(folder, "customer");
  const sources = ["spec", "sdk", "backend", "mock-server", "contract"];
  const tarballs = pack(folder, sources);
  install(project, tarballs, optionalPeers(sources));
  return runAll([hover(project), ...compilations(project)]);
}

using folder = temporaryFolder("consumers");
if (!(await check(folder.path))) process.exitCode = 1;
