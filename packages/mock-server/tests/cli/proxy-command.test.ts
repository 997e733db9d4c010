import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { afterAll, afterEach, expect, it } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";
import { type MockServer, startMockServer } from "../../src/server/server.ts";
import { finish } from "./run-line.ts";

const cli = commandFile();
const folder = mkdtempSync(join(tmpdir(), "call-transfer-proxy-"));
let running: ChildProcess[] = [];
let target: MockServer | undefined;

function run(...args: string[]) {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  return child;
}

afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
  await target?.close();
  target = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

it("forwards to the target, records the session at the end, and the recording starts a mock server", async () => {
  target = await startMockServer({ port: 0 });
  const [readyFile, record] = [join(folder, "ready.json"), join(folder, "session.json")];
  const proxy = run(
    ...["--engine", "proxy", "--target", target.url, "--port", "0"],
    "--json",
    "--ready-file",
    readyFile,
    "--record",
    record,
  );
  const [line] = await once(proxy.stdout, "data");
  expect(readFileSync(readyFile, "utf8")).toBe(String(line));
  const ready = JSON.parse(line);
  expect(ready).toEqual({ pid: proxy.pid, url: expect.any(String), engine: "proxy", target: target.url });
  const headers = { authorization: `Bearer ${demo.apiKey}` };
  const roles = await (await fetch(`${ready.url}/api/v1/roles`, { headers })).json();
  proxy.kill("SIGTERM");
  expect(await once(proxy, "close")).toEqual([0, null]);
  expect(existsSync(readyFile)).toBe(false);
  const mock = run("--seed", record, "--port", "0", "--json");
  const [banner] = await once(mock.stdout, "data");
  const { url, apiKey } = JSON.parse(banner);
  const again = await fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(await again.json()).toEqual(roles);
});

it("says in the banner where it forwards to", async () => {
  const proxy = run("--engine", "proxy", "--target", "https://staging.example.com/base/", "--port", "0", "--strict");
  const [banner] = await once(proxy.stdout, "data");
  expect(String(banner)).toContain("Forwards to        https://staging.example.com/base\n");
  expect(String(banner)).toContain("Requests that deviate are refused with status 400.");
});

it.each([
  [
    ["--engine", "proxy"],
    "--engine proxy requires --target with the API to forward to, such as --target https://staging.example.com",
  ],
  [["--engine", "proxy", "--target", "staging"], "--target staging: must be an http or https URL, such as"],
  [
    ["--engine", "proxy", "--target", "https://a:b@staging.example.com"],
    "--target: the URL must not contain a user name or password. Remove them.",
  ],
  [
    ["--engine", "proxy", "--target", "https://staging.example.com/api/v1"],
    "--target: must not include /api/v1. Remove it.",
  ],
  [
    ["--engine", "proxy", "--target", "https://staging.example.com", "--seed", "demo"],
    "--seed does not work with --engine proxy, which keeps no data. Remove it.",
  ],
  [
    ["--engine", "proxy", "--target", "https://staging.example.com", "--scenario", "everyone-away"],
    "--scenario does not work with --engine proxy, which keeps no data. Remove it.",
  ],
  [
    ["--target", "https://staging.example.com"],
    "--target only works with --engine proxy. Add --engine proxy, or remove --target.",
  ],
  [["--engine", "porxy"], "--engine porxy: must be stateful, prism or proxy."],
  [
    ["--engine", "proxy", "--target", "https://staging.example.com", "--record", "/nowhere/session.json"],
    "--record /nowhere/session.json: the folder /nowhere does not exist. Create it first.",
  ],
])("%j is a wrong command line", async (args, message) => {
  const { stderr, status } = await finish(...args, ...(args.includes("--port") ? [] : ["--port", "0"]));
  expect([stderr, status]).toEqual([expect.stringContaining(message), 2]);
});
