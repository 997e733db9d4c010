import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";
import { startMockServer } from "../../src/index.ts";
import { finish } from "./run-line.ts";
import { ready, run } from "./start-command.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

const misspelled = fileOf("misspelled.json", { memebers: [] });
const faults = fileOf("faults.json", [{ do: { code: "queue_full" } }, { do: { code: "quueue_full" } }]);

it.each([
  [["--prot", "1"], "Unknown option '--prot'. (Did you mean --port?) See npx @call-transfer/mock-server start --help"],
  [["clock", "--port", "1"], "Unknown option '--port'. See npx @call-transfer/mock-server clock --help"],
  [["webhooks", "trigger", "--destnation", "x"], "Unknown option '--destnation'. (Did you mean --destination?)"],
  [["clock", "--rate", "2"], "Unknown option '--rate'. See npx @call-transfer/mock-server clock --help"],
  [["webhooks", "--json=yes"], "Unknown option '--json=yes'."],
  [["webhooks", "trigger", "--destination"], "Option '--destination <value>' argument missing. See npx"],
  [["webhooks", "trigger", "--destination", "--json"], "--destination requires a value. To pass --json as the value"],
  [["recrods"], 'Unknown command "recrods". Did you mean records?'],
  [["help", "clok"], 'Unknown command "clok". Did you mean clock?'],
  [["clock", "stop"], 'Unknown clock action "stop". Possible: advance, set, freeze, run.'],
  [["clock", "advance"], "Missing STEP. Usage: npx @call-transfer/mock-server clock advance 24h"],
  [["clock", "advance", "1h", "2h"], 'Unexpected argument "2h".'],
  [["transfer", "cancel", "last"], 'Unexpected argument "last". Remove it, or begin with an action: list, show, '],
  [
    ["credentials"],
    "Missing action. Possible: token, keys, rotate. See npx @call-transfer/mock-server credentials --help",
  ],
  [["attack"], "Missing URL. Usage: npx @call-transfer/mock-server attack http://127.0.0.1:3000/offers"],
  [["--seed", misspelled], `--seed ${misspelled}: memebers: is not a known field. Did you mean members?`],
  [["--data-file", join(folder, "none", "mock.db")], `--data-file ${join(folder, "none", "mock.db")}: the folder`],
  [["--export-on-exit", folder], "is a folder. Name a file."],
  [["--data-file", "mock.db", "--prism"], "--data-file does not work with --prism, which is stateless."],
  [["api", "--url", "http://me:hidden@127.0.0.1:4010"], "--url: the URL must not contain a user name or password."],
])("rejects %j with status 2 and one line", async (args, message) => {
  const { status, stdout, stderr } = await finish(...args);
  expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  expect(stderr).toMatch(/^error: .*\n$/);
});

it("checks its files before it binds the port, and says what to do when that is in use", async () => {
  const server = await startMockServer({ port: 0 });
  onTestFinished(() => server.close());
  const port = String(server.port);
  expect(await finish("--port", port, "--fault", faults)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`--fault ${faults}[1].do.code: unknown error code`),
  });
  expect(await finish("--port", port)).toMatchObject({
    status: 1,
    stderr: `error: Port ${port} on 127.0.0.1 is in use. Stop the other server, or choose another port. --port 0 picks a free one.\n`,
  });
});

it.each([
  [["help"], "  snapshot "],
  [["start", "-h"], "CALL_TRANSFER_MOCK_DATA_FILE"],
  [["help", "clock"], "clock advance STEP"],
  [["webhooks", "trigger", "--help"], "--destination ID"],
  [["attack", "--help"], "--handled-url URL"],
])("prints help for %j in lines of at most 80 characters", async (args, part) => {
  const { status, stdout } = await finish(...args);
  expect([status, stdout]).toEqual([0, expect.stringContaining(part)]);
  expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
});

