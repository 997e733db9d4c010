import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { operations } from "@call-transfer/spec";
import { afterAll, afterEach, expect, it } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";
import { finish, runLine } from "./run-line.ts";

const cli = commandFile();
const folder = mkdtempSync(join(tmpdir(), "call-transfer-prism-"));
let running: ChildProcess[] = [];

function run(...args: string[]) {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  return child;
}

async function finishAlone(...args: string[]) {
  const child = run(...args);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, status };
}

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
});
afterAll(() => rmSync(folder, { recursive: true }));

it("serves pages of other origins with --cors-origin, and exits with 0 on a signal", async () => {
  const readyFile = join(folder, "ready.json");
  const origin = "http://localhost:5173";
  const child = run(cli, "--prism", "--port", "0", "--cors-origin", origin, "--json", "--ready-file", readyFile);
  const [line] = await once(child.stdout, "data");
  expect(readFileSync(readyFile, "utf8")).toBe(String(line));
  const { pid, url, apiKey, engine } = JSON.parse(line);
  expect(pid).toBe(child.pid);
  const response = await fetch(url + operations.listRoles.path, {
    headers: { authorization: `Bearer ${apiKey}`, origin },
  });
  expect([engine, response.status, response.headers.get("access-control-allow-origin")]).toEqual([
    "prism",
    200,
    origin,
  ]);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(existsSync(readyFile)).toBe(false);
});

it("removes an old ready file when it does not start", async () => {
  const readyFile = join(folder, "stale.json");
  writeFileSync(readyFile, "{}");
  expect((await finish("--prism", "--ready-file", readyFile, "--port", "many")).status).toBe(2);
  expect(existsSync(readyFile)).toBe(false);
});

it.each([["requests"], ["clock"], ["api"]])("has no control plane, which the command %s says", async (command) => {
  const child = run(cli, "--prism", "--port", "0", "--json");
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(line);
  await expect(runLine(url, command)).rejects.toThrow(`The server at ${url} is Prism, which has no control plane.`);
});

it("says in its banner that it is stateless", async () => {
  const child = run(cli, "--prism", "--port", "0");
  const [banner] = await once(child.stdout, "data");
  expect(String(banner)).toContain("stateless");
});

it.each([
  [["--prism", "--seed", "demo"], "--seed does not work with --prism"],
  [["--prism", "--auto-sandboxes"], "--auto-sandboxes"],
  [["--prism", "--port", "many"], "--port"],
])("rejects %j with status 2", async (args, name) => {
  const { status, stderr } = await finish(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(name)]);
});

it("prints the command that installs Prism when it is missing", async () => {
  const hide = `import { createRequire } from "node:module";
    const Module = createRequire("file:///x.js")("node:module");
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (name.startsWith("@stoplight/")) throw new Error("missing");
      return resolve.call(Module, name, ...rest);
    };`;
  const preload = `data:text/javascript,${encodeURIComponent(hide)}`;
  const { status, stderr } = await finishAlone("--import", preload, cli, "--prism", "--port", "0");
  expect([status, stderr]).toEqual([1, expect.stringContaining("npm install --save-dev @stoplight/prism-cli")]);
});
