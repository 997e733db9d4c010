// What survives the end of the runtime: orderly, and by SIGKILL in the middle of its work.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { demo, inboxUrl } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { verifyWebhook } from "@call-transfer/sdk/webhooks";
import { limits } from "@call-transfer/spec";
import { until } from "../receiving/server-process.ts";
import { MockServer, startReceiver, temporaryFolder } from "./hosted-server.ts";
import { storedRows } from "./stored.ts";

/** A new server with the sandbox `own`. It stops and its folder is removed when the test is over. */
async function start(options: object = {}) {
  const folder = temporaryFolder();
  const server = await MockServer.start({ folder: folder.path });
  await server.control("default", "POST", "/sandboxes", { name: "own", ...options });
  return {
    server,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await server.stop();
      folder.remove();
    },
  };
}

const clientOf = ({ url }: MockServer) => new CallTransfer({ baseUrl: `${url}/_sandbox/own`, apiKey: demo.apiKey });

/** Sends the webhooks of the demo data's app to an address. */
const forwardWebhooksTo = (server: MockServer, url: string) =>
  server.control("own", "PATCH", `/records/destinations/${demo.destinations.app}`, { config: { url } });

/** How long the phone of the demo data rings, in milliseconds. */
const ringMs = 30_000;

interface StoredTransfer {
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

describe("a hosted mock server that starts again", { concurrency: true }, () => {
  it("ends a ring at its time with no request coming in", async () => {
    await using own = await start();
    const { server, folder } = own;
    await server.control("own", "POST", "/transfers", { destinationId: demo.destinations.phone });
    await server.stop();
    const stored = async () => (await storedRows<StoredTransfer>(folder, "own", "transfers"))[0];
    assert.equal((await stored())?.status, "ringing");
    await server.startAgain();
    await until("There is not yet the end of the transfer", async () => (await stored())?.status === "unanswered");
    const { startedAt = 0, endedAt = 0 } = (await stored()) ?? {};
    assert.equal(endedAt - startedAt, ringMs);
  });

  it("sends an offer again that was in flight at SIGKILL, as the same event, with no request coming in", async () => {
    await using receiver = await startReceiver((count) => count === 1);
    // Frozen, so that the ring is not over when a busy machine has started the runtime again. Deliveries take real time.
    await using own = await start({ clockMode: "frozen" });
    const { server } = own;
    await forwardWebhooksTo(server, receiver.url);
    await server.control("own", "POST", "/transfers", { destinationId: demo.destinations.app });
    await until("There is not yet the first offer", () => receiver.received.length === 1);
    await server.kill();
    await server.startAgain();
    await until("There is not yet the second offer", () => receiver.received.length === 2);
    const [first, second] = receiver.received;
    assert.deepEqual(JSON.parse(second?.text ?? ""), JSON.parse(first?.text ?? ""));
    const input = { body: second?.text ?? "", headers: second?.headers ?? {} };
    const { now } = await server.control("own", "GET", "/clock");
    const clock = { now: () => Date.parse(now) };
    assert.equal(
      (await verifyWebhook(input, { secret: demo.signingSecret, clock })).id,
      JSON.parse(first?.text ?? "").id,
    );
    await until("There is not yet the answer", async () => {
      const { transfers } = await server.control("own", "GET", "/transfers");
      return transfers[0].status === "connected";
    });
  });

  it("signs with both secrets in the middle of a rotation, and with the new one after it", async () => {
    await using own = await start({ clockMode: "frozen" });
    const { server } = own;
    await forwardWebhooksTo(server, inboxUrl);
    const { signingSecret } = await clientOf(server).destinations.rotateSecret(demo.destinations.app);
    const secretsOf = async () => {
      await server.control("own", "POST", "/webhooks/trigger", { destinationId: demo.destinations.app });
      const { deliveries } = await server.control("own", "GET", "/webhooks/deliveries");
      return deliveries.at(-1).signature.v1.map(({ secret }: { secret: string }) => secret);
    };
    await server.kill();
    await server.startAgain();
    assert.deepEqual(await secretsOf(), ["current", "previous"]);
    const { records } = await server.control("own", "GET", "/records/destinations");
    const stored = records.find(({ id }: { id: string }) => id === demo.destinations.app);
    assert.deepEqual([stored.signingSecret, stored.previousSecret], [signingSecret, demo.signingSecret]);
    await server.control("own", "POST", "/clock/advance", { by: limits.previousSecretOverlapHours * 3_600_000 });
    await server.stop();
    await server.startAgain();
    assert.deepEqual(await secretsOf(), ["current"]);
  });

  it("has all that it acknowledged, killed five times while clients write", async () => {
    await using own = await start();
    const { server } = own;
    const members = [{ destinationId: demo.destinations.phone }, { destinationId: demo.destinations.app }];
    const acknowledged: string[] = [];
    for (let kill = 0; kill < 5; kill += 1) {
      const client = clientOf(server);
      let isKilled = false;
      const write = async (writer: number): Promise<void> => {
        for (let number = 0; !isKilled; number += 1) {
          const name = `Group ${kill}-${writer}-${number}`;
          await client.destinationGroups.create({ name, members }, { maxRetries: 0 });
          acknowledged.push(name);
        }
      };
      const goal = acknowledged.length + 20;
      const writers = [1, 2, 3].map((writer) => write(writer).catch(() => {}));
      await until("There are not yet 20 more groups", () => acknowledged.length >= goal);
      await server.kill();
      isKilled = true;
      await Promise.all(writers);
      await server.startAgain();
    }
    const { records } = await server.control("own", "GET", "/records/groups");
    const names = new Set(records.map(({ name }: { name: string }) => name));
    assert.deepEqual(
      acknowledged.filter((name) => !names.has(name)),
      [],
    );
    // At most one request of each writer was under way at each kill.
    assert.ok(names.size <= 1 + acknowledged.length + 5 * 3, `${names.size} groups`);
  });

  it("has a state beyond the 2 MB of a row: records, options and an export", async () => {
    const large = "ä😀".repeat(1_000_000);
    const accountId = "10000000-0000-4000-8000-000000000001";
    await using own = await start({ seed: { accounts: [{ id: accountId, name: large }] } });
    const { server } = own;
    const nameOf = async () => (await server.control("own", "GET", "/records/accounts")).records[0].name;
    assert.equal((await nameOf()) === large, true);
    const changed = `${large.slice(3)}!`;
    await server.control("own", "PATCH", `/records/accounts/${accountId}`, { timeZone: "Asia/Tokyo" });
    const snapshot = await server.control("own", "GET", "/snapshot");
    snapshot.seed.accounts[0].name = changed;
    await server.control("own", "PUT", "/snapshot", snapshot);
    await server.kill();
    await server.startAgain();
    assert.equal((await nameOf()) === changed, true);
    // The options have the name of before.
    await server.control("own", "POST", "/reset");
    assert.equal((await nameOf()) === large, true);
  });
});
