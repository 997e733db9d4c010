// Two mock servers behind nginx, which sends each sandbox to one of them: the set-up of examples/sharding.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, describe, it } from "node:test";
import { demo } from "@call-transfer/backend";
import { isApiError } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import type { ServerProcess } from "../receiving/server-process.ts";
import { clientOf, control, type Naming, runCommand, sandboxesOf, startMock } from "./mock-servers.ts";
import { startNginx } from "./nginx.ts";

const publicHost = "mock.example.com";
const options = ["--auto-sandboxes", "--clock", "frozen", "--public-url", `http://${publicHost}`];
const servers = [await startMock(...options), await startMock(...options)] as const;
const nginx = await startNginx(servers.map(({ port }) => port));
const { url } = nginx;

after(async () => {
  await nginx.stop();
  for (const server of servers) await server.stop();
});

const roles = operations.listRoles.path;
const names = Array.from({ length: 40 }, (_, index) => `team-${index}`);
const namingOf = (index: number): Naming => (index % 2 === 0 ? "path" : "header");
const otherNaming = (index: number): Naming => namingOf(index + 1);
const members = [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 20 }];

async function homeOf(sandbox: string): Promise<ServerProcess> {
  const found: ServerProcess[] = [];
  for (const server of servers) if ((await sandboxesOf(server.url)).includes(sandbox)) found.push(server);
  const [home] = found;
  assert(home !== undefined && found.length === 1, `${sandbox} is on ${found.length} servers`);
  return home;
}

/** The names of the groups that tests made in a sandbox. */
async function groupsOf(address: string, sandbox: string): Promise<string[]> {
  const { records } = (await control(address, "/records/groups", { sandbox })) as { records: { name: string }[] };
  return records.map(({ name }) => name).filter((name) => name.startsWith("group of"));
}

/** Sends a request whose path and headers stay as they are. Returns the status and the body. */
function sendRaw(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: nginx.port, path, headers, agent: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on("error", reject).end();
  });
}

describe("sandboxes behind nginx", () => {
  it("are each on one server, whether the path or the header names them", async () => {
    await Promise.all(
      names.map((name, index) =>
        clientOf(url, name, namingOf(index)).destinationGroups.create({ name: `group of ${name}`, members }),
      ),
    );
    const [one, two] = await Promise.all(servers.map((server) => sandboxesOf(server.url)));
    assert(one !== undefined && two !== undefined && one.length > 0 && two.length > 0);
    assert.deepEqual([...one, ...two].sort(), [...names].sort());
  });

  it("answer under both names, also the control plane", async () => {
    for (const [index, name] of names.entries()) {
      const home = await homeOf(name);
      assert.deepEqual(await groupsOf(home.url, name), [`group of ${name}`]);
      assert.deepEqual(await groupsOf(url, name), [`group of ${name}`]);
      const again = clientOf(url, name, otherNaming(index)).destinationGroups;
      await assert.rejects(again.create({ name: `group of ${name}`, members }), (error) =>
        isApiError(error, "resource_already_exists"),
      );
    }
    assert.equal((await Promise.all(servers.map((server) => sandboxesOf(server.url)))).flat().length, names.length);
  });

  it("stay on their server however a path is written", async () => {
    const before = await Promise.all(servers.map((server) => sandboxesOf(server.url)));
    const headers = { Authorization: `Bearer ${demo.apiKey}` };
    const expected = {
      "/x/../_sandbox/NAME": 200,
      "/_sandbox/../_sandbox/NAME/.": 200,
      "/_sandbox/NAME//..": 200,
      "/_sandbox\\NAME": 400,
      "//_sandbox/NAME": 404,
      "/_sandbox/%74eam-1": 404,
      "/%5fsandbox/NAME": 404,
    };
    for (const name of names.slice(0, 8))
      for (const [path, status] of Object.entries(expected))
        assert.equal((await sendRaw(path.replace("NAME", name) + roles, headers)).status, status, path);
    assert.deepEqual(await Promise.all(servers.map((server) => sandboxesOf(server.url))), before);
  });

  it("are created and deleted on their server by name", async () => {
    await runCommand(url, "sandbox", "create", "by-command");
    await homeOf("by-command");
    await runCommand(url, "sandbox", "delete", "by-command");
    await assert.rejects(homeOf("by-command"), { message: "by-command is on 0 servers" });
  });

  it("send their events as they happen", async () => {
    for (const server of servers) {
      const [sandbox = ""] = await sandboxesOf(server.url);
      const stop = new AbortController();
      // A limit for events that never come, not for slow ones.
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
      const headers = { Authorization: "Bearer 0123456789abcdef", "X-Sandbox": sandbox };
      const { body } = await fetch(`${url}/_control/v1/events/stream`, { headers, signal });
      assert(body !== null);
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      const until = async (part: string): Promise<void> => {
        while (!text.includes(part)) {
          const { value, done } = await reader.read();
          assert(!done, `the events ended before ${part}`);
          text += value;
        }
      };
      await until(": connected");
      await clientOf(url, sandbox, "path").roles.list();
      await until('"operationId":"listRoles"');
      stop.abort();
      await reader.read().catch(() => undefined);
    }
  });
});