it("prints a help that fits a screen of 24 lines with the next prompt, and its version", async () => {
  expect((await finish("--help")).stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(23);
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await finish("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

it("refuses a Node that is too old, and says which one it needs", async () => {
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
  const { child, output } = run(["--help"], { node: ["--import", `data:text/javascript,${old}`] });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(output.stderr).toContain("error: Node 20 or newer is required");
});

it("prints one line of JSON with working credentials, and exits with 0 on a signal", async () => {
  const { info, output, stop, statusFor } = await ready();
  const statuses = await Promise.all([info.apiKey, ...Object.values<string>(info.tokens)].map(statusFor));
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(Object.keys(info.tokens)).toEqual(["owner", "admin", "member", "agent"]);
  expect(output.stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(await stop()).toBe(0);
});

it("prints a loopback URL when it listens on all addresses, and requires the control token", async () => {
  const { info, url, warned } = await ready(["--host", "0.0.0.0"]);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await warned()).toContain("Other machines can reach this server.");
  expect((await finish("clock", "--url", url)).status).toBe(1);
  expect((await finish("clock", "--url", url, "--control-token", info.controlToken)).status).toBe(0);
});

it("warns that a latency waits for a frozen clock", async () => {
  const { url, warned } = await ready(["--clock", "frozen", "--latency", "1s"]);
  expect(await warned()).toMatch(/^warning: The clock is frozen, so what a fault delays hangs until the clock moves: /);
  expect(await warned()).toContain(`clock advance next --url ${url}`);
});

it("reads settings from the environment, also for commands", async () => {
  const env = { CALL_TRANSFER_MOCK_CLOCK: "frozen", CALL_TRANSFER_CONTROL_TOKEN: "0123456789abcdef" };
  const { url } = await ready([], { env });
  const { child, output } = run(["clock", "--json"], { env: { ...env, CALL_TRANSFER_MOCK_URL: url } });
  await once(child, "close");
  expect(JSON.parse(output.stdout)).toMatchObject({ now: "2026-03-02T12:00:00.000Z", mode: "frozen" });
});

it("applies --token-expires-in, and prints until when the tokens are valid", async () => {
  const { info, url, statusFor } = await ready(["--token-expires-in", "1h", "--clock", "frozen"]);
  expect(info.tokensExpireAt).toBe("2026-03-02T13:00:00.000Z");
  expect((await finish("clock", "advance", "1h", "--url", url)).status).toBe(0);
  const { stdout } = await finish("credentials", "token", "owner", "--url", url);
  expect([await statusFor(info.tokens.owner), await statusFor(stdout.trimEnd())]).toEqual([401, 200]);
});

it("keeps its faults and credentials after a reset, with a seed that has no API key", async () => {
  const { accounts } = demoSeed;
  const seed = fileOf("bare.json", { $schema: "./seed.schema.json", accounts: accounts?.slice(0, 1) });
  const { info, url, statusFor } = await ready(["--seed", seed, "--latency", "1ms"]);
  expect((await finish("sandbox", "reset", "--url", url)).status).toBe(0);
  expect((await finish("fault", "--url", url)).stdout).toContain("latency");
  expect(await statusFor(info.apiKey)).toBe(200);
});

it("answers by the stubs of a file, which a data file keeps with their sequence", async () => {
  const stubs = fileOf(
    "stubs.yaml",
    `stubs:
  - { method: GET, path: /api/v1/job, responses: [{ status: 202 }, { status: 200, body: done }] }
`,
  );
  const data = join(folder, "stubs.db");
  const first = await ready(["--stubs", stubs, "--data-file", data]);
  const headers = { authorization: `Bearer ${first.info.apiKey}` };
  expect((await fetch(`${first.url}/api/v1/job`, { headers })).status).toBe(202);
  await first.stop("SIGKILL");
  const second = await ready(["--data-file", data]);
  expect((await fetch(`${second.url}/api/v1/job`, { headers })).status).toBe(200);
});

it("writes the ready file, and removes it at shutdown unless another server has written it since", async () => {
  const path = join(folder, "ready.json");
  const { output, stop } = await ready(["--ready-file", path]);
  expect(readFileSync(path, "utf8")).toBe(output.stdout);
  expect(await stop("SIGINT")).toBe(0);
  expect(existsSync(path)).toBe(false);
  const other = await ready(["--ready-file", path]);
  writeFileSync(path, JSON.stringify({ pid: 0 }));
  expect(await other.stop()).toBe(0);
  expect(readFileSync(path, "utf8")).toBe('{"pid":0}');
});

it("removes the ready file of a killed server before it starts", async () => {
  const path = fileOf("killed.json", { pid: 0 });
  const busy = createServer();
  await once(busy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void busy.close());
  const { port } = busy.address() as AddressInfo;
  expect((await finish("--ready-file", path, "--port", String(port))).status).toBe(1);
  expect(existsSync(path)).toBe(false);
});

it("sets credentials in a .env file that only its owner can read, and keeps the other lines", async () => {
  const file = fileOf(
    ".env",
    "# mine\nOTHER='1 # 2'\nexport CALL_TRANSFER_API_KEY=old\nCALL_TRANSFER_ACCESS_TOKEN_ADMIN=of-an-older-seed\n",
  );
  chmodSync(file, 0o644);
  const { accounts, users, members, destinations, apiKeys } = demoSeed;
  const staff = members?.filter(({ role }) => role !== "admin");
  const seed = fileOf("no-admin.json", { accounts, users, members: staff, destinations, apiKeys });
  const { info, url, stop } = await ready(["--seed", seed, "--write-env", file]);
  await stop();
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# mine\nOTHER='1 # 2'\nexport CALL_TRANSFER_API_KEY=\S+\n/);
  expect(parseEnv(text)).toEqual({
    OTHER: "1 # 2",
    CALL_TRANSFER_BASE_URL: url,
    CALL_TRANSFER_API_KEY: info.apiKey,
    CALL_TRANSFER_ACCOUNT_ID: info.accountId,
    CALL_TRANSFER_ACCESS_TOKEN_OWNER: info.tokens.owner,
    // Nobody has the role in this seed, so no older token may stay.
    CALL_TRANSFER_ACCESS_TOKEN_ADMIN: "",
    CALL_TRANSFER_ACCESS_TOKEN_MEMBER: info.tokens.member,
    CALL_TRANSFER_ACCESS_TOKEN_AGENT: info.tokens.agent,
    CALL_TRANSFER_SIGNING_SECRET: demo.signingSecret,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("gives other ids after each restart, and accepts the credentials of before", async () => {
  const { accounts, users, members, flows, providers, numbers, destinations } = demoSeed;
  const apps = destinations?.filter(({ kind }) => kind === "app").map(({ signingSecret: _, ...app }) => app);
  // Without a good key and without secrets, which the server then chooses.
  const apiKeys = [{ accountId: demo.accountId, state: "revoked" }];
  const records = { accounts, users, members, flows, providers, numbers, destinations: apps, apiKeys };
  const args = ["--seed", fileOf("no-good-key.json", records)];
  const first = await ready(args);
  const place = async (url: string, credential: string) => {
    const headers = {
      ...{ authorization: `Bearer ${credential}`, "x-account-id": demo.accountId },
      "content-type": "application/json",
    };
    const { published: flowId } = demo.flows;
    const body = JSON.stringify({ flowId, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone });
    return (await (await fetch(`${url}/api/v1/calls`, { method: "POST", headers, body })).json()).callId;
  };
  const { apiKey, tokens, signingSecret, randomSeed } = first.info;
  const before = [await place(first.url, apiKey), await place(first.url, tokens.owner)];
  await first.stop();
  const second = await ready(args);
  const ids = [...before, await place(second.url, apiKey), await place(second.url, tokens.owner)];
  expect(ids).toEqual(ids.map(() => expect.any(String)));
  expect(new Set(ids).size).toBe(4);
  expect(second.info.signingSecret).toBe(signingSecret);
  await second.stop();
  const third = await ready([...args, "--random-seed", String(randomSeed)]);
  expect(await place(third.url, apiKey)).toBe(before[0]);
});

it("restores with --import what --export-on-exit wrote on a signal", async () => {
  const file = join(folder, "work.json");
  const today = await ready(["--import", file, "--export-on-exit", file]);
  const create = async (url: string) =>
    fetch(`${url}/api/v1/transfers/destination-groups`, {
      method: "POST",
      headers: { authorization: `Bearer ${today.info.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Kept", members: [{ destinationId: demo.destinations.phone }] }),
    });
  expect((await create(today.url)).status).toBe(201);
  expect(await today.stop("SIGHUP")).toBe(0);
  const tomorrow = await ready(["--import", file, "--policy", "concurrentCallLimit=1"]);
  expect((await create(tomorrow.url)).status).toBe(409);
  expect(tomorrow.info.randomSeed).toBeUndefined();
  expect(await tomorrow.warned()).toBe(
    `warning: Restored from ${file}. These options have no effect until a reset: --policy\n`,
  );
});

it("writes the snapshot to a temporary folder when the folder of --export-on-exit is gone", async () => {
  const gone = join(folder, "gone");
  mkdirSync(gone);
  const { output, stop } = await ready(["--export-on-exit", join(gone, "work.json")]);
  rmSync(gone, { recursive: true });
  expect(await stop()).toBe(1);
  const [, fallback = ""] = /Cannot write .*\. The snapshot was written to (.+) instead\./.exec(output.stderr) ?? [];
  expect(JSON.parse(readFileSync(fallback, "utf8"))).toMatchObject({ version: 1 });
  rmSync(dirname(fallback), { recursive: true });
});

it.runIf(process.platform !== "win32").each([
  ["call-transfer-mock --port 4010 --clock frozen", false],
  ["call-transfer-mock & wait-on http://127.0.0.1:4010", true],
])("ends when the shell of npx or of a script is gone, and not when it may stay: %s", async (script, outlives) => {
  const file = join(folder, `${script.length}.ready.json`);
  const args = ["start", "--port", "0", "--json", "--ready-file", file];
  const shell = spawn("sh", ["-c", '"$0" "$@" & wait', process.execPath, commandFile(), ...args], {
    env: { ...process.env, npm_lifecycle_script: script },
  });
  await once(shell.stdout, "data");
  const { pid } = JSON.parse(readFileSync(file, "utf8"));
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
});
