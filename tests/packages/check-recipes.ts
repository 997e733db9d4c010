// Runs the recipes of docs/recipes.md as customers do, with the packed SDK and against the mock server: each as its own
// process, driven over HTTP. Requires built packages.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { demo } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { ensureInstalled, pack, run, temporaryFolder, tools } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";
import type { RecipeName } from "../../site/starts.ts";
import { missingPython, pythonCommand, pythonEnvironment } from "../receiving/python.ts";
import { drive } from "./recipes/drive.ts";
import { projectOfFolders, recipeFolder, startCommand } from "./recipes/folders.ts";
import { driveNext, startNext } from "./recipes/next.ts";
import { checkPino } from "./recipes/pino.ts";
import { type Running, runProgram, startServer } from "./recipes/processes.ts";
import { checkProxies } from "./recipes/proxy.ts";
import {
  lambdaReceiver,
  nodeReceiver,
  type RunReceiver,
  withSecretsFile,
  workerReceiver,
} from "./recipes/receivers.ts";
import { checkAttack, checkRotation } from "./recipes/rotation.ts";
import { openStage, type Stage } from "./recipes/stage.ts";
import { startWorker } from "./recipes/worker.ts";

const recipes = fileURLToPath(new URL("../../examples/recipes/", import.meta.url));
const pythonFolder = fileURLToPath(new URL("../../examples/python/", import.meta.url));
const withoutPython = missingPython();
if (withoutPython !== undefined && process.env.CI) throw new Error(withoutPython);
if (withoutPython !== undefined) console.log(`${withoutPython} The recipes in Python are left out.`);
/** The folder of its commands, which are installed at the first use. */
const pythonBin = (): string => dirname(pythonCommand());

const longestOutput = 10_000;

/** A check, by the name of its sandbox. It fails by throwing, and returns what it has checked. */
type Check = (stage: Stage) => Promise<readonly string[]>;

/** Runs a check. The error of a failed one ends with what the server printed last. */
async function withOutput<Result>(server: Pick<Running, "output">, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    const printed = server.output().slice(-longestOutput);
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${printed}`);
  }
}

/** Checks a server while it runs. */
const whileRunning =
  (start: (stage: Stage) => Promise<Running>, check: (running: Running, stage: Stage) => Promise<string[]>): Check =>
  async (stage) => {
    const running = await start(stage);
    try {
      return await withOutput(running, () => check(running, stage));
    } finally {
      await running.stop();
    }
  };

/** Checks a receiver of offers, and attacks it. */
const receiving =
  (run: RunReceiver): Check =>
  (stage) =>
    run(demo.signingSecret, (receiver) =>
      withOutput(receiver, async () => {
        const rotated = await checkRotation(receiver, stage);
        return [...rotated, ...(await checkAttack(receiver))];
      }),
    );

const node =
  (name: RecipeName) =>
  ({ environment }: Stage) =>
    startServer(recipeFolder(name), startCommand(recipeFolder(name)), environment);

/** A recipe for Python, started as its page says. */
function python(name: string): Check {
  const page = readFileSync(new URL("../../docs/recipes.md", import.meta.url), "utf8");
  const [command = ""] = page.match(new RegExp(`^.* ${name}\\b.* 3000$`, "m")) ?? [];
  const start = ({ environment }: Stage) =>
    startServer(pythonFolder, ["sh", "-c", `exec ${pythonBin()}/${command.replace("3000", "$PORT")}`], {
      ...environment,
      ...pythonEnvironment,
    });
  // The log has each attempt.
  const placed = (requestId: string) => `(request ${requestId})`;
  return whileRunning(start, (running, stage) => drive(running, stage, { abortsLists: false, placed }));
}

/** The longest first. */
const checks: Readonly<Record<string, Check>> = {
  nextjs: whileRunning((stage) => startNext(recipeFolder("nextjs"), stage.environment), driveNext),
  types: async () => {
    await runProgram(recipes, [process.execPath, ...tsc, "-p", "."]);
    await runProgram(recipes, [process.execPath, ...tsc, "-p", projectOfFolders()]);
    return ["compiled, also in their folders"];
  },
  express: whileRunning(node("express"), drive),
  hono: whileRunning(node("hono"), drive),
  fastify: whileRunning(node("fastify"), drive),
  ...(withoutPython === undefined && { fastapi: python("fastapi_calls"), flask: python("flask_calls") }),
  worker: whileRunning(({ environment }) => startWorker(recipeFolder("worker"), environment), drive),
  proxy: (stage) => checkProxies(recipes, stage, withoutPython === undefined ? `${pythonBin()}/python` : undefined),
  "receive-node": receiving(nodeReceiver("receive-node")),
  "receive-express": receiving(nodeReceiver("receive-express")),
  "receive-express-json": receiving(nodeReceiver("receive-express-json")),
  "receive-fastify": receiving(nodeReceiver("receive-fastify")),
  "receive-hono": receiving(nodeReceiver("receive-hono")),
  "receive-nextjs": receiving(withSecretsFile((variables) => startNext(recipeFolder("nextjs"), variables))),
  "receive-lambda": receiving(lambdaReceiver(recipes)),
  "receive-worker": receiving(workerReceiver),
  pino: (stage) => checkPino(recipes, stage),
};

/** The checks that the command names, or all. */
function chosenChecks(): readonly (readonly [string, Check])[] {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in checks));
  if (unknown.length > 0)
    throw new Error(`Unknown recipe ${unknown.join(", ")}. Choose from ${Object.keys(checks).join(", ")}.`);
  return Object.entries(checks).filter(([name]) => names.length === 0 || names.includes(name));
}

/** Installs the frameworks, and the packed SDK beside them. */
function install(folder: string): void {
  ensureInstalled(tools);
  const { "@call-transfer/sdk": tarball = "" } = pack(folder, ["sdk"]);
  const options = ["--no-save", "--no-package-lock", "--prefer-offline", "--ignore-scripts"];
  run(recipes, "npm", "install", ...options, `${folder}/${tarball}`);
}

/** Runs a check in a sandbox of its own, and prints the result. Returns whether it passed. */
async function passes(server: MockServer, name: string, run: Check): Promise<boolean> {
  const from = performance.now();
  const stage = await openStage(server, name);
  try {
    const shown = await run(stage);
    console.log(`ok      ${name.padEnd(10)} ${shown.join(", ")} (${Math.round(performance.now() - from)} ms)`);
    return true;
  } catch (error) {
    console.log(`failed  ${name.padEnd(10)} ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    stage.close();
  }
}

/** Runs the checks, two at a time. Returns whether all passed. */
async function check(folder: string): Promise<boolean> {
  const left = [...chosenChecks()];
  install(folder);
  const server = await startMockServer({ port: 0 });
  let isGood = true;
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) isGood = (await passes(server, ...next)) && isGood;
  };
  try {
    await Promise.all([lane(), lane()]);
  } finally {
    await server.close();
  }
  return isGood;
}

using folder = temporaryFolder("recipes");
try {
  if (!(await check(folder.path))) process.exitCode = 1;
} catch (error) {
  console.error(`The check stopped. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
