// Runs the tests of runners/ and of the examples with the real Vitest, Jest and Playwright, against the packed packages. Checks
// their types, which tests pass, what a failed test prints, and that nothing is left running. Requires built packages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { browserHere } from "../../build/browser.ts";
import { install, optionalPeers, pack, run, temporaryFolder } from "../../scripts/packed.ts";
import { tsc } from "../../scripts/tsc.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const runners = join(root, "tests/packages/runners");
const withinMs = 300_000;

/** What a run printed, and how it ended. */
interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a test runner to its own end. One that does not end is killed and has no status. */
async function runTests(folder: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [program = "", ...options] = command;
  const child = spawn(process.execPath, [join(folder, "../node_modules", program), ...options], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: withinMs,
    killSignal: "SIGKILL",
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
  const [status] = (await once(child, "close")) as [number | null];
  // Vitest prints colours where FORCE_COLOR or CI is set, whatever its value.
  return { status, output: stripVTControlCharacters(output.join("")) };
}

/** Checks that at least so many tests passed, and that one failed: checkReport() says which. */
function checkResults({ status, output }: Ended, atLeast: number): string {
  const count = (what: string) => Number(new RegExp(`^ *(?:Tests\\b.*?)?(\\d+) ${what}`, "m").exec(output)?.[1]);
  assert.deepEqual([status, count("failed")], [1, 1], output);
  assert.ok(count("passed") >= atLeast, `only ${count("passed")} tests passed\n${output}`);
  return `${count("passed")} tests passed, and one fails as it must`;
}

/** Checks what the failed test says: its requests and webhooks, without secrets. */
function checkReport(text: string): void {
  for (const part of [
    'Test "fails after a request and a webhook" failed.',
    "POST /api/v1/calls → 400 validation_failed",
    "transfer.offer to http://127.0.0.1:4011/offers → 503 not accepted",
    "[redacted]",
  ])
    assert.ok(text.includes(part), `The report has no ${part}\n${text}`);
  for (const secret of ["hidden-text", "svc_live_", "Bearer ey"])
    assert.ok(!text.includes(secret), `The report has ${secret}\n${text}`);
}

/** Checks that each worker had a server, and that nothing listens there any more. */
async function checkServers({ output }: Ended, processes: number): Promise<void> {
  const found = [...output.matchAll(/server (http:\S+) in process (\d+)/g)];
  assert.equal(new Set(found.map(([, , pid]) => pid)).size, processes, output);
  for (const [, url = ""] of found) await assert.rejects(fetch(url), `${url} still listens`);
}

async function checkVitest(folder: string): Promise<void> {
  const command = ["vitest/vitest.mjs", "run", "--reporter=default"];
  const ended = await runTests(folder, command);
  checkReport(ended.output);
  await checkServers(ended, 2);
  console.log(`ok      Vitest, two workers: ${checkResults(ended, 40)}`);
  const shared = await runTests(folder, [...command, "--no-isolate", "--maxWorkers=1"]);
  await checkServers(shared, 1);
  console.log(`ok      Vitest, one worker for all files: ${checkResults(shared, 40)}`);
}

/** Jest loads the packages with a setting of Node, as docs/testing.md says. */
async function checkJest(folder: string): Promise<void> {
  const node = { NODE_OPTIONS: "--experimental-vm-modules --no-warnings" };
  const { status, output } = await runTests(
    folder,
    ["jest/bin/jest.js", "--testMatch=**/*.test.mjs", "--rootDir=."],
    node,
  );
  assert.equal(status, 0, output);
  assert.match(output, /Tests: +3 passed, 3 total/);
  console.log("ok      Jest: 3 tests under fake timers");
}

async function checkPlaywright(folder: string): Promise<void> {
  const browser = await browserHere();
  if (browser === undefined) return console.log("skipped Playwright: no browser");
  await using app = await serveApp(join(folder, "app.html"));
  await using other = await serveApp(join(folder, "app.html"));
  const env = { ...browser.env, BROWSER: browser.executablePath, APP_URL: app.url, OTHER_URL: other.url };
  const ended = await runTests(folder, ["@playwright/test/cli.js", "test"], env);
  // The list of results has what a test attached.
  assert.match(ended.output, /attachment #\d+: call-transfer/);
  checkReport(ended.output);
  await checkServers(ended, new Set(ended.output.match(/in process \d+/g)).size);
  console.log(`ok      Playwright, two workers: ${checkResults(ended, 11)}`);
}

/** Serves the app's page, a service worker, and at every other path the headers of the request. */
async function serveApp(page: string) {
  const server = createServer((request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (request.url === "/") response.setHeader("Content-Type", "text/html").end(readFileSync(page));
    else if (request.url === "/worker.js") response.setHeader("Content-Type", "text/javascript").end("");
    else response.setHeader("Content-Type", "application/json").end(JSON.stringify(request.headers));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Compiles the tests with the packages' own declarations. */
function checkTypes(project: string): void {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "nodenext",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["vitest", "playwright"] }));
  run(project, process.execPath, ...tsc, "-p", ".");
  console.log("ok      types");
}

/** What has no range of peers: environments of Vitest, and Jest. */
const others = { "happy-dom": "21.0.4", jsdom: "26.1.0", jest: "30.5.2" };

using folder = temporaryFolder("runners");
const sources = ["spec", "sdk", "backend", "mock-server"];
const project = join(folder.path, "customer");
const { vitest = "", "@playwright/test": playwright = "" } = optionalPeers(["mock-server"]);
install(project, pack(folder.path, sources), { vitest, "@playwright/test": playwright, ...others });
for (const runner of ["vitest", "playwright"]) {
  cpSync(join(runners, runner), join(project, runner), { recursive: true });
  cpSync(join(root, "examples", runner), join(project, runner), { recursive: true });
}
cpSync(join(runners, "jest"), join(project, "jest"), { recursive: true });
const write = (name: string, text: string) => writeFileSync(join(project, "vitest", `${name}.vitest.ts`), text);
for (const name of ["first", "second"])
  write(name, 'import { describeOwnSandboxes } from "./own-sandboxes.ts";\ndescribeOwnSandboxes();\n');
for (const name of ["node", "jsdom", "happy-dom"])
  write(
    name,
    `// @vitest-environment ${name}\nimport { describeElsewhere } from "./elsewhere.ts";\ndescribeElsewhere("${name}");\n`,
  );
checkTypes(project);
await checkVitest(join(project, "vitest"));
await checkJest(join(project, "jest"));
await checkPlaywright(join(project, "playwright"));
