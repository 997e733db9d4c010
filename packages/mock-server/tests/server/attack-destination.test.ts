import { createServer } from "node:http";
import { demo } from "@call-transfer/backend";
import { afterEach, describe, expect, it } from "vitest";
import { createAttack } from "../../src/server/attack-destination.ts";
import { startMockServer } from "../../src/server/server.ts";
import { startHandWrittenReceiver } from "../attack/hand-written-receiver.ts";

const { app } = demo.destinations;
const close: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  await Promise.all(close.splice(0).map((one) => one()));
});

/** A server whose app is at an address, and what attacks it. */
async function startServer(url: string, options: Parameters<typeof startMockServer>[0] = {}) {
  const server = await startMockServer({ port: 0, ...options });
  close.push(server.close);
  server.backend.collections.update("destinations", app, { config: { url } });
  return async () => {
    const response = await fetch(`${server.url}/_control/v1/webhooks/attacks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ destinationId: app }),
    });
    return { status: response.status, body: await response.json() };
  };
}

describe("an attack through the control plane of a server", () => {
  it("passes a receiver that verifies and remembers", async () => {
    const receiver = await startHandWrittenReceiver({ secret: demo.signingSecret, previousSecret: "none" });
    close.push(receiver.close);
    const attack = await startServer(receiver.url);
    const { status, body } = await attack();
    expect([status, body]).toMatchObject([200, { findings: [], urls: [receiver.url] }]);
    expect(body.checks.filter(({ outcome }: { outcome: string }) => outcome === "passed").length).toBeGreaterThan(20);
    expect(JSON.stringify(body)).not.toContain(demo.signingSecret);
  });

  it("finds that a receiver accepts any signature", async () => {
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    close.push(() => receiver.close().closeAllConnections());
    const address = receiver.address();
    const attack = await startServer("http://unused.test/", {
      forwardWebhooks: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`,
    });
    const { status, body } = await attack();
    expect(status).toBe(200);
    expect(body.findings).toContainEqual(expect.objectContaining({ kind: "accepted" }));
  });

  it("says that nothing listens", async () => {
    const attack = await startServer("http://127.0.0.1:9/offers");
    expect(await attack()).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", message: expect.stringContaining("No receiver is listening") } },
    });
  });
});

describe("the addresses that are attacked", () => {
  const isOwn = (address: string, port: number) => address === "127.0.0.1" && port === 4010;
  const attackOf = (url: string, address: string) =>
    createAttack({ isOwn, resolve: async () => [{ address }] })({ url, secret: "secret" });

  it.each([
    ["a public one", "http://app.example.com/", "203.0.113.7", "not on this machine or in a private network"],
    ["a link-local one", "http://app.internal/", "169.254.169.254", "not on this machine or in a private network"],
    ["a public IPv6 one", "http://app.example.com/", "2001:db8::1", "not on this machine or in a private network"],
    ["a literal public one", "http://203.0.113.7/", "127.0.0.1", "203.0.113.7"],
    ["the server's own", "http://mock.test:4010/", "127.0.0.1", "is the mock server itself"],
  ])("do not include %s", async (_, url, address, message) => {
    await expect(attackOf(url, address)).rejects.toThrow(message);
  });

  const ones = (start: string) => `${start}${":ffff".repeat(7)}`;

  /** The first and the last address of each private network, and the ones beside it. */
  it.each([
    ["127.0.0.0/8", ["127.0.0.0", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]],
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
    ["172.16.0.0/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
    ["192.168.0.0/16", ["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]],
    ["::1", ["::1"], ["::", "::2"]],
    ["fc00::/7", ["fc00::", ones("fdff")], [ones("fbff"), "fe00::"]],
    ["fc00::/7, but no metadata address", ["fd00:ec1::"], ["fd00:ec2::254", "fd20:ce::254"]],
  ])("are those of %s", async (_, inside, outside) => {
    const own = "is the mock server itself";
    const attackAt = (address: string) =>
      createAttack({ isOwn: () => true, resolve: async () => [{ address }] })({ url: "http://app.test/", secret: "s" });
    for (const address of inside) await expect(attackAt(address), address).rejects.toThrow(own);
    for (const address of outside)
      await expect(attackAt(address), address).rejects.toThrow("not on this machine or in");
  });

  it("are checked as they are connected to: the first of several of a name", async () => {
    const attackAt = (...addresses: string[]) =>
      createAttack({ isOwn, resolve: async () => addresses.map((address) => ({ address })) })({
        url: "http://app.internal:9/",
        secret: "secret",
      });
    await expect(attackAt("203.0.113.7", "127.0.0.1")).rejects.toThrow("203.0.113.7");
    await expect(attackAt("169.254.169.254", "127.0.0.1")).rejects.toThrow("169.254.169.254");
    await expect(attackAt("127.0.0.1", "203.0.113.7")).rejects.toThrow("No receiver is listening");
  });

  it("include a name of this machine, at the address that was checked", async () => {
    await expect(attackOf("http://app.internal:9/", "127.0.0.1")).rejects.toThrow("No receiver is listening");
  });
});
