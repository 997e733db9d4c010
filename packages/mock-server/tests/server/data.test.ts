import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo, InputError } from "@call-transfer/backend";
import { memoryStores } from "@call-transfer/backend/conformance";
import { type MockServer, StoreError, startMockServer } from "@call-transfer/mock-server";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
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
  server = await startMockServer({ port: 0, data, ...options });
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
  it("continues with the state of the one before", async () => {
    const first = await start({ clock: "frozen" });
    expect(first.backend.isResumed).toBe(false);
    await createGroup(first, "Weekend");
    await first.backend.advance({ by: 60_000 });
    const before = { now: first.backend.clock.now(), groups: groupNames(first) };
    const second = await start({ clock: "flowing", seed: {} });
    expect(second.backend.isResumed).toBe(true);
    expect({ now: second.backend.clock.now(), groups: groupNames(second) }).toEqual(before);
    expect(before.groups).toContain("Weekend");
  });

  it("returns to the seed of its own start by a reset, also for the next one", async () => {
    const first = await start();
    await createGroup(first, "Weekend");
    const second = await start({ seed: { accounts: [{ id: demo.accountId, name: "Clinic" }] } });
    expect(groupNames(second)).toContain("Weekend");
    second.backend.reset();
    expect(second.backend.state.groups.size).toBe(0);
    const third = await start();
    expect([...third.backend.state.accounts.values()].map(({ name }) => name)).toEqual(["Clinic"]);
  });

  it("continues with what a restored snapshot held", async () => {
    const first = await start();
    await createGroup(first, "Weekend");
    const snapshot = first.backend.snapshot();
    first.backend.reset();
    first.backend.restore(snapshot);
    const second = await start();
    expect(groupNames(second)).toContain("Weekend");
    expect(second.backend.snapshot().seed).toEqual(snapshot.seed);
  });

  it("keeps all sandboxes with their names and options, and not the deleted ones", async () => {
    const first = await start({ clock: "frozen" });
    first.sandboxes.create("b", { seed: { accounts: [{ id: demo.accountId, name: "Clinic" }] } });
    first.sandboxes.create("a");
    first.sandboxes.create("gone");
    await createGroup(first, "Weekend", "/_sandbox/a");
    first.sandboxes.delete("gone");
    const second = await start();
    expect(second.sandboxes.list()).toEqual(["default", "b", "a"]);
    expect(groupNames(second, "a")).toContain("Weekend");
    expect(groupNames(second)).not.toContain("Weekend");
    const b = second.sandboxes.get("b");
    expect(b?.state.accounts.size).toBe(1);
    b?.reset();
    expect(b?.state.accounts.size).toBe(1);
  });

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

  it("does not start with a file that it cannot use", async () => {
    writeFileSync(data, "groups: []\n");
    await expect(start()).rejects.toThrow(
      new StoreError(`${data} is not a data file of the mock server. Name another file.`),
    );
  });

  it.each([
    [{ data: "" }, "must be the name of a file, such as mock.db"],
    [{ stores: memoryStores() }, "does not work with the option stores. Remove one of the two"],
  ])("does not start with other options %#", async (options, explanation) => {
    await expect(start(options)).rejects.toThrow(new InputError("data", explanation));
  });
});
