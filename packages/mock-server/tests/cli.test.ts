import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { demo, demoSeed } from "@call-transfer/backend";
import { afterAll, afterEach, describe, expect, it } from "vitest";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
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
  const { url, apiKey, accountId, tokens, controlToken } = JSON.parse(output.stdout);
  return { child, url, apiKey, accountId, tokens, controlToken, output };
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

  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

const broken = fileOf("broken.json", "{");
const noSnapshot = fileOf("no-snapshot.json", { version: 2 });
const faults = fileOf("faults.json", [{ do: { code: "queue_full" } }, { do: { code: "quueue_full" } }]);

it.each([
  [["--prot", "1"], "Unknown option: --prot. Did you mean --port?"],
  [["clock", "--port", "1"], "Unknown option: --port."],
  [["rotues"], "Unknown command: rotues. Did you mean routes?"],
  [["help", "clok"], "Unknown command: clok. Did you mean clock?"],
  [["start", "twice"], "There is no use for: twice"],
  [["--json", "clock"], "There is no use for: clock; a command comes first, before options"],
  [["--fault", faults], `--fault ${faults}[1].do.code: is no code of the table`],
  [["--import", noSnapshot], `--import ${noSnapshot}: version: `],
  [["--export-on-exit", join(folder, "none", "work.json")], "the folder"],
  [["--export-on-exit", folder], "is a folder; name a file."],
  [["--ready-file", join(folder, "none", "ready.json")], "the folder"],
  [["clock", "stop"], "npm -s start -- clock advance 24h"],
  [["trigger", "call.ended"], "npm -s start -- trigger transfer.offer"],
  [["restore"], "restore wants the file of a snapshot"],
  [["restore", broken], `restore ${broken}: `],
  [["clock", "--destination", "x"], "--destination is of use to trigger alone."],
  [["clock", "--lifetime", "1h"], "--lifetime is of use to token alone."],
  [["--token-lifetime", "36501d"], "--token-lifetime 36501d: must be a duration such as 30m, 24h or 365d"],
  [["--write-env", join(folder, "none", ".env")], `--write-env ${join(folder, "none", ".env")}: the folder`],
  [["reset", "everything"], "There is no use for: everything"],
  [["routes", "--url", "localhost:4010"], "--url localhost:4010: must be an http or https URL"],
  [["routes", "--url", "http://me:hidden@127.0.0.1:4010"], "--url: leave user and password out of the URL"],
])("refuses %j with status 2, naming it", async (args, message) => {
  const { status, stdout, stderr } = await finish(...args);
  expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

it("checks its files before it looks for a port", async () => {
  const { url } = await ready();
  const { status, stderr } = await finish("--port", new URL(url).port, "--fault", faults);
  expect([status, stderr]).toEqual([2, expect.stringContaining(faults)]);
});

it.each([
  [["--help"], "--forward-webhooks URL"],
  [["help"], "--forward-webhooks URL"],
  [["start", "-h"], "--forward-webhooks URL"],
  [["help", "start"], "--forward-webhooks URL"],
  [["help", "clock"], "clock advance STEP"],
  [["clock", "--help"], "clock advance STEP"],
  [["trigger", "--help"], "--destination ID"],
  [["help", "token"], "token [ROLE]"],
])("explains itself on %j, in lines that fit a terminal", async (args, part) => {
  const { status, stdout } = await finish(...args);
  expect([status, stdout]).toEqual([0, expect.stringContaining(part)]);
  expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
});

it("tells a command's options alone when it is asked about a command", async () => {
  expect((await finish("help", "clock")).stdout).not.toContain("--seed");
});

it("tells its version", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await finish("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

it("says what to do when its port is taken", async () => {
  const { port } = new URL((await ready()).url);
  const { status, stderr } = await finish("--port", port);
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use.`)]);
  expect(stderr).toContain("--port 0");
});

it("says what to do about an address of another machine", async () => {
  const { status, stderr } = await finish("--port", "0", "--host", "192.0.2.1");
  expect([status, stderr]).toEqual([1, expect.stringContaining("--host 192.0.2.1 is no address of this machine.")]);
});

it.each(["::1", "[::1]"])("listens on %s at an address ready to paste", async (host) => {
  const { url } = await ready("--host", host);
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${url}/_control/v1/health`)).status).toBe(200);
});

it("names an address that this machine reaches when it listens on all of them", async () => {
  const { url, controlToken, output } = await ready("--host", "0.0.0.0");
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(output.stderr).toContain("Other machines can reach this server.");
  expect((await finish("clock", "--url", url)).status).toBe(1);
  expect((await finish("clock", "--url", url, "--token", controlToken)).status).toBe(0);
});

it("prints a banner without colours, whose command works as it stands", async () => {
  const { child, output } = run("--port", "0");
  await once(child.stdout, "data");
  const [, command = ""] = /^Try: {3}(curl .+)$/m.exec(output.stdout) ?? [];
  const [, header = "", url = ""] = /^curl -H "Authorization: (.+)" (.+)$/.exec(command) ?? [];
  expect((await fetch(url, { headers: { authorization: header } })).status).toBe(200);
  expect(output.stdout).not.toContain("\u001b");
});

it("begins without credentials when its data holds no account", async () => {
  const { child, output } = run("--port", "0", "--seed", fileOf("empty.json", {}));
  await once(child.stdout, "data");
  expect(output.stdout).toContain("There are no credentials, because the data holds no account: see --seed.");
});

it("says what to do when no server answers", async () => {
  const { status, stderr } = await finish("clock", "--url", "http://127.0.0.1:1");
  expect([status, stderr]).toEqual([1, expect.stringContaining("Start one with: npm -s start --")]);
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

async function advance(url: string, hours: number) {
  const { ok } = await fetch(`${url}/_control/v1/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ by: hours * 3_600_000 }),
  });
  expect(ok).toBe(true);
}

it("gives tokens that outlive the steps of the clock that the pages show", async () => {
  const { url, accountId, tokens } = await ready();
  for (const days of [1, 7]) await advance(url, days * 24);
  const headers = { authorization: `Bearer ${tokens.owner}`, "x-account-id": accountId };
  expect((await fetch(`${url}/api/v1/roles`, { headers })).status).toBe(200);
});

it("gives tokens that expire when it was told so, and names the command that prints a new one alone", async () => {
  const { child, output } = run("--port", "0", "--token-lifetime", "1h", "--clock", "frozen");
  await once(child.stdout, "data");
  const [, url = ""] = /listens on (\S+)/.exec(output.stdout) ?? [];
  const [, old = ""] = /^ {2}owner {3}(\S+)$/m.exec(output.stdout) ?? [];
  const [, command = ""] = /^A new one: {2}npm -s start -- (.+)$/m.exec(output.stdout) ?? [];
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": demo.accountId };
    return (await fetch(`${url}/api/v1/roles`, { headers })).status;
  };
  expect(output.stdout).toContain("good until 2026-03-02T13:00:00.000Z on the server's clock:");
  await advance(url, 1);
  const { stdout, stderr } = await finish(...command.split(" "));
  expect([await read(old), stderr, await read(stdout.replace(/\n$/, ""))]).toEqual([401, "", 200]);
});

it("sets its credentials in a .env file that only its owner reads, and leaves the other lines there in the end", async () => {
  const file = fileOf(".env", "# mine\nOTHER='1 # 2'\nexport CALL_TRANSFER_API_KEY=old # from yesterday\n");
  chmodSync(file, 0o644);
  const { child, url, apiKey, accountId, tokens, output } = await ready("--write-env", file);
  const { signingSecret } = JSON.parse(output.stdout);
  child.kill("SIGTERM");
  await once(child, "close");
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# mine\nOTHER='1 # 2'\nexport CALL_TRANSFER_API_KEY=\S+ # from yesterday\n/);
  expect(signingSecret).toBe(demo.signingSecret);
  expect(parseEnv(text)).toEqual({
    OTHER: "1 # 2",
    CALL_TRANSFER_BASE_URL: url,
    CALL_TRANSFER_API_KEY: apiKey,
    CALL_TRANSFER_ACCOUNT_ID: accountId,
    CALL_TRANSFER_TOKEN_OWNER: tokens.owner,
    CALL_TRANSFER_TOKEN_ADMIN: tokens.admin,
    CALL_TRANSFER_TOKEN_MEMBER: tokens.member,
    CALL_TRANSFER_TOKEN_AGENT: tokens.agent,
    CALL_TRANSFER_SIGNING_SECRET: signingSecret,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("starts nothing when a credential does not fit into a .env file, and leaves the file as it was", async () => {
  const { accounts, destinations } = demoSeed;
  const [app] = destinations?.filter(({ kind }) => kind === "app") ?? [];
  const seed = fileOf("odd.json", { accounts, destinations: [{ ...app, signingSecret: "it's $1" }] });
  const file = fileOf("odd.env", "OTHER=1\n");
  const { status, stdout, stderr } = await finish("--port", "0", "--seed", seed, "--write-env", file);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("CALL_TRANSFER_SIGNING_SECRET cannot be written to a .env file: ");
  expect(stderr).not.toContain("it's $1");
  expect(readFileSync(file, "utf8")).toBe("OTHER=1\n");
});

it("leaves no address of a killed server to whoever waits for the next one", async () => {
  const path = join(folder, "killed.json");
  const killed = await ready("--ready-file", path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: killed.child.pid, url: killed.url });
  killed.child.kill("SIGKILL");
  await once(killed.child, "close");
  expect(existsSync(path)).toBe(true);
  const busy = createServer();
  await once(busy.listen(0, "127.0.0.1"), "listening");
  const { port } = busy.address() as AddressInfo;
  expect((await finish("--ready-file", path, "--port", String(port))).status).toBe(1);
  busy.close();
  expect(existsSync(path)).toBe(false);
  const next = await ready("--ready-file", path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: next.child.pid, url: next.url });
});

it("leaves a ready file that another server has written by then", async () => {
  const path = join(folder, "shared.json");
  const { child } = await ready("--ready-file", path);
  writeFileSync(path, JSON.stringify({ pid: 0 }));
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(readFileSync(path, "utf8")).toBe('{"pid":0}');
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

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("goes on tomorrow where %s ended today", async (signal) => {
  const file = join(folder, `work-${signal}.json`);
  const today = await ready("--import", file, "--export-on-exit", file);
  const group = { name: "Kept", members: [{ destinationId: demo.destinations.phone }] };
  const create = async (url: string) =>
    fetch(`${url}/api/v1/transfers/destination-groups`, {
      method: "POST",
      headers: { authorization: `Bearer ${today.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(group),
    });
  expect((await create(today.url)).status).toBe(201);
  today.child.kill(signal);
  expect(await once(today.child, "close")).toEqual([0, null]);
  const tomorrow = await ready("--import", file);
  expect((await create(tomorrow.url)).status).toBe(409);
});

it("says which options wait for a reset, because it goes on from a snapshot", async () => {
  const file = join(folder, "replacing.json");
  const options = [
    "--import",
    file,
    "--policy",
    "concurrentCallLimit=1",
    "--latency",
    "400",
    "--cors",
    "http://a.test",
  ];
  const { child, output: first } = await ready("--export-on-exit", file, ...options);
  child.kill("SIGTERM");
  await once(child, "close");
  expect(first.stderr).toBe("");
  const { output } = await ready(...options);
  expect(output.stderr).toBe(
    `It goes on from ${file}, so these options have no effect before a reset: --policy, --latency\n`,
  );
});

it("warns of a latency under a clock that stands still, beside the JSON", async () => {
  const { output } = await ready("--clock", "frozen", "--latency", "400");
  expect(output.stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("a latency of 400 ms")]);
});

it("loses nothing when the folder of its export is gone in the end", async () => {
  const gone = join(folder, "gone");
  mkdirSync(gone);
  const { child, output } = await ready("--export-on-exit", join(gone, "work.json"));
  rmSync(gone, { recursive: true });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([1, null]);
  const [, refuge = ""] = /cannot be written: .*\. The snapshot is in (.+) instead\./.exec(output.stderr) ?? [];
  expect(JSON.parse(readFileSync(refuge, "utf8"))).toMatchObject({ version: 1 });
  rmSync(dirname(refuge), { recursive: true });
});

it("creates a sandbox when a request first names it, if it may", async () => {
  const [open, closed] = [await ready("--auto-sandboxes"), await ready()];
  const read = async ({ url, apiKey }: { url: string; apiKey: string }) =>
    (await fetch(`${url}/_sandbox/mine/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } })).status;
  expect([await read(open), await read(closed)]).toEqual([200, 404]);
});

describe("a trigger", () => {
  const receivers: Server[] = [];
  afterEach(() => {
    for (const receiver of receivers.splice(0)) receiver.close().closeAllConnections();
  });
  /** An app's server that answers with a status, and the mock server that forwards to it. */
  async function forwarding(status: number, ...options: string[]) {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (text) => received.push(text));
      request.on("end", () => response.writeHead(status).end());
    });
    receivers.push(receiver);
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    const forward = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/offers`;
    return { received, receiver, url: (await ready("--forward-webhooks", forward, ...options)).url };
  }

  it("goes to where webhooks are forwarded, and shows the delivery", async () => {
    const { received, url } = await forwarding(204);
    const { status, stdout, stderr } = await finish("trigger", "transfer.offer", "--url", url);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, status: 204, body: received.join("") });
  });

  it("fails when the app's server declines, and says so beside the JSON", async () => {
    const { url } = await forwarding(401);
    const { status, stdout, stderr } = await finish("trigger", "transfer.offer", "--json", "--url", url);
    expect([status, stderr]).toEqual([1, expect.stringContaining("declined the offer with status 401.")]);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: false, status: 401 });
  });

  it("that a receiver refuses for its time says by how much the clock is off", async () => {
    const { url } = await forwarding(400, "--now", "2001-01-01T00:00:00Z");
    const { status, stderr } = await finish("trigger", "transfer.offer", "--url", url);
    expect([status, stderr]).toEqual([1, expect.stringContaining("days behind the real time")]);
  });

  it("fails when nobody listens, and says what to do", async () => {
    const { receiver, url } = await forwarding(204);
    receiver.close();
    const { status, stderr } = await finish("trigger", "transfer.offer", "--url", url);
    expect([status, stderr]).toEqual([1, expect.stringContaining("did not arrive: connect ECONNREFUSED")]);
    expect(stderr).toContain("Start the app's server");
  });
});