describe("the address behind nginx", () => {
  it("is the host name in --public-url, and no other", async () => {
    const headers = { Authorization: `Bearer ${demo.apiKey}` };
    assert.equal((await sendRaw(roles, { ...headers, Host: publicHost })).status, 200);
    assert.equal((await sendRaw(roles, { ...headers, Host: "elsewhere.example.com" })).status, 403);
  });

  it("of a client counts with trustForwardedFor, and cannot be chosen by the client", async () => {
    const sandbox = "addresses";
    await control(url, "/policies", { sandbox, method: "PATCH", body: { trustForwardedFor: true } });
    const keyFor = async (allowedIp: string) => {
      const body = { allowedIps: [allowedIp] };
      const { key } = (await control(url, "/credentials/api-keys", { sandbox, method: "POST", body })) as {
        key: string;
      };
      return { Authorization: `Bearer ${key}`, "X-Sandbox": sandbox };
    };
    const [own, other] = [await keyFor("127.0.0.1"), await keyFor("203.0.113.9")];
    const statusWith = async (headers: Record<string, string>) => (await sendRaw(roles, headers)).status;
    assert.equal(await statusWith(own), 200);
    assert.equal(await statusWith({ ...own, "X-Forwarded-For": "203.0.113.9" }), 200);
    assert.equal(await statusWith(other), 403);
    assert.equal(await statusWith({ ...other, "X-Forwarded-For": "203.0.113.9" }), 403);
  });
});

describe("a server that is killed", () => {
  it("takes its sandboxes along, which no other server takes over, and has them again when it is back", async () => {
    const [killed, other] = servers;
    const [lost, kept] = [await sandboxesOf(killed.url), await sandboxesOf(other.url)];
    const statusesOf = (sandboxes: readonly string[]) =>
      Promise.all(sandboxes.map(async (sandbox) => (await sendRaw("/health", { "X-Sandbox": sandbox })).status));
    killed.signal("SIGKILL");
    assert.deepEqual(new Set(await statusesOf(lost)), new Set([502]));
    // Also once nginx has seen that it fails.
    assert.deepEqual(new Set(await statusesOf(lost)), new Set([502]));
    assert.deepEqual(new Set(await statusesOf(kept)), new Set([200]));
    assert.deepEqual(await sandboxesOf(other.url), kept);
    await killed.restart();
    assert.deepEqual(new Set(await statusesOf(lost)), new Set([200]));
    assert.deepEqual((await sandboxesOf(killed.url)).toSorted(), lost.toSorted());
    for (const name of lost.filter((one) => names.includes(one)))
      assert.deepEqual(await groupsOf(url, name), [`group of ${name}`]);
  });
});

describe("a third server", () => {
  it("gets some sandboxes, which move there with a snapshot, and the others stay", async () => {
    await using third = await startMock(...options);
    await using larger = await startNginx([...servers, third].map(({ port }) => port));
    const moved: string[] = [];
    for (const name of names) {
      const { sandboxes } = (await control(larger.url, "/sandboxes", { sandbox: name })) as {
        sandboxes: readonly { name: string }[];
      };
      if (sandboxes.some((one) => one.name === name)) continue;
      const home = await homeOf(name);
      const snapshot = await control(home.url, "/snapshot", { sandbox: name });
      await control(larger.url, "/snapshot", { sandbox: name, method: "PUT", body: snapshot });
      await control(home.url, `/sandboxes/${name}`, { method: "DELETE" });
      moved.push(name);
    }
    assert(moved.length > 0 && moved.length < names.length, `${moved.length} sandboxes moved`);
    assert.deepEqual((await sandboxesOf(third.url)).toSorted(), moved.toSorted());
    for (const name of names) assert.deepEqual(await groupsOf(larger.url, name), [`group of ${name}`]);
  });
});
