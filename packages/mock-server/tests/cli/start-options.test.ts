import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackend, demo } from "@call-transfer/backend";
import { afterAll, expect, it, vi } from "vitest";
import { readStep } from "../../src/cli/clock.ts";
import { fallbackOf, importedSnapshot, serverOptions } from "../../src/cli/start-options.ts";
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

it.each([
  [["--forward-credentials"], "--forward-credentials requires --fallback-url with the server to forward to."],
  [
    ["--fallback-url", "staging"],
    "--fallback-url staging: must be an http or https URL without user name and password, such as https://staging.example.com",
  ],
  [["--latency=-1ms"], "--latency -1ms: must be a duration, such as 800ms or 2s, at most 10m."],
  [["--latency", "11m"], "--latency 11m: must be a duration, such as 800ms or 2s, at most 10m."],
  [["--port", "abc"], "--port abc: must be a whole number from 0 to 65535."],
  [["--max-sandboxes", "0"], "--max-sandboxes 0: must be a whole number from 1 to 1000000."],
  [["--random-seed=-1"], "--random-seed -1: must be a whole number"],
  [["--clock", "stopped"], "--clock stopped: must be one of running, frozen."],
  [["--clock-rate", "0"], "--clock-rate 0: must be a number above 0 and up to 10000, such as 60."],
  [["--clock-rate", "fast"], "--clock-rate fast: must be a number above 0 and up to 10000, such as 60."],
  [["--now", "yesterday"], "--now yesterday: must be an RFC 3339 date-time, such as 2026-03-02T12:00:00Z."],
  [["--now", "2026-03-02"], "--now 2026-03-02: must be an RFC 3339 date-time"],
  [["--now", "2026-02-30T12:00:00Z"], "--now 2026-02-30T12:00:00Z: must be an RFC 3339 date-time"],
  [["--host", "http://127.0.0.1"], "--host http://127.0.0.1: must be an address such as 127.0.0.1 or ::1"],
  [["--host", "127.0.0.1:80"], "--host 127.0.0.1:80: must be an address such as 127.0.0.1 or ::1"],
  [["--allow-host", "mock:4010"], "--allow-host mock:4010: must be a host name without a port"],
  [["--policy", "callQueueLimit"], "--policy callQueueLimit: must be NAME=VALUE"],
  [["--policy", "callQueueLimit=many"], "--policy callQueueLimit: "],
  [["--policy", "nothing=1"], "--policy nothing: is not a policy. Policies: rateLimit,"],
  [["--cors-origin", "nonsense"], "--cors-origin nonsense: must be an origin without a path or trailing slash"],
  [
    ["--cors-origin", "https://me:hidden@app.test"],
    "--cors-origin: must be an origin without a path or trailing slash, such as https://app.test.",
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
  [["--fault", oneFault], `--fault ${oneFault}: do.code: unknown error code`],
  [["--fault", faults], `--fault ${faults}[1].where: is not a known field`],
  [["--fault", "creatCall 503"], '--fault creatCall 503: "creatCall" is not understood here. Did you mean createCall?'],
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
  [["--allow-host", "[fd00::1]", "--allow-host", "mock"], { allowedHosts: ["[fd00::1]", "mock"] }],
  [["--cors-origin", "https://app.test"], { corsOrigins: ["https://app.test"] }],
  [[], { clockMode: "running", clockRate: 1 }],
  [["--clock-rate", "0.5"], { clockRate: 0.5 }],
  [["--now", "2028-02-29T23:59:59.5+09:00"], { now: "2028-02-29T23:59:59.5+09:00" }],
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

it("refuses a file that is not in UTF-8, such as what PowerShell writes", async () => {
  const path = join(folder, "utf-16.json");
  writeFileSync(path, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("{ }", "utf16le")]));
  await expect(read("--seed", path)).rejects.toThrow(`--seed ${path}: is not text in UTF-8. Save it in UTF-8.`);
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
