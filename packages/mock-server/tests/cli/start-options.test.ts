import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackend, demo } from "@call-transfer/backend";
import { afterAll, expect, it, vi } from "vitest";
import { readStep } from "../../src/cli/clock.ts";
import { readDotenv } from "../../src/cli/files.ts";
import { readConfigFile } from "../../src/cli/settings.ts";
import { fallbackOf, importedSnapshot, serverOptions } from "../../src/cli/start-options.ts";
import { readStubs } from "../../src/cli/stubs-file.ts";
import { startSettings } from "./run-line.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-options-"));
afterAll(() => rmSync(folder, { recursive: true }));

const none = join(folder, "none.json");
const fileOf = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const read = async (...args: string[]) => {
  const { values } = await startSettings(...args);
  return { ...serverOptions(values), ...fallbackOf(values), imported: importedSnapshot(values.import) };
};
const broken = fileOf("broken.json", "{");
const boss = fileOf("boss.json", '{ "members": [{ "role": "boss" }] }');
const list = fileOf("list.json", "[]");
const oneFault = fileOf("fault.json", '{ "do": { "code": "quueue_full" } }');
const noRecords = fileOf("no-records.json", "{}");
const texts = fileOf("texts.json", '["503", "nope"]');
const faults = fileOf("faults.json", '[{ "do": "reset" }, { "do": "reset", "where": 1 }]');
const number = fileOf("number.json", "5");

