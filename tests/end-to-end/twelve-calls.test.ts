// An app that calls eight operations of the API and four that it does not describe, against one mock server: by stubs, and
// by another server. `check -- pages` runs Prism beside it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { afterAll, afterEach, expect, it } from "vitest";
import { commandFile } from "../../build/command-file.ts";

const cli = commandFile();
const folder = mkdtempSync(join(tmpdir(), "call-transfer-twelve-"));
afterAll(() => rmSync(folder, { recursive: true }));

const servers: ChildProcess[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.kill("SIGKILL");
});

/** Starts the command, and returns its URL. */
async function start(...options: string[]): Promise<string> {
  const server = spawn(process.execPath, [
    cli,
    "--port",
    "0",
    "--clock",
    "frozen",
    "--auto-sandboxes",
    "--json",
    ...options,
  ]);
  servers.push(server);
  const [line] = await once(createInterface(server.stdout), "line");
  return JSON.parse(String(line)).url;
}

function save(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

interface Contact {
  readonly id: string;
  readonly name: string;
}

interface ContactPage {
  readonly contacts: readonly Contact[];
  readonly meta: { readonly total: number };
}

/** Calls everything once. Returns what the four other operations answered, and the id of the group. */
async function runApp(baseUrl: string) {
  const client = new CallTransfer({ baseUrl, apiKey: demo.apiKey, maxRetries: 0 });
  await client.accounts.list();
  await client.roles.list();
  await client.calls.list();
  await client.calls.create({
    flowId: demo.flows.published,
    fromNumber: demo.numbers.working,
    toNumber: "+14155550199",
  });
  await client.members.getAvailability(demo.members.owner);
  await client.members.deleteHours(demo.members.owner);
  await client.destinations.rotateSecret(demo.destinations.app);
  const members = [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }];
  const group = await client.destinationGroups.create({ name: "Twelve", members, totalTimeoutSecs: 30 });

  const created = await client.request<Contact>("POST", "/api/v1/contacts", { body: { name: "Ada" } });
  const path = { id: created.id };
  const read = await client.request<Contact>("GET", "/api/v1/contacts/{id}", { path });
  const names: string[] = [];
  for await (const { name } of client.list<ContactPage>("/api/v1/contacts", { itemsField: "contacts" }))
    names.push(name);
  const job = await client.request<{ readonly status: string }>("GET", "/api/v1/jobs/7");
  return { group: group.id, contact: created.name, isRead: read.id === created.id, names, status: job.status };
}

const answered = { contact: "Ada", isRead: true, names: ["Ada"], status: "done", group: expect.any(String) };

/** Runs the app in two sandboxes at once: each has its own group. */
async function runInSandboxes(url: string): Promise<void> {
  const [one, two] = await Promise.all(["one", "two"].map((name) => runApp(`${url}/_sandbox/${name}`)));
  expect([one, two]).toEqual([answered, answered]);
}

const stubs = save(
  "stubs.yaml",
  `stubs:
  - { method: POST, path: /api/v1/contacts, response: { status: 201, body: { id: "{{id}}", name: "{{body.name}}" } } }
  - { method: GET, path: /api/v1/contacts, response: { body: { contacts: [{ id: c-1, name: Ada }], meta: { total: 1 } } } }
  - { method: GET, path: "/api/v1/contacts/{id}", response: { body: { id: "{{path.id}}", name: Ada } } }
  - { method: GET, path: /api/v1/jobs/7, response: { body: { status: done } } }
`,
);

it("an app of twelve calls runs by stubs, in two sandboxes at once", async () => {
  await runInSandboxes(await start("--stubs", stubs));
});

it("an app of twelve calls runs by another server that has the four operations", async () => {
  const another = await start("--stubs", stubs);
  expect(await runApp(await start("--fallback-url", another, "--forward-credentials"))).toEqual(answered);
});
