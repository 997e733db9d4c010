import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";

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

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
});

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
])("refuses %j, naming it, with status 2", async (args, name) => {
  const { status, stderr } = await finish(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(name)]);
  expect(stderr).not.toContain("    at ");
});

it("explains itself", async () => {
  const { status, stdout } = await finish("--help");
  expect([status, stdout]).toEqual([0, expect.stringContaining("--port")]);
});