it.each([
  [["--forward-credentials"], "--forward-credentials requires --fallback-url with the server to forward to."],
  [
    ["--fallback-url", "staging"],
    "--fallback-url staging: must be an http or https URL without user name and password, such as https://staging.example.com",
  ],
  [["--colour"], "Unknown option --colour. Set the variable NO_COLOR=1 or FORCE_COLOR=1."],
  [["--quiet"], "Unknown option --quiet. For all options: npm -s start -- start --help"],
  [["--foo"], "Unknown option --foo. For all options: npm -s start -- start --help"],
  [["--forwad-webhooks-to", "x"], "Unknown option --forwad-webhooks-to. Did you mean --forward-webhooks-to?"],
  [["--json=yes"], "--json does not take a value. Write --json alone."],
  [["--port"], "--port requires a value. See npm -s start -- start --help"],
  [["--latency", "-1"], "--latency requires a value. To pass -1 as the value, write --latency=-1"],
  [["--latency=-1ms"], "--latency -1ms: must be a duration, such as 800ms or 2s, at most 10m."],
  [["--latency", "400"], "--latency 400: must be a duration, such as 800ms"],
  [["--latency", "11m"], "--latency 11m: must be a duration, such as 800ms or 2s, at most 10m."],
  [["--port", "70000"], "--port 70000: must be a whole number from 0 to 65535."],
  [["--port", "abc"], "--port abc: must be a whole number from 0 to 65535."],
  [["--max-sandboxes", "0"], "--max-sandboxes 0: must be a whole number from 1 to 1000000."],
  [["--max-sandboxes", "many"], "--max-sandboxes many: must be a whole number"],
  [["--random-seed=-1"], "--random-seed -1: must be a whole number"],
  [["--clock", "stopped"], "--clock stopped: must be one of running, frozen."],
  [["--clock-rate", "0"], "--clock-rate 0: must be a number above 0 and up to 10000, such as 60."],
  [["--clock-rate", "10001"], "--clock-rate 10001: must be a number above 0 and up to 10000, such as 60."],
  [["--clock-rate", "fast"], "--clock-rate fast: must be a number above 0 and up to 10000, such as 60."],
  [["--now", "yesterday"], "--now yesterday: must be an RFC 3339 date-time, such as 2026-03-02T12:00:00Z."],
  [["--now", "5"], "--now 5: must be an RFC 3339 date-time"],
  [["--now", "March 7"], "--now March 7: must be an RFC 3339 date-time"],
  [["--now", "2026-03-02"], "--now 2026-03-02: must be an RFC 3339 date-time"],
  [["--now", "2026-02-30T12:00:00Z"], "--now 2026-02-30T12:00:00Z: must be an RFC 3339 date-time"],
  [["--host", "http://127.0.0.1"], "--host http://127.0.0.1: must be an address such as 127.0.0.1 or ::1"],
  [["--host", "127.0.0.1:80"], "--host 127.0.0.1:80: must be an address such as 127.0.0.1 or ::1"],
  [["--allow-host", "mock:4010"], "--allow-host mock:4010: must be a host name without a port"],
  [["--policy", "callQueueLimit"], "--policy callQueueLimit: must be NAME=VALUE"],
  [["--policy", "callQueueLimit=many"], "--policy callQueueLimit: "],
  [["--policy", "nothing=1"], "--policy nothing: is not a policy. Policies: rateLimit,"],
  [["--cors-origin", "nonsense"], "--cors-origin nonsense: must be an origin without a path or trailing slash"],
  [["--cors-origin", "http://localhost:5173/"], "such as http://localhost:5173"],
  [
    ["--cors-origin", "https://me:hidden@app.test"],
    "--cors-origin: must be an origin without a path or trailing slash, such as https://app.test.",
  ],
  [
    ["--port", "4020", "--forward-webhooks-to", "http://localhost:4020/offers"],
    "--forward-webhooks-to http://localhost:4020/offers: is the address of the mock server itself. Give the URL of your app's server.",
  ],
  [["--forward-webhooks-to", "ftp://localhost"], "--forward-webhooks-to ftp://localhost: must be an http or https URL"],
  [
    ["--forward-webhooks-to", "http://me:hidden@localhost"],
    "--forward-webhooks-to: the URL must not contain a user name or password",
  ],
  [
    ["--forward-header", "Authorization: x"],
    "--forward-header requires --forward-webhooks-to with the URL that gets it.",
  ],
  [
    ["--forward-webhooks-to", "http://localhost:1", "--forward-header", "content-type: text/plain"],
    "--forward-header: content-type: is set by the delivery and cannot be replaced. Remove it.",
  ],
  [["--seed", none], `--seed ${none}: file not found.`],
  [["--seed", folder], `--seed ${folder}: is a folder. Name a file. Docker creates an empty folder where`],
  [["--seed", broken], `--seed ${broken}: not valid JSON: `],
  [["--seed", list], `--seed ${list}: must be a JSON object.`],
  [["--seed", boss], `--seed ${boss}: members[0].`],
  [["--fault", broken], `--fault ${broken}: `],
  [["--fault", oneFault], `--fault ${oneFault}: do.code: unknown error code`],
  [["--fault", faults], `--fault ${faults}[1].where: is not a known field`],
  [["--fault", number], `--fault ${number}: `],
  [["--fault", "creatCall 503"], '--fault creatCall 503: "creatCall" is not understood here. Did you mean createCall?'],
  [["--fault", "fualts"], '--fault fualts: "fualts" is not understood here.'],
  [["--fault", texts], `--fault ${texts}[1]: "nope" is not understood here.`],
  [["--import", broken], `--import ${broken}: `],
  [["--scenario", "queue-fill"], '--scenario queue-fill: there is no scenario "queue-fill". Did you mean queue-full?'],
  [
    ["--scenario", "all-members-away", "--seed", noRecords],
    "--scenario all-members-away: all-members-away needs at least one member, and the sandbox has none. Add one to the seed.",
  ],
])("rejects %j", async (args, message) => {
  await expect(read(...args)).rejects.toThrow(message);
});

it.each(["Authorization hidden", "Authorization Bearer hidden: x", "X: hidden…"])(
  "rejects the header %j without repeating its value",
  async (header) => {
    const rejected = read("--forward-webhooks-to", "http://localhost:1", "--forward-header", header);
    await expect(rejected).rejects.toThrow(/^--forward-header: (?!.*hidden)/);
  },
);

