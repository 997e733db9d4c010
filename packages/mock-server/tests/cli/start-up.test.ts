import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";

const cli = commandFile();
const folder = mkdtempSync(join(tmpdir(), "call-transfer-start-up-"));
const listAtExit = `process.on("exit", () => console.log(JSON.stringify(process.moduleLoadList)));`;

let server: ChildProcess | undefined;

afterEach(() => {
  server?.kill("SIGKILL");
});

afterAll(() => rmSync(folder, { recursive: true }));

it("starts and answers requests without Node's implementation of fetch and TLS, whose loading takes as long as the rest", async () => {
  const preload = `data:text/javascript,${encodeURIComponent(listAtExit)}`;
  const child = spawn(process.execPath, ["--import", preload, cli, "--port", "0", "--json"]);
  server = child;
  const printed = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  const { url, apiKey, accountId, tokens } = JSON.parse((await printed.next()).value);
  for (const token of [apiKey, tokens.owner]) {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": accountId };
    const answer = await fetch(`${url}/api/v1/roles`, { headers });
    expect(answer.status).toBe(200);
    const group = await fetch(`${url}/api/v1/transfers/destination-groups`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    expect(group.status).toBe(400);
  }
  child.kill("SIGTERM");
  const list: string[] = [];
  for (let part = await printed.next(); !part.done; part = await printed.next()) list.push(part.value);
  const modules: string[] = JSON.parse(list.join(""));
  expect(modules).toContain("NativeModule http");
  expect(modules.filter((name) => /undici|NativeModule (https|tls|crypto)$/.test(name))).toEqual([]);
});

describe("compiled code", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");

  /** Prints the version in an environment; returns the exit status and what was printed. */
  async function run(environment: Readonly<Record<string, string>>) {
    const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
    if (environment.NODE_COMPILE_CACHE === undefined) delete env.NODE_COMPILE_CACHE;
    const child = spawn(process.execPath, [cli, "--version"], { env });
    server = child;
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => output.push(text));
    const [status] = await once(child, "close");
    return { status, output: output.join("") };
  }

  const emptyFolder = () => mkdtempSync(join(folder, "cache-"));

  it.each([
    ["XDG_CACHE_HOME", []],
    ["HOME", [".cache"]],
  ])("is kept below %s, where only the user can write", async (variable, below) => {
    const parent = emptyFolder();
    const environment = { XDG_CACHE_HOME: "relative/is/ignored", [variable]: parent };
    expect(await run(environment)).toMatchObject({ status: 0 });
    const kept = join(parent, ...below, "call-transfer-mock");
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    expect(readdirSync(kept)).not.toEqual([]);
  });

  it("is not kept in a folder that others can write", async () => {
    const parent = emptyFolder();
    const shared = join(parent, "call-transfer-mock");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(await run({ XDG_CACHE_HOME: parent })).toMatchObject({ status: 0 });
    expect(readdirSync(shared)).toEqual([]);
  });

  it("is not kept behind a link", async () => {
    const [parent, target] = [emptyFolder(), emptyFolder()];
    symlinkSync(target, join(parent, "call-transfer-mock"));
    expect(await run({ XDG_CACHE_HOME: parent })).toMatchObject({ status: 0 });
    expect(readdirSync(target)).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)("is not kept in a folder of another user", async () => {
    const parent = emptyFolder();
    const theirs = join(parent, "call-transfer-mock");
    mkdirSync(theirs, { mode: 0o700 });
    chownSync(theirs, 65_534, 65_534);
    expect(await run({ XDG_CACHE_HOME: parent })).toMatchObject({ status: 0 });
    expect(readdirSync(theirs)).toEqual([]);
  });

  it.each([
    ["the folder for caches cannot be made", { XDG_CACHE_HOME: "/dev/null/cache" }],
    ["the folder for caches is a file", { XDG_CACHE_HOME: file }],
    ["the folder named by NODE_COMPILE_CACHE is below a file", { NODE_COMPILE_CACHE: join(file, "cache") }],
  ])("is not kept when %s, and nothing is said about it", async (_, environment) => {
    expect(await run(environment)).toEqual({ status: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it.each([
    ["keeps it elsewhere", "NODE_COMPILE_CACHE", join(folder, "elsewhere")],
    ["keeps nothing", "NODE_DISABLE_COMPILE_CACHE", "1"],
  ])("is not kept there where the user %s", async (_, variable, value) => {
    const parent = emptyFolder();
    expect(await run({ XDG_CACHE_HOME: parent, [variable]: value })).toMatchObject({ status: 0 });
    expect(readdirSync(parent)).toEqual([]);
  });
});
