// Builds the file system of the Dockerfile's image without a container engine: the same steps, in an empty folder. Then runs
// its entry point as another user who can write to /state alone, until its health check passes, and stops it. `npm ci` and the build
// of the first stage are not repeated: the workspace has them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { operations } from "@call-transfer/spec";
import { freePort } from "../../build/free-port.ts";
import { run, temporaryFolder } from "../../scripts/packed.ts";
import { execForm, type Instruction, pairsOf, readStages, type Stage } from "./dockerfile.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Twice what the image's own files weigh: more means a dependency that was added by mistake. */
const mostMiB = 30;
const healthyWithinMs = 300_000;

using folder = temporaryFolder("image");
chmodSync(folder.path, 0o755);
const stages = readStages(readFileSync(join(root, "Dockerfile"), "utf8"));
const roots = new Map<string, string>();
for (const stage of stages) roots.set(stage.name ?? "image", build(stage));
const image = roots.get("image") ?? "";
const last = (name: string) => stages.at(-1)?.instructions.findLast((one) => one.name === name)?.text ?? "";

checkBase();
checkTree();
await checkRun();
console.log("The image builds, holds production files only, and runs as another user, who writes to /state alone.");

/** Runs the steps of a stage in a folder of its own; returns the folder, which is the stage's `/`. */
function build({ name = "image", instructions }: Stage): string {
  const own = join(folder.path, name);
  let working = own;
  for (const { name: step, text, options } of instructions) {
    if (step === "WORKDIR") {
      working = join(own, text);
      mkdirSync(working, { recursive: true });
    } else if (step === "COPY") copy({ name: step, text, options }, own, working);
    else if (step === "RUN" && text === "npm ci" && name === "build")
      symlinkSync(join(root, "node_modules"), join(working, "node_modules"));
    else if (step === "RUN" && text === "npm run build") copyBuilt(working);
    else if (step === "RUN") run(working, "sh", "-ec", text);
  }
  return own;
}

function copy({ text, options }: Instruction, own: string, working: string): void {
  const stage = options.get("from");
  const sources = text.split(/\s+/);
  const target = sources.pop() ?? "";
  const to = target.startsWith("/") ? join(own, target) : join(working, target);
  if (stage !== undefined) copyStage(join(roots.get(stage) ?? "", sources[0] ?? ""), to, options.get("chown"));
  else if (text === ". .") copySource(to);
  else
    for (const source of sources) {
      const isFolder = target.endsWith("/");
      mkdirSync(isFolder ? to : dirname(to), { recursive: true });
      cpSync(join(root, source), isFolder ? join(to, basename(source)) : to);
    }
}

/** Copies a folder of another stage. Only root can give it to another user. */
function copyStage(from: string, to: string, owner?: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  if (owner !== undefined && process.getuid?.() === 0) run(folder.path, "chown", "-R", owner, to);
}

/** Copies the files in Git, which .dockerignore leaves. */
function copySource(to: string): void {
  for (const file of run(root, "git", "ls-files", "-z").split("\0"))
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(to, file));
}

function copyBuilt(working: string): void {
  for (const built of globSync("packages/*/dist", { cwd: root }))
    cpSync(join(root, built), join(working, built), { recursive: true });
}

function checkBase(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const others = stages.filter(({ base }) => base !== `node:${devDependencies.node}-bookworm-slim`);
  expect("the base images have the workspace's Node", others.map(({ base }) => base).join(), "");
  expect("the user is not root, and a number", /^[1-9]\d*:[1-9]\d*$/.test(last("USER")), true);
  expect("a signal stops it", last("STOPSIGNAL"), "SIGTERM");
  expect("the port", last("EXPOSE"), "4010");
}