it.each([
  [["--host", "[::1]"], { host: "::1" }],
  [["--max-sandboxes", "5000"], { maxSandboxes: 5000 }],
  [
    [
      "--forward-webhooks-to",
      "http://localhost:1",
      "--forward-header",
      "Authorization: Basic a:b",
      "--forward-header",
      "X:",
    ],
    { forwardWebhooksTo: "http://localhost:1", forwardHeaders: { Authorization: "Basic a:b", X: "" } },
  ],
  [["--host", "::1"], { host: "::1" }],
  [["--host", "mock.test"], { host: "mock.test" }],
  [["--allow-host", "[fd00::1]", "--allow-host", "mock"], { allowedHosts: ["[fd00::1]", "mock"] }],
  [["--cors-origin", "https://app.test"], { corsOrigins: ["https://app.test"] }],
  [[], { clockMode: "running", clockRate: 1 }],
  [["--clock-rate", "0.5"], { clockRate: 0.5 }],
  [["--clock-rate", "10000"], { clockRate: 10_000 }],
  [["--now", "2028-02-29T23:59:59.5+09:00"], { now: "2028-02-29T23:59:59.5+09:00" }],
  [["--now", "2026-03-02T12:00:00Z"], { now: "2026-03-02T12:00:00Z" }],
  [["--fault", "* 503", "--fault", "listRoles reset"], { faults: ["* 503", "listRoles reset"] }],
  [["--fault", list, "--latency", "5ms"], { faults: [{ when: { times: null }, do: { latencyMs: 5 } }] }],
  [["--scenario", "flaky-503", "--scenario", "slow-app"], { scenarios: ["flaky-503", "slow-app"] }],
  [["--import", none], { imported: undefined }],
])("accepts %j", async (args, options) => {
  expect(await read(...args)).toMatchObject(options);
});

it("sends no offers to ringing apps while it validates a snapshot", async () => {
  const send = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response());
  const app = demo.destinations.app;
  const backend = createBackend({ fetch: () => new Promise(() => {}) });
  backend.collections.update("destinations", app, { config: { url: "http://app.invalid/offers" } });
  backend.transfers.start({ destinationId: app });
  const snapshot = backend.snapshot();
  expect(importedSnapshot(fileOf("ringing.json", JSON.stringify(snapshot)))).toEqual(snapshot);
  expect(send).not.toHaveBeenCalled();
  send.mockRestore();
});

it("accepts a file with a byte order mark", async () => {
  expect(await read("--seed", fileOf("mark.json", '\uFEFF{ "accounts": [] }'))).toMatchObject({
    seed: { accounts: [] },
  });
});

const utf16 = Buffer.from("{ }", "utf16le");
it.each([
  [
    "UTF-16, as PowerShell writes it",
    Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
    "is in UTF-16. Save it in UTF-8.",
  ],
  [
    "UTF-16 of the other order",
    Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16(),
    "is in UTF-16. Save it in UTF-8.",
  ],
  ["UTF-16 without a mark", utf16, "is in UTF-16. Save it in UTF-8."],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 123, 0, 0, 0]), "is in UTF-32. Save it in UTF-8."],
  ["Latin-1", Buffer.from('{ "name": "Müller" }', "latin1"), "is not text in UTF-8. Save it in UTF-8."],
])("names the encoding of a seed, config, stubs, fault or .env file: %s", async (name, bytes, problem) => {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, bytes);
  const readers: [string, () => unknown][] = [
    [`--seed ${path}`, () => read("--seed", path)],
    [`--import ${path}`, () => read("--import", path)],
    [`--stubs ${path}`, () => readStubs("--stubs", path)],
    [`--fault ${path}`, () => read("--fault", path)],
    [`--config ${path}`, () => readConfigFile("--config", path)],
    [`--write-env ${path}`, () => readDotenv("--write-env", path)],
  ];
  for (const [place, reader] of readers)
    await expect((async () => reader())(), place).rejects.toThrow(`${place}: ${problem}`);
});

it.each([
  ["next", { nextTimer: true }],
  ["500ms", { by: 500 }],
  ["1.5h", { by: 5_400_000 }],
  ["2026-03-02T12:00:00Z", { to: "2026-03-02T12:00:00Z" }],
])("clock advance accepts %s", (step, expected) => {
  expect(readStep(step)).toEqual(expected);
});

it.each(["tomorrow", "5", "-1s", "2026-03-02"])("clock advance rejects %s", (step) => {
  expect(() => readStep(step)).toThrow(`clock advance ${step}: must be a duration such as 30s`);
});
