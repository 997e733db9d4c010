import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo, InputError } from "@call-transfer/backend";
import { type MockServer, startMockServer } from "@call-transfer/mock-server";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryStorage } from "../../../backend/tests/store/cases.ts";
import type { MockServerOptions } from "../../src/server/server-options.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-data-"));
let files = 0;
let data = "";
let server: MockServer | undefined;

beforeEach(() => {
  data = join(folder, `${++files}.db`);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(options: MockServerOptions = {}): Promise<MockServer> {
  await server?.close();
  server = await startMockServer({ port: 0, dataFile: data, ...options });
  return server;
}

const groupBody = (name: string): string =>
  JSON.stringify({ name, members: [{ destinationId: demo.destinations.app }] });
const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };

async function createGroup({ url }: MockServer, name: string, prefix = ""): Promise<unknown> {
  const body = groupBody(name);
  const response = await fetch(`${url}${prefix}/api/v1/transfers/destination-groups`, {
    method: "POST",
    headers,
    body,
  });
  expect(response.status).toBe(201);
  return response.json();
}

function groupNames({ sandboxes }: MockServer, sandbox = "default"): readonly string[] {
  return [...(sandboxes.get(sandbox)?.state.groups.values() ?? [])].map(({ name }) => name);
}

describe("a mock server with a data file", () => {
  it("stores what a request changes that arrives while the server closes", async () => {
    const first = await start();
    const body = groupBody("Late shift");
    const socket = connect(first.port, "127.0.0.1");
    socket.write(
      [
        "POST /api/v1/transfers/destination-groups HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${demo.apiKey}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "\r\n",
      ].join("\r\n"),
    );
    // Answered after the head of the request was read.
    await fetch(`${first.url}/health`);
    const closed = first.close();
    socket.write(body);
    expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1.1 201 /);
    await closed;
    expect(groupNames(await start())).toContain("Late shift");
  });

  it("leaves the file to others if it cannot start", async () => {
    const other = await startMockServer({ port: 0 });
    try {
      await expect(start({ port: other.port })).rejects.toThrow(/is in use/);
      await expect(start({ policies: { concurrentCallLimit: -1 } })).rejects.toThrow(InputError);
      await createGroup(await start(), "Weekend");
    } finally {
      await other.close();
    }
  });

  it("says that it is not ready while nothing can be stored, and answers writes with the reason", async () => {
    const first = await start();
    const statuses = async (): Promise<readonly number[]> => {
      const paths = ["/health", "/health/ready", "/api/v1/roles"];
      return Promise.all(paths.map(async (path) => (await fetch(first.url + path, { headers })).status));
    };
    const create = () => fetch(`${first.url}/api/v1/transfers/destination-groups`, { method: "POST", headers, body });
    const body = groupBody("Weekend");
    expect(await statuses()).toEqual([200, 200, 200]);
    renameSync(data, `${data}.moved`);
    const ready = await fetch(`${first.url}/health/ready`);
    const refused = await create();
    expect([refused.status, await refused.text()]).toEqual([
      500,
      expect.stringContaining("was removed, moved or replaced while the server runs, so nothing is stored any more"),
    ]);
    expect([await statuses(), await ready.text()]).toEqual([[200, 503, 200], '{"status":"not ready"}']);
    renameSync(`${data}.moved`, data);
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await create()).status).toBe(201);
    expect(groupNames(await start())).toContain("Weekend");
  });

  it.each([
    [{ dataFile: "" }, "must be the name of a file, such as mock.db"],
    [{ stores: createMemoryStorage() }, "does not work with the option stores. Remove one of the two"],
  ])("does not start with other options %#", async (options, explanation) => {
    await expect(start(options)).rejects.toThrow(new InputError("dataFile", explanation));
  });
});

it("a mock server without a data file is ready, and has no copy to give", async () => {
  server = await startMockServer({ port: 0 });
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  const refused = await fetch(`${server.url}/_control/v1/backup`);
  expect([refused.status, await refused.text()]).toEqual([
    409,
    expect.stringContaining("This server has no data file. Start it with --data-file, or take a snapshot."),
  ]);
});