function checkTree(): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const installed = globSync(["node_modules/*", "node_modules/@*/*"], { cwd: join(image, "app") }).filter(
    (path) => !/node_modules\/[@.][^/]*$/.test(path),
  );
  const extra = installed.filter(
    (path) => packages[path] === undefined || packages[path].dev || packages[path].optional,
  );
  expect("dependencies that are not of production", extra.join(), "");
  expect(
    "the packages",
    readdirSync(join(image, "app", "packages"))
      .sort()
      .join(),
    "backend,mock-server,spec",
  );
  expect("what is in the image", readdirSync(image).sort().join(), "app,data,state");
  expect("what is in its folder", readdirSync(join(image, "app")).sort().join(), "node_modules,packages");
  const tests = globSync("app/packages/**/{tests,*.test.*,tsconfig*.json}", { cwd: image });
  expect("tests and configuration of ours", tests.join(), "");
  const files = globSync("**/*", { cwd: image }).map((path) => statSync(join(image, path)));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const size = Math.round((bytes / 2 ** 20) * 10) / 10;
  console.log(`${files.length} files, ${size} MiB, ${installed.length} packages`);
  expect(`at most ${mostMiB} MiB`, size <= mostMiB, true);
}

async function checkRun(): Promise<void> {
  // The health check of the image must know it, too.
  const port = await freePort();
  const state = join(image, "state");
  const environment = Object.assign(
    {},
    ...(stages
      .at(-1)
      ?.instructions.filter(({ name }) => name === "ENV")
      .map(({ text }) => pairsOf(text)) ?? []),
  );
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    TMPDIR: join(image, "data"),
    ...environment,
    CALL_TRANSFER_MOCK_PORT: String(port),
    CALL_TRANSFER_MOCK_DATA_FILE: join(state, "mock.db"),
  };
  const settings = { cwd: join(image, "data"), env };
  const asUser = (command: readonly string[]) => [
    ...unprivileged(),
    ...command.map((item) => (item.startsWith("/") ? join(image, item) : item)),
  ];
  // Without root there is no other user. The folder is then read-only for this one.
  if (unprivileged().length === 0) {
    run(folder.path, "chmod", "-R", "a-w", image);
    run(folder.path, "chmod", "u+w", state);
  } else {
    const [command = "", ...options] = asUser(["find", "/", "-writable", "-not", "-type", "l"]);
    expect("files that the user can write", run(image, command, ...options).trim(), state);
  }
  const check = asUser(execForm(last("HEALTHCHECK").replace(/^.*?CMD /, "")));
  const health = () => spawnSync(check[0] ?? "", check.slice(1), settings).status;
  expect("the health check before the start", health(), 1);

  const [command = "", ...options] = asUser(execForm(last("ENTRYPOINT")));
  const server = spawn(command, options, { ...settings, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  try {
    for (const end = Date.now() + healthyWithinMs; health() !== 0; await sleep(200))
      if (Date.now() > end || server.exitCode !== null) throw new Error(`The server is not healthy:\n${output}`);
    const url = `http://127.0.0.1:${port}`;
    expect("the control plane without its token", (await fetch(`${url}/_control/v1/clock`)).status, 403);
    expect("the inspector", (await fetch(`${url}/_inspector/`)).status, 200);
    const [key = ""] = /svc_live_\w+/.exec(output) ?? [];
    const answer = await fetch(`${url}${operations.listRoles.path}`, { headers: { authorization: `Bearer ${key}` } });
    expect("the API with the key that it printed", answer.status, 200);
    expect("what it wrote", readdirSync(join(image, "data")).join(), "");
    const stopped = once(server, "exit");
    server.kill("SIGTERM");
    const [status] = await Promise.race([stopped, sleep(10_000, ["still running after 10 seconds"])]);
    expect("the exit status after SIGTERM", status, 0);
    expect("what it keeps", readdirSync(state).join(), "mock.db");
  } finally {
    server.kill("SIGKILL");
    run(folder.path, "chmod", "-R", "u+w", image);
  }
}

/** The command that runs another as the image's user; empty when only root may change users. */
function unprivileged(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const [user, group] = last("USER").split(":");
  return ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups", "--no-new-privs"];
}

function expect(what: string, found: unknown, expected: unknown): void {
  if (found !== expected)
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}
