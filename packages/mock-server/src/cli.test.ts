import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { demo, demoSeed } from "@call-transfer/backend";
import { afterAll, afterEach, expect, it } from "vitest";

const cli = fileURLToPath(new URL("cli.ts", import.meta.url));
let running: ChildProcess[] = [];

function run(...args: string[]) {
  const child = spawn(process.execPath, ["--conditions=@call-transfer/source", cli, ...args]);
  running.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  return { child, output };
}

async function finish(...args: string[]) {
  const { child, output } = run(...args);
  const [status] = await once(child, "close");
  return { status, ...output };
}

const folder = mkdtempSync(join(tmpdir(), "call-transfer-cli-"));
const fileOf = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

/** A server that is ready, with what it said about itself. */
async function ready(...args: string[]) {
  const { child, output } = run("start", "--port", "0", "--json", ...args);
  await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  const { url, apiKey, accountId, tokens } = JSON.parse(output.stdout);
  return { child, url, apiKey, accountId, tokens, output };
}

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
});

afterAll(() => rmSync(folder, { recursive: true }));

it("prints one line of JSON with credentials that work, and ends well on a signal", async () => {
  const { child, output } = run("start", "--port", "0", "--clock", "frozen", "--now", "2026-03-02T12:00:00Z", "--json");
  await once(child.stdout, "data");
  const { url, apiKey, accountId, tokens } = JSON.parse(output.stdout);
  const read = (token: string) =>
    fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${token}`, "x-account-id": accountId } });
  const statuses = await Promise.all(
    [apiKey, ...Object.values<string>(tokens)].map(async (t) => (await read(t)).status),
  );
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(Object.keys(tokens)).toEqual(["owner", "admin", "member", "agent"]);

  const busy = await finish("--port", new URL(url).port);
  expect([busy.status, busy.stderr]).toEqual([1, expect.stringContaining(`Port ${new URL(url).port} `)]);

  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

it.each([
  [["--prot", "1"], "--prot"],
  [["--port", "70000"], "--port"],
  [["--clock", "stopped"], "--clock"],
  [["--now", "yesterday"], "--now"],
  [["stop"], "stop"],
  [["start", "twice"], "twice"],
  [["--prng", "-1"], "--prng"],
  [["--latency", "soon"], "--latency"],
  [["--policy", "callQueueLimit"], "--policy"],
  [["--policy", "callQueueLimit=many"], "policies.callQueueLimit"],
  [["--policy", "nothing=1"], "policies.nothing"],
  [["--cors", "http://localhost:5173/"], "--cors"],
  [["--forward-webhooks", "ftp://localhost"], "--forward-webhooks"],
  [["--seed", join(folder, "none.json")], "none.json"],
  [["--seed", fileOf("broken.json", "{")], "broken.json"],
  [["--seed", fileOf("role.json", { members: [{ role: "boss" }] })], "seed.members[0]"],
  [["--fault", fileOf("broken-fault.json", "[")], "--fault"],
  [["clock", "advance", "tomorrow"], "tomorrow"],
  [["clock", "stop"], "advance"],
  [["trigger", "call.ended"], "transfer.offer"],
  [["restore"], "restore"],
  [["reset", "everything"], "everything"],
  [["routes", "--url", "here"], "--url"],
])("refuses %j, naming it, with status 2", async (args, name) => {
  const { status, stderr } = await finish(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(name)]);
  expect(stderr).not.toContain("    at ");
});

it("explains itself", async () => {
  const { status, stdout } = await finish("--help");
  expect([status, stdout]).toEqual([0, expect.stringContaining("--port")]);
});

it("says what to do when no server answers", async () => {
  const { status, stderr } = await finish("clock", "--url", "http://127.0.0.1:1");
  expect([status, stderr]).toEqual([1, expect.stringContaining("Start one with: call-transfer-mock")]);
});

it("begins with the seed of a file and tells its credentials", async () => {
  const { accounts, users, members } = demoSeed;
  const seed = fileOf("seed.json", { $schema: "./seed.schema.json", accounts, users, members });
  const { url, apiKey, accountId, tokens } = await ready("--seed", seed);
  const response = await fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect([response.status, accountId, Object.keys(tokens).length]).toEqual([200, demo.accountId, 4]);
});

it("writes what it is ready with to a file, and takes it away in the end", async () => {
  const path = join(folder, "ready.json");
  const { child, output } = await ready("--ready-file", path);
  expect(readFileSync(path, "utf8")).toBe(output.stdout);
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(() => readFileSync(path)).toThrow("ENOENT");
});

it("lets pages of an allowed origin in, and takes policies as typed", async () => {
  const { url, apiKey } = await ready(
    "--cors",
    "http://localhost:5173",
    "--policy",
    "concurrentCallLimit=0",
    "--policy",
    "callQueueLimit=0",
  );
  const headers = { authorization: `Bearer ${apiKey}`, origin: "http://localhost:5173" };
  const response = await fetch(`${url}/api/v1/roles`, { headers });
  expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  expect(await (await fetch(`${url}/_control/v1/policies`)).json()).toMatchObject({
    concurrentCallLimit: 0,
    callQueueLimit: 0,
  });
});

it("moves, resets and shows a running server", async () => {
  const { url } = await ready("--clock", "frozen", "--now", "2026-03-02T12:00:00Z");
  const command = async (...args: string[]) => (await finish(...args, "--url", url)).stdout;
  expect(JSON.parse(await command("clock", "advance", "24h"))).toMatchObject({ now: "2026-03-03T12:00:00.000Z" });
  expect(await command("reset")).toContain("as it was started");
  expect(JSON.parse(await command("clock", "--json"))).toMatchObject({ now: "2026-03-02T12:00:00.000Z" });
});

it("keeps its faults and its credentials through a reset", async () => {
  const seed = join(folder, "bare.json");
  writeFileSync(seed, JSON.stringify({ accounts: [{ id: "a0000000-0000-4000-8000-00000000000a", name: "Bare" }] }));
  const { url, apiKey } = await ready("--seed", seed, "--latency", "1");
  expect((await finish("reset", "--url", url)).status).toBe(0);
  const { faults } = (await (await fetch(`${url}/_control/v1/faults`)).json()) as { faults: unknown[] };
  expect(faults).toHaveLength(1);
  const response = await fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(response.status).toBe(200);
});
