import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";
import { finish } from "./run-line.ts";

const cli = commandFile();
let running: ChildProcess[] = [];

function run(...args: string[]) {
  return runIn(process.cwd(), process.env, ...args);
}

function runIn(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [cli, ...args], { cwd, env });
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

/** Runs a command line in a process of its own, to its end. */
async function finishAlone(...args: string[]) {
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

/** Starts a server and waits until it is ready; returns what it printed. */
async function ready(...args: string[]) {
  const { child, output } = run("start", "--port", "0", "--json", ...args);
  await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  const { url, apiKey, accountId, tokens, controlToken } = JSON.parse(output.stdout);
  return { child, url, apiKey, accountId, tokens, controlToken, output };
}

// Some runners of tests force colours.
beforeEach(() => void vi.stubEnv("FORCE_COLOR", undefined));

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
});

afterAll(() => rmSync(folder, { recursive: true }));

it("prints one line of JSON with working credentials, and exits with 0 on a signal", async () => {
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
const misspelled = fileOf("misspelled.json", { memebers: [] });
const empty = fileOf("empty-text.json", "");
const noSnapshot = fileOf("no-snapshot.json", { version: 2 });
const faults = fileOf("faults.json", [{ do: { code: "queue_full" } }, { do: { code: "quueue_full" } }]);

it.each([
  [["--prot", "1"], "Unknown option --prot. Did you mean --port?"],
  [["clock", "--port", "1"], "Unknown option --port."],
  [["recrods"], 'Unknown command "recrods". Did you mean records?'],
  [["help", "clok"], 'Unknown command "clok". Did you mean clock?'],
  [["start", "twice"], 'Unknown command "twice". For all commands: npx @call-transfer/mock-server --help'],
  [["clock", "--fast"], "Unknown option --fast. For all options: npx @call-transfer/mock-server clock --help"],
  [["--json", "clock"], 'Unexpected argument "clock". A command stands before its options.'],
  [["--url", "http://127.0.0.1:4010", "clock"], "--url is an option of commands. Write it after the command."],
  [["webhooks", "trigger", "--destination", "--json"], "--destination requires a value. To pass --json as the value"],
  [
    ["webhooks", "trigger", "--destination"],
    "--destination requires a value. See npx @call-transfer/mock-server webhooks",
  ],
  [["webhooks", "--json=yes"], "--json does not take a value. Write --json alone."],
  [["webhooks", "trigger", "--json=yes"], "--json does not take a value. Write --json alone."],
  [["--seed", misspelled], `--seed ${misspelled}: memebers: is not a known field. Did you mean members?`],
  [["--seed", empty], `--seed ${empty}: not valid JSON: it ends too early, or is empty.`],
  [["--fault", faults], `--fault ${faults}[1].do.code: unknown error code`],
  [["--import", noSnapshot], `--import ${noSnapshot}: version: `],
  [["--export-on-exit", join(folder, "none", "work.json")], "the folder"],
  [["--export-on-exit", folder], "is a folder. Name a file."],
  [["--ready-file", join(folder, "none", "ready.json")], "the folder"],
  [["--data-file", join(folder, "none", "mock.db")], `--data-file ${join(folder, "none", "mock.db")}: the folder`],
  [["--data-file", folder], "is a folder. Name a file."],
  [["--data-file", "mock.db", "--prism"], "--data-file does not work with --prism, which is stateless."],
  [["clock", "stop"], 'Unknown clock action "stop". Possible: advance, set, freeze, run.'],
  [["clock", "advnce"], 'Unknown clock action "advnce". Did you mean advance?'],
  [["clock", "advance"], "Missing STEP. Usage: npx @call-transfer/mock-server clock advance 24h"],
  [["clock", "advance", "1h", "2h"], 'Unexpected argument "2h".'],
  [["webhooks", "trigger", "x"], 'Unexpected argument "x".'],
  [["snapshot", "restore"], "Missing FILE. Usage: npx @call-transfer/mock-server snapshot restore work.json"],
  [["snapshot", "restore", broken], `snapshot restore ${broken}: not valid JSON: `],
  [["clock", "--destination", "x"], "--destination only works with webhooks trigger."],
  [["clock", "--rate", "2"], "--rate only works with clock run."],
  [["clock", "--expires-in", "1h"], "--expires-in only works with credentials token."],
  [
    ["credentials"],
    "Missing action. Possible: token, keys, rotate. See npx @call-transfer/mock-server credentials --help",
  ],
  [["attack"], "Missing URL. Usage: npx @call-transfer/mock-server attack http://127.0.0.1:3000/offers"],
  [["--token-expires-in", "36501d"], "--token-expires-in 36501d: must be a duration above 0, such as 30m, 24h or 365d"],
  [["--write-env", join(folder, "none", ".env")], `--write-env ${join(folder, "none", ".env")}: the folder`],
  [["sandbox", "reset", "everything"], 'Unexpected argument "everything".'],
  [["api", "--url", "localhost:4010"], "--url localhost:4010: must be an http or https URL"],
  [["api", "--url", "http://me:hidden@127.0.0.1:4010"], "--url: the URL must not contain a user name or password."],
])("rejects %j with status 2 and one line", async (args, message) => {
  const { status, stdout, stderr } = await finish(...args);
  expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/^error: /);
});

it("checks its files before it binds the port", async () => {
  const { url } = await ready();
  const { status, stderr } = await finish("--port", new URL(url).port, "--fault", faults);
  expect([status, stderr]).toEqual([2, expect.stringContaining(faults)]);
});

it.each([
  [["--help"], "  snapshot "],
  [["help"], "  snapshot "],
  [["start", "-h"], "--max-sandboxes N"],
  [["help", "start"], "--max-sandboxes N"],
  [["help", "clock"], "--sandbox NAME"],
  [["help", "clock"], "clock advance STEP"],
  [["clock", "--help"], "clock advance STEP"],
  [["webhooks", "trigger", "--help"], "--destination ID"],
  [["help", "credentials"], "credentials token [ROLE]"],
  [["attack", "--help"], "--handled-url URL"],
  [["help", "start"], "CALL_TRANSFER_MOCK_DATA_FILE"],
])("prints help for %j in lines of at most 80 characters", async (args, part) => {
  const { status, stdout } = await finish(...args);
  expect([status, stdout]).toEqual([0, expect.stringContaining(part)]);
  expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
});

it("prints a help that fits a screen of 24 lines with the next prompt, and all options of a command on demand", async () => {
  const [short, ofStart] = await Promise.all([finish("--help"), finish("start", "--help")]);
  expect(short.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(23);
  expect(new Set(ofStart.stdout.match(/^ {2}--[a-z-]+/gm)).size).toBeGreaterThan(30);
});

it("prints only a command's own options in its help", async () => {
  expect((await finish("help", "clock")).stdout).not.toContain("--seed");
});

it("refuses a Node that is too old, and says which one it needs", async () => {
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
  const child = spawn(process.execPath, ["--import", `data:text/javascript,${old}`, cli, "--help"]);
  running.push(child);
  const [[error], [status]] = await Promise.all([once(child.stderr, "data"), once(child, "close")]);
  expect([status, String(error)]).toEqual([1, expect.stringContaining("error: Node 20 or newer is required")]);
});

it("prints its version", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await finishAlone("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

it("says what to do when the port is in use", async () => {
  const { port } = new URL((await ready()).url);
  const { status, stderr } = await finish("--port", port);
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use.`)]);
  expect(stderr).toContain("--port 0");
});

it("says what to do when the machine does not have the address", async () => {
  const { status, stderr } = await finish("--port", "0", "--host", "192.0.2.1");
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("--host 192.0.2.1: this machine does not have the address."),
  ]);
});

it("prints a loopback URL when it listens on all addresses, and requires the control token", async () => {
  const { url, controlToken, output } = await ready("--host", "0.0.0.0");
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(output.stderr).toContain("Other machines can reach this server.");
  expect((await finish("clock", "--url", url)).status).toBe(1);
  expect((await finish("clock", "--url", url, "--control-token", controlToken)).status).toBe(0);
});

it("prints a banner without colors into a pipe, and with colors on demand", async () => {
  const { child, output } = run("--port", "0");
  await once(child.stdout, "data");
  expect(output.stdout).not.toContain("\u001b");
  vi.stubEnv("FORCE_COLOR", "1");
  const coloured = run("--port", "0");
  await once(coloured.child.stdout, "data");
  expect(coloured.output.stdout).toContain("\u001b[32mhttp://127.0.0.1:");
});

it("starts without credentials when the data has no account", async () => {
  const { child, output } = run("--port", "0", "--seed", fileOf("empty.json", {}));
  await once(child.stdout, "data");
  expect(output.stdout).toContain("No credentials: the data has no account.");
});

it("says what to do when no server is running", async () => {
  const { status, stderr } = await finish("clock", "--url", "http://127.0.0.1:1");
  expect([status, stderr]).toEqual([1, expect.stringContaining("start a server: npx @call-transfer/mock-server")]);
});

it("starts with the seed of a file and prints its credentials", async () => {
  const { accounts, users, members } = demoSeed;
  const seed = fileOf("seed.json", { $schema: "./seed.schema.json", accounts, users, members });
  const { url, apiKey, accountId, tokens } = await ready("--seed", seed);
  const response = await fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect([response.status, accountId, Object.keys(tokens).length]).toEqual([200, demo.accountId, 4]);
});

it("answers by the stubs of a file, which a data file keeps with their sequence", async () => {
  const stubs = fileOf(
    "stubs.yaml",
    `stubs:
  - { method: GET, path: /api/v1/job, responses: [{ status: 202 }, { status: 200, body: done }] }
`,
  );
  const data = join(folder, "stubs.db");
  const first = await ready("--stubs", stubs, "--data-file", data);
  const headers = { authorization: `Bearer ${first.apiKey}` };
  expect((await fetch(`${first.url}/api/v1/job`, { headers })).status).toBe(202);
  first.child.kill("SIGKILL");
  await once(first.child, "close");
  const second = await ready("--data-file", data);
  expect((await fetch(`${second.url}/api/v1/job`, { headers })).status).toBe(200);
  const { requests } = await (await fetch(`${second.url}/_control/v1/requests`)).json();
  expect(requests.at(-1)).toMatchObject({ stub: "stub-1", decidedBy: { step: "stub" } });
});

it("writes the ready file, and removes it at shutdown", async () => {
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

it("issues tokens that stay valid when the clock is advanced by days", async () => {
  const { url, accountId, tokens } = await ready();
  for (const days of [1, 7]) await advance(url, days * 24);
  const headers = { authorization: `Bearer ${tokens.owner}`, "x-account-id": accountId };
  expect((await fetch(`${url}/api/v1/roles`, { headers })).status).toBe(200);
});

it("applies --token-expires-in, and prints until when the tokens are valid", async () => {
  const { url, tokens, output } = await ready("--token-expires-in", "1h", "--clock", "frozen");
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": demo.accountId };
    return (await fetch(`${url}/api/v1/roles`, { headers })).status;
  };
  expect(JSON.parse(output.stdout).tokensExpireAt).toBe("2026-03-02T13:00:00.000Z");
  await advance(url, 1);
  const { stdout, stderr } = await finish("credentials", "token", "owner", "--url", url);
  expect([await read(tokens.owner), stderr, await read(stdout.replace(/\n$/, ""))]).toEqual([401, "", 200]);
});

it("sets credentials in a .env file that only its owner can read, and keeps the other lines", async () => {
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
    CALL_TRANSFER_ACCESS_TOKEN_OWNER: tokens.owner,
    CALL_TRANSFER_ACCESS_TOKEN_ADMIN: tokens.admin,
    CALL_TRANSFER_ACCESS_TOKEN_MEMBER: tokens.member,
    CALL_TRANSFER_ACCESS_TOKEN_AGENT: tokens.agent,
    CALL_TRANSFER_SIGNING_SECRET: signingSecret,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("gives other ids after each restart, and accepts the credentials of a .env file from before", async () => {
  const { accounts, users, members, flows, providers, numbers, destinations } = demoSeed;
  const apps = destinations?.filter(({ kind }) => kind === "app").map(({ signingSecret: _, ...app }) => app);
  const records = { accounts, users, members, flows, providers, numbers, destinations: apps };
  // Without keys and secrets, which the server then chooses.
  for (const [name, seed] of [
    ["no-keys.json", records],
    ["no-good-key.json", { ...records, apiKeys: [{ accountId: demo.accountId, state: "revoked" }] }],
  ] as const) {
    const file = fileOf(`${name}.env`, "");
    const args = ["--seed", fileOf(name, seed)];
    const first = await ready(...args, "--write-env", file);
    const { CALL_TRANSFER_API_KEY: key, ...env } = parseEnv(readFileSync(file, "utf8"));
    const place = async (url: string, credential = "") => {
      const headers = {
        authorization: `Bearer ${credential}`,
        "x-account-id": env.CALL_TRANSFER_ACCOUNT_ID ?? "",
        "content-type": "application/json",
      };
      const { published: flowId } = demo.flows;
      const body = JSON.stringify({ flowId, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone });
      return (await (await fetch(`${url}/api/v1/calls`, { method: "POST", headers, body })).json()).callId;
    };
    const before = [await place(first.url, key), await place(first.url, env.CALL_TRANSFER_ACCESS_TOKEN_OWNER)];
    first.child.kill("SIGTERM");
    await once(first.child, "close");
    const second = await ready(...args);
    const after = [await place(second.url, key), await place(second.url, env.CALL_TRANSFER_ACCESS_TOKEN_OWNER)];
    const ids = [...before, ...after];
    expect(ids).toEqual(ids.map(() => expect.any(String)));
    expect(new Set(ids).size).toBe(4);
    const [was, is] = [first, second].map(({ output }) => JSON.parse(output.stdout));
    expect(is.signingSecret).toBe(was.signingSecret);
    expect(is.randomSeed).not.toBe(was.randomSeed);
    second.child.kill("SIGTERM");
    await once(second.child, "close");
    const third = await ready(...args, "--random-seed", String(was.randomSeed));
    expect(await place(third.url, key)).toBe(before[0]);
  }
});

it("has the seed of the ids in its JSON, and none with a state that comes from an earlier start", async () => {
  const file = join(folder, "of-before.json");
  const seedOf = async (...args: string[]) => JSON.parse((await ready(...args)).output.stdout).randomSeed;
  expect(await seedOf("--clock", "frozen")).toBe(1);
  expect(await seedOf("--random-seed", "7")).toBe(7);
  const first = await ready("--export-on-exit", file);
  first.child.kill("SIGTERM");
  await once(first.child, "close");
  expect(await seedOf("--import", file)).toBe(undefined);
});

it("empties the token of a role that nobody has in this seed, so that no older token stays in the .env file", async () => {
  const file = fileOf(
    "older.env",
    "CALL_TRANSFER_ACCESS_TOKEN_ADMIN=of-an-older-seed\nCALL_TRANSFER_ACCESS_TOKEN_OF_MINE=1\n",
  );
  const { accounts, users, members } = demoSeed;
  const seed = fileOf("owner.json", { accounts, users, members: members?.filter(({ role }) => role === "owner") });
  const { child, tokens } = await ready("--seed", seed, "--write-env", file);
  child.kill("SIGTERM");
  await once(child, "close");
  const {
    CALL_TRANSFER_ACCESS_TOKEN_ADMIN,
    CALL_TRANSFER_ACCESS_TOKEN_OWNER,
    CALL_TRANSFER_ACCESS_TOKEN_AGENT,
    CALL_TRANSFER_ACCESS_TOKEN_OF_MINE,
  } = parseEnv(readFileSync(file, "utf8"));
  expect([CALL_TRANSFER_ACCESS_TOKEN_ADMIN, CALL_TRANSFER_ACCESS_TOKEN_OWNER]).toEqual(["", tokens.owner]);
  expect([CALL_TRANSFER_ACCESS_TOKEN_AGENT, CALL_TRANSFER_ACCESS_TOKEN_OF_MINE]).toEqual([undefined, "1"]);
});

it("does not start when a .env file cannot hold a credential, and leaves the file unchanged", async () => {
  const { accounts, destinations } = demoSeed;
  const [app] = destinations?.filter(({ kind }) => kind === "app") ?? [];
  const seed = fileOf("odd.json", { accounts, destinations: [{ ...app, signingSecret: "it's $1" }] });
  const file = fileOf("odd.env", "OTHER=1\n");
  const { status, stdout, stderr } = await finishAlone("--port", "0", "--seed", seed, "--write-env", file);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("CALL_TRANSFER_SIGNING_SECRET cannot be written to a .env file: ");
  expect(stderr).not.toContain("it's $1");
  expect(readFileSync(file, "utf8")).toBe("OTHER=1\n");
});

it("removes the ready file of a killed server before it starts", async () => {
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

it("keeps a ready file that another server has written since", async () => {
  const path = join(folder, "shared.json");
  const { child } = await ready("--ready-file", path);
  writeFileSync(path, JSON.stringify({ pid: 0 }));
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(readFileSync(path, "utf8")).toBe('{"pid":0}');
});

it("applies --cors-origin and --policy", async () => {
  const { url, apiKey } = await ready(
    "--cors-origin",
    "http://localhost:5173",
    "--policy",
    "concurrentCallLimit=0",
    "--policy",
    "callQueueLimit=0",
  );
  const headers = { authorization: `Bearer ${apiKey}`, origin: "http://localhost:5173" };
  const response = await fetch(`${url}/api/v1/roles`, { headers });
  expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  const { policies } = await (await fetch(`${url}/_control/v1/policies`)).json();
  expect(policies).toContainEqual(expect.objectContaining({ name: "concurrentCallLimit", value: 0 }));
  expect(policies).toContainEqual(expect.objectContaining({ name: "callQueueLimit", value: 0 }));
});

it("keeps its faults and credentials after a reset", async () => {
  const seed = join(folder, "bare.json");
  writeFileSync(seed, JSON.stringify({ accounts: [{ id: "a0000000-0000-4000-8000-00000000000a", name: "Bare" }] }));
  const { url, apiKey } = await ready("--seed", seed, "--latency", "1ms");
  expect((await finish("sandbox", "reset", "--url", url)).status).toBe(0);
  const { faults } = (await (await fetch(`${url}/_control/v1/faults`)).json()) as { faults: unknown[] };
  expect(faults).toHaveLength(1);
  const response = await fetch(`${url}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(response.status).toBe(200);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "restores with --import what --export-on-exit wrote on %s",
  async (signal) => {
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
  },
);

/** Starts a server in a shell, as npx and scripts of package.json do, ends the shell, and waits for what the server should do. */
async function endShell(script: string, file: string, outlives: boolean): Promise<void> {
  const env = { ...process.env, npm_lifecycle_script: script };
  const line = '"$0" "$@" & wait';
  const shell = spawn(
    "sh",
    ["-c", line, process.execPath, cli, "start", "--port", "0", "--json", "--ready-file", file],
    { env },
  );
  running.push(shell);
  const [text] = await once(shell.stdout, "data");
  const { pid } = JSON.parse(readFileSync(file, "utf8"));
  expect(JSON.parse(String(text)).pid).toBe(pid);
  // The output closes when its last process has ended.
  const closed = once(shell, "close");
  shell.kill("SIGTERM");
  await once(shell, "exit");
  if (outlives) {
    // Six times as long as a server takes to look for its shell.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(existsSync(file)).toBe(true);
    process.kill(pid, "SIGKILL");
  }
  await closed;
  expect(existsSync(file)).toBe(outlives);
}

it.runIf(process.platform !== "win32").each([
  ["'call-transfer-mock'", false],
  ["call-transfer-mock --port 4010 --clock frozen", false],
  ["node --conditions=@call-transfer/source scripts/start.ts --port 4663", false],
  ["call-transfer-mock & wait-on http://127.0.0.1:4010", true],
])("ends when the shell of npx or of a script is gone, and not when it may stay: %s", async (script, outlives) => {
  await endShell(script, join(folder, `${script.length}.ready.json`), outlives);
});

it("names the options that a restored snapshot overrides", async () => {
  const file = join(folder, "replacing.json");
  const options = [
    "--import",
    file,
    "--policy",
    "concurrentCallLimit=1",
    "--latency",
    "400ms",
    "--cors-origin",
    "http://a.test",
  ];
  const { child, output: first } = await ready("--export-on-exit", file, ...options);
  child.kill("SIGTERM");
  await once(child, "close");
  expect(first.stderr).toBe("");
  const { output } = await ready(...options);
  expect(output.stderr).toBe(
    `warning: Restored from ${file}. These options have no effect until a reset: --policy, --latency\n`,
  );
});

it("writes the snapshot to a temporary folder when the folder of --export-on-exit is gone", async () => {
  const gone = join(folder, "gone");
  mkdirSync(gone);
  const { child, output } = await ready("--export-on-exit", join(gone, "work.json"));
  rmSync(gone, { recursive: true });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([1, null]);
  const [, fallback = ""] = /Cannot write .*\. The snapshot was written to (.+) instead\./.exec(output.stderr) ?? [];
  expect(JSON.parse(readFileSync(fallback, "utf8"))).toMatchObject({ version: 1 });
  rmSync(dirname(fallback), { recursive: true });
});

it("creates a sandbox when a request first names it, with --auto-sandboxes only", async () => {
  const [open, closed] = [await ready("--auto-sandboxes"), await ready()];
  const read = async ({ url, apiKey }: { url: string; apiKey: string }) =>
    (await fetch(`${url}/_sandbox/mine/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } })).status;
  expect([await read(open), await read(closed)]).toEqual([200, 404]);
});

describe("webhooks trigger", () => {
  const receivers: Server[] = [];
  afterEach(() => {
    for (const receiver of receivers.splice(0)) receiver.close().closeAllConnections();
  });
  /** Starts an app's server that responds with a status, and a mock server that forwards to it. */
  async function forwarding(status: number, ...options: string[]) {
    return forwardingTo((response) => response.writeHead(status).end(), ...options);
  }

  async function forwardingTo(respond: (response: ServerResponse) => void, ...options: string[]) {
    const received: string[] = [];
    const headers: IncomingHttpHeaders[] = [];
    const receiver = createServer((request, response) => {
      headers.push(request.headers);
      request.setEncoding("utf8").on("data", (text) => received.push(text));
      request.on("end", () => respond(response));
    });
    receivers.push(receiver);
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    const forward = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/offers`;
    return { received, headers, forward, url: (await ready("--forward-webhooks-to", forward, ...options)).url };
  }

  it("sends to the forwarding URL and prints the delivery", async () => {
    const { received, url, forward } = await forwarding(204);
    const { status, stdout, stderr } = await finish("webhooks", "trigger", "--json", "--url", url);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, status: 204, url: forward, body: received.join("") });
  });

  it("sends own fields, and the headers of --forward-header without printing them", async () => {
    const header = "Authorization: Bearer hidden-0123456789";
    const { received, headers, url } = await forwarding(204, "--forward-header", header);
    const fields = ["callId=c1", "count=2", "about.name=Mia"].flatMap((field) => ["--field", field]);
    const { status, stdout, stderr } = await finish("webhooks", "trigger", ...fields, "--url", url);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(received.join(""))).toMatchObject({ callId: "c1", count: 2, about: { name: "Mia" } });
    expect(headers.map(({ authorization }) => authorization)).toEqual(["Bearer hidden-0123456789"]);
    expect(stdout).not.toContain("hidden-");
  });

  it.each([
    ["destinationId=x", 2, "--field destinationId: cannot be replaced. Choose the app with --destination."],
    ["type=x", 1, "type: is set by the platform and cannot be replaced. Remove it"],
    ["id=x", 1, "id: is set by the platform and cannot be replaced. Remove it"],
    ["callId", 2, "callId: must be FIELD=VALUE"],
  ])("refuses --field %s", async (field, expected, message) => {
    const { received, url } = await forwarding(204);
    const { status, stderr } = await finish("webhooks", "trigger", "--field", field, "--url", url);
    expect([status, stderr, received]).toEqual([expected, expect.stringContaining(message), []]);
  });

  it("fails when the app's server declines, with a message on stderr and JSON on stdout", async () => {
    const { url } = await forwarding(401);
    const { status, stdout, stderr } = await finish("webhooks", "trigger", "--json", "--url", url);
    expect([status, stderr]).toEqual([1, expect.stringContaining("did not accept the offer: status 401.")]);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: false, status: 401 });
  });

  it.each<[string, (response: ServerResponse) => void, string[], string[]]>([
    [
      "JSON",
      (response) => response.writeHead(401, { "content-type": "application/json" }).end('{"error":"wrong secret"}'),
      ['  "error": "wrong secret"', '{"error":"wrong secret"}'],
      ['401 {"error":"wrong secret"}'],
    ],
    [
      "a page of many lines",
      (response) =>
        response.writeHead(500, { "content-type": "text/html" }).end(`<h1>Failed</h1>\n${"x".repeat(20_000)}`),
      ["<h1>Failed</h1>", "… only the first 16384 bytes were read"],
      ["500 <h1>Failed</h1>"],
    ],
    [
      "a picture",
      (response) => response.writeHead(409, { "content-type": "image/png" }).end(Buffer.from([137, 80, 78, 71])),
      ["image/png, 4 bytes"],
      ["409"],
    ],
  ])("shows the response before the request, and its first line in the list: %s", async (_, respond, shown, listed) => {
    const { url } = await forwardingTo(respond);
    const { stdout } = await finish("webhooks", "trigger", "--url", url);
    const [start, end] = [stdout.indexOf("Response headers:"), stdout.indexOf("Request headers:")];
    const response = stdout.slice(start, end);
    expect(start).toBeGreaterThan(0);
    expect(shown.some((text) => response.includes(text))).toBe(true);
    expect(response.split("\n")).toContain(shown.at(-1));
    const list = (await finish("webhooks", "--url", url)).stdout;
    for (const text of listed) expect(list).toContain(text);
    expect(stdout.slice(end)).toMatch(/Service-Signature .*\n\nRequest body:\n\{/s);
  });
});

it("prints data as one line with --json", async () => {
  const { url } = await ready();
  const read = async (command: string) => (await finish(command, "--json", "--url", url)).stdout;
  const lines = await Promise.all(["api", "snapshot", "clock"].map(read));
  expect(lines.map((line) => line.trim().split("\n").length)).toEqual([1, 1, 1]);
  const [operations, snapshot, clock] = lines.map((line) => JSON.parse(line));
  expect(operations).toContainEqual(expect.objectContaining({ operationId: "applyScenario", method: "POST" }));
  expect([snapshot, clock]).toMatchObject([{ version: 1 }, { mode: "running" }]);
});

it("names the file that it cannot write a snapshot to", async () => {
  const { url } = await ready();
  const { status, stderr } = await finish("snapshot", "save", join(folder, "none", "kept.json"), "--url", url);
  const message = `snapshot save ${join(folder, "none", "kept.json")}: the folder ${join(folder, "none")} does not exist.`;
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("restores its own snapshot when it is larger than 1 MiB", async () => {
  const accounts = [{ id: "a0000000-0000-4000-8000-00000000000a", name: "x".repeat(2 ** 20) }];
  const { url } = await ready("--seed", fileOf("large-seed.json", { accounts }), "--clock", "frozen");
  const [file, again] = [join(folder, "large.json"), join(folder, "large-again.json")];
  for (const args of [
    ["snapshot", "save", file],
    ["snapshot", "restore", file],
    ["snapshot", "save", again],
  ])
    expect(await finish(...args, "--url", url)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(file).byteLength).toBeGreaterThan(2 ** 20);
  expect(JSON.parse(readFileSync(again, "utf8"))).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

it("suggests --import for a snapshot that a running server rejects", async () => {
  const server = createServer((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: "The request body is larger than 64 MiB." }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const snapshot = fileOf("refused.json", { version: 1 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { status, stderr } = await finish("snapshot", "restore", snapshot, "--url", url);
  server.close().closeAllConnections();
  expect([status, stderr]).toEqual([1, expect.stringContaining(`npx @call-transfer/mock-server --import ${snapshot}`)]);
});

it("reads settings from the working folder and the environment, also for commands", async () => {
  const own = mkdtempSync(join(folder, "settings-"));
  const token = "0123456789abcdef";
  writeFileSync(
    join(own, "call-transfer-mock.json"),
    JSON.stringify({ port: 0, now: "2026-03-03T12:00:00Z", json: true }),
  );
  const environment = {
    ...process.env,
    CALL_TRANSFER_MOCK_CLOCK: "frozen",
    CALL_TRANSFER_CONTROL_TOKEN: token,
  };
  const started = runIn(own, environment);
  await once(started.child.stdout, "data");
  const { url, controlToken } = JSON.parse(started.output.stdout);
  expect(controlToken).toBe(token);
  const asking = runIn(own, { ...environment, CALL_TRANSFER_MOCK_URL: url }, "clock", "--json");
  await once(asking.child, "close");
  expect(JSON.parse(asking.output.stdout)).toMatchObject({ now: "2026-03-03T12:00:00.000Z", mode: "frozen" });
});
