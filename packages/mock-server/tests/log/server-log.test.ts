import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, watch } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";

const cli = commandFile();
const folder = mkdtempSync(join(tmpdir(), "call-transfer-log-"));
let running: ChildProcess[] = [];
let started = 0;

/** Starts a server whose output is not read, and returns its address. */
async function start(args: readonly string[], stdout: "pipe" | number = "pipe") {
  started += 1;
  const name = `ready-${started}.json`;
  const isReady = new Promise<void>((resolve) => {
    const watcher = watch(folder, (_event, file) => {
      if (file !== name) return;
      watcher.close();
      resolve();
    });
  });
  const file = join(folder, name);
  const child = spawn(process.execPath, [cli, "--port", "0", "--ready-file", file, ...args], {
    stdio: ["ignore", stdout, "pipe"],
  });
  running.push(child);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  await isReady;
  const { url }: { url: string } = JSON.parse(readFileSync(file, "utf8"));
  const stop = async () => {
    child.kill("SIGTERM");
    const [status] = await once(child, "exit");
    return { status, stderr };
  };
  return { child, url, stop };
}

/** Sends a request and resolves with its status. */
function send(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, (incoming) => {
      incoming.resume().once("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.once("error", reject).end();
  });
}

/** Sends requests whose lines are 4 kB long, ten at a time. */
async function sendLong(url: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 10)
    statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => send(`${url}/${"x".repeat(4000)}`)))));
  return statuses;
}

/** Reads the rest of a child's output. */
async function readOutput({ stdout }: ChildProcess): Promise<string[]> {
  let text = "";
  for await (const chunk of stdout?.setEncoding("utf8") ?? []) text += chunk;
  return text.trimEnd().split("\n");
}

/** Reads a child's output until it matches a pattern. */
async function readUntil({ stdout }: ChildProcess, pattern: RegExp): Promise<string[]> {
  let text = "";
  for await (const chunk of stdout?.setEncoding("utf8") ?? []) {
    text += chunk;
    if (pattern.test(text)) break;
  }
  return text.trimEnd().split("\n");
}

// Some runners of tests force colours.
beforeEach(() => void vi.stubEnv("FORCE_COLOR", undefined));

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
});

afterAll(() => rmSync(folder, { recursive: true }));

// More than the pipe and the log's own memory hold.
const tooMany = 500;

it("answers every request while nobody reads its output, and ends when asked to", async () => {
  const { url, stop } = await start(["--log-format", "json"]);
  const statuses = await sendLong(url, tooMany);
  expect(statuses).toEqual(Array.from({ length: tooMany }, () => 404));
  expect(await stop()).toEqual({ status: 0, stderr: "" });
});

it("says how many lines it left out when its output is read again", async () => {
  const { child, url, stop } = await start(["--log-format", "json"]);
  await sendLong(url, tooMany);
  // The end of a server waits for half a second only, so it comes after the last line was read.
  const lines = await readUntil(child, /"log\.dropped".*\n/);
  await stop();
  const events = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const shown = events.filter(({ type }) => type === "request.completed").length;
  const [dropped] = events.filter(({ type }) => type === "log.dropped");
  expect(dropped.count).toBeGreaterThan(0);
  expect(shown + dropped.count).toBe(tooMany);
});

it("goes on without a log when the reader has left", async () => {
  const { child, url, stop } = await start([]);
  child.stdout?.destroy();
  expect(await sendLong(url, 20)).toEqual(Array.from({ length: 20 }, () => 404));
  expect(await stop()).toEqual({ status: 0, stderr: "" });
});

it("writes every line into a file by the end of the server", async () => {
  const path = join(folder, "log.txt");
  const file = openSync(path, "w");
  const { url, stop } = await start(["--log-format", "pretty"], file);
  for (let index = 0; index < 20; index += 1) await send(`${url}/api/v1/${index}`);
  expect(await stop()).toEqual({ status: 0, stderr: "" });
  closeSync(file);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.slice(-20).map((line) => line.split("/api/v1/")[1]?.split(" ")[0])).toEqual(
    Array.from({ length: 20 }, (_, index) => String(index)),
  );
});

/** Logs two lines, and then fails. */
const failing = `
  import { startLog } from "${new URL("../../src/log/server-log.ts", import.meta.url)}";
  let log;
  startLog({ follow: (listener) => void (log = listener) }, "json");
  for (const type of ["first", "last"]) log("default", { type });
  throw new Error("nothing catches this");
`;

it.skipIf(process.platform === "win32").each(["pipe", "file"])(
  "loses no line when an exception that nothing catches ends the process: %s",
  async (kind) => {
    const path = join(folder, "failed");
    const file = openSync(path, "w");
    const options = ["--conditions=@call-transfer/source", "--input-type=module", "--eval", failing];
    const stdio = ["ignore", kind === "pipe" ? "pipe" : file, "ignore"] as const;
    const child = spawn(process.execPath, options, {
      stdio: [...stdio],
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
    });
    const [printed] = await Promise.all([child.stdout === null ? [] : readOutput(child), once(child, "close")]);
    closeSync(file);
    const lines = kind === "pipe" ? printed : readFileSync(path, "utf8").trimEnd().split("\n");
    expect([child.exitCode, lines.map((line) => JSON.parse(line).type)]).toEqual([1, ["first", "last"]]);
  },
);

it("prints nothing but JSON with --log-format json, its first line too", async () => {
  const { child, url, stop } = await start(["--log-format", "json"]);
  await send(`${url}/api/v1/roles`);
  const reading = readOutput(child);
  await stop();
  const [ready, event] = (await reading).map((line) => JSON.parse(line));
  expect([ready.url, event.type]).toEqual([url, "request.completed"]);
});

it("logs nothing after the line of --json unless --log-format asks for it", async () => {
  const quiet = await start(["--json"]);
  await send(`${quiet.url}/api/v1/roles`);
  const reading = readOutput(quiet.child);
  await quiet.stop();
  expect(await reading).toHaveLength(1);
  const logging = await start(["--json", "--log-format", "json"]);
  await send(`${logging.url}/api/v1/roles`);
  const both = readOutput(logging.child);
  await logging.stop();
  const [, event = ""] = await both;
  expect(JSON.parse(event)).toMatchObject({
    sandbox: "default",
    type: "request.completed",
    path: "/api/v1/roles",
    status: 401,
  });
});
