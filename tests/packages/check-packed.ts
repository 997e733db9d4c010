// Tests what is published as it is published: installs the packed packages in a folder of their own, and runs there the tests
// of receivers, stores and connections on both formats of the SDK, a first use of every entry, a target of the contract suite, and
// the command. Requires built packages.
import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../../scripts/packed.ts";
import { runEveryOperation, withPackedServer } from "../../scripts/packed-server.ts";
import { bundleTests, installPacked } from "./packed/bundle.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const runFile = promisify(execFile);
const withinMs = 600_000;

/** Tests that need only what is published. */
const receiving = [
  ...[
    "event-stores",
    "receive-in-inbox",
    "receiver-health",
    "webhook-handler",
    "webhook-lambda",
    "webhook-secrets",
    "webhook-vectors",
  ].map((name) => `packages/sdk/tests/${name}.test.ts`),
  "packages/sdk/tests/unsent.test.ts",
];
const built = ["clients", "contract", "stores"].map((name) => `tests/runtimes/built/${name}.check.ts`);

const vitestConfig = `export default {
  test: {
    experimental: { viteModuleRunner: false },
    isolate: false,
    maxWorkers: 1,
    restoreMocks: true,
    unstubGlobals: true,
    onConsoleLog: (line) => !line.startsWith("call-transfer: "),
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    execArgv: process.env.AS_COMMONJS === undefined ? [] : ["--import", process.env.AS_COMMONJS],
  },
};
`;

async function node(project: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const settings = { cwd: project, env: { ...process.env, ...env }, timeout: withinMs, maxBuffer: 1 << 28 };
  try {
    return (await runFile(process.execPath, words, settings)).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

/** Runs tests that a project has, with Vitest. Returns its last lines. */
async function vitest(project: string, tests: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const words = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=dot", "--no-color"];
  const output = await node(project, [...words, ...tests.map((test) => relative(project, test))], env);
  return (/^ +Tests +(.+)$/m.exec(output)?.[1] ?? "no summary").trim();
}

/** The steps, each with what it returns for its line. */
function stepsOf(project: string, tests: readonly string[], suites: readonly string[]) {
  const commonJs = fileURLToPath(new URL("./packed/as-commonjs.mjs", import.meta.url));
  const counted = (output: string): string => `${/^# pass (\d+)$/m.exec(output)?.[1] ?? "0"} passed`;
  return {
    "receivers, stores and connections, ES modules": () => vitest(project, tests),
    "receivers, stores and connections, CommonJS": () => vitest(project, tests, { AS_COMMONJS: commonJs }),
    "errors, clients and receivers of two copies": () => node(project, ["both-formats.mjs"]).then(() => ""),
    "a first use of each entry, the vectors and the contract suite": async () =>
      counted(await node(project, ["--test", "--test-reporter=tap", "--test-concurrency=1", ...suites])),
    "the command: start, every operation, stop": () =>
      withPackedServer(project, [], (ready) => runEveryOperation(project, ready)).then(() => ""),
  };
}

async function check(folder: string): Promise<boolean> {
  const project = installPacked(folder);
  writeFileSync(join(project, "vitest.config.mjs"), vitestConfig);
  for (const name of ["consumers/both-formats.mjs", "consumers/entries.check.mjs"])
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(project, name.replace(/^.*\//, "")));
  const [tests, suites] = [await bundleTests(project, receiving), await bundleTests(project, built)];
  let isGood = true;
  for (const [title, run] of Object.entries(stepsOf(project, tests, ["entries.check.mjs", ...suites])))
    try {
      const from = performance.now();
      const result = await run();
      console.log(`ok      ${title} (${((performance.now() - from) / 1000).toFixed(1)} s) ${result}`.trimEnd());
    } catch (error) {
      isGood = false;
      console.error(`failed  ${title}\n${(error as Error).message}`);
    }
  return isGood;
}

using folder = temporaryFolder("packed");
if (!(await check(folder.path))) process.exitCode = 1;