it("prints what it reads as one line of data when it is asked for JSON", async () => {
  const { url } = await ready();
  const read = async (command: string) => (await finish(command, "--json", "--url", url)).stdout;
  const lines = await Promise.all(["routes", "snapshot", "clock"].map(read));
  expect(lines.map((line) => line.trim().split("\n").length)).toEqual([1, 1, 1]);
  const [routes, snapshot, clock] = lines.map((line) => JSON.parse(line));
  expect(routes).toContainEqual({ method: "GET", path: "/api/v1/roles", operationId: "listRoles" });
  expect([snapshot, clock]).toMatchObject([{ version: 1 }, { mode: "flowing" }]);
});

it("prints what it did as data when it is asked for JSON", async () => {
  const { url } = await ready();
  const file = join(folder, "kept.json");
  const data = async (...args: string[]) => JSON.parse((await finish(...args, "--json", "--url", url)).stdout);
  expect(await data("snapshot", file)).toEqual({ file });
  expect(await data("restore", file)).toEqual({ file });
  expect(await data("reset")).toEqual({ sandbox: "default" });
});

it("names the file that is no snapshot", async () => {
  const { url } = await ready();
  const { status, stderr } = await finish("restore", noSnapshot, "--url", url);
  expect([status, stderr]).toEqual([2, expect.stringContaining(`restore ${noSnapshot}: version: `)]);
});

