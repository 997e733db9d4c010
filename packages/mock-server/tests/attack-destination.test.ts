import { createServer } from "node:http";
import { demo } from "@call-transfer/backend";
import { afterEach, describe, expect, it } from "vitest";
import { createAttack } from "../src/server/attack-destination.ts";
import { startMockServer } from "../src/server/server.ts";
import { startHandWrittenReceiver } from "./attack/hand-written-receiver.ts";

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

  it("include a name of this machine, at the address that was checked", async () => {
    await expect(attackOf("http://app.internal:9/", "127.0.0.1")).rejects.toThrow("No receiver is listening");
  });
});
