import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it } from "vitest";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
const source = "--conditions=@call-transfer/source";
const folder = mkdtempSync(join(tmpdir(), "call-transfer-start-up-"));
const listAtExit = `process.on("exit", () => console.log(JSON.stringify(process.moduleLoadList)));`;

let server: ChildProcess | undefined;

afterEach(() => {
  server?.kill("SIGKILL");
});

afterAll(() => rmSync(folder, { recursive: true }));

it("starts and answers requests without Node's implementation of fetch, whose loading takes as long as the rest", async () => {
  const preload = `data:text/javascript,${encodeURIComponent(listAtExit)}`;
  const child = spawn(process.execPath, [source, "--import", preload, cli, "--port", "0", "--json"]);
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
  expect(modules.filter((name) => name.includes("undici"))).toEqual([]);
});

describe("compiled code", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");

  /** Prints the version in an environment; returns the exit status and what was printed. */
  async function run(environment: Readonly<Record<string, string>>) {
    const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
    if (environment.NODE_COMPILE_CACHE === undefined) delete env.NODE_COMPILE_CACHE;
    const child = spawn(process.execPath, [source, cli, "--version"], { env });
    server = child;
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => output.push(text));
    const [status] = await once(child, "close");
    return { status, output: output.join("") };
  }

  it("is kept among the temporary files", async () => {
    const temporary = mkdtempSync(join(folder, "tmp-"));
    expect(await run({ TMPDIR: temporary })).toMatchObject({ status: 0 });
    expect(readdirSync(temporary)).toEqual(["node-compile-cache"]);
  });

  it.each([
    ["no folder for temporary files can be made", { TMPDIR: "/dev/null/tmp" }],
    ["the folder for temporary files is a file", { TMPDIR: file }],
    ["the folder named by NODE_COMPILE_CACHE is below a file", { NODE_COMPILE_CACHE: join(file, "cache") }],
  ])("is not kept when %s, and nothing is said about it", async (_, environment) => {
    expect(await run(environment)).toEqual({ status: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it("is not kept where the user asks for that", async () => {
    const temporary = mkdtempSync(join(folder, "tmp-"));
    expect(await run({ TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" })).toMatchObject({ status: 0 });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