it("names the file that its snapshot cannot be written to", async () => {
  const { url } = await ready();
  const { status, stderr } = await finish("snapshot", join(folder, "none", "kept.json"), "--url", url);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`${join(folder, "none", "kept.json")} cannot be written`),
  ]);
});

it("takes its own snapshot back, also where that is larger than other bodies may be", async () => {
  const accounts = [{ id: "a0000000-0000-4000-8000-00000000000a", name: "x".repeat(2 ** 20) }];
  const { url } = await ready("--seed", fileOf("large-seed.json", { accounts }), "--clock", "frozen");
  const [file, again] = [join(folder, "large.json"), join(folder, "large-again.json")];
  for (const args of [
    ["snapshot", file],
    ["restore", file],
    ["snapshot", again],
  ])
    expect(await finish(...args, "--url", url)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(file).byteLength).toBeGreaterThan(2 ** 20);
  expect(JSON.parse(readFileSync(again, "utf8"))).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

it("names the start as the way for a snapshot that a running server refuses", async () => {
  const server = createServer((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: "The body is larger than 64 MiB." }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const snapshot = fileOf("refused.json", { version: 1 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { status, stderr } = await finish("restore", snapshot, "--url", url);
  server.close().closeAllConnections();
  expect([status, stderr]).toEqual([1, expect.stringContaining(`npm -s start -- --import ${snapshot}`)]);
});

it("notices a server that is no mock server", async () => {
  const server = createServer((_, response) => response.end("<html>"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { status, stderr } = await finish(
    "clock",
    "--url",
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  server.close().closeAllConnections();
  expect([status, stderr]).toEqual([1, expect.stringContaining("is no mock server")]);
});
