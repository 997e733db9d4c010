// Tests that run in two files at the same time. Each must find only its own requests, records and webhooks.
import { demo } from "@call-transfer/backend";
import { type CallTransferFixtures, callTransferFixtures } from "@call-transfer/mock-server/vitest";
import { test as base, describe, expect } from "vitest";

const test = base.extend<CallTransferFixtures>(callTransferFixtures);
/** Shared by the files of one worker when the run has no isolation. */
const shared = globalThis as { servers?: Set<string> };

export function describeOwnSandboxes(): void {
  const servers = new Set<string>();

  test("the servers of earlier files are closed", async ({ callTransferServer }) => {
    for (const url of shared.servers ?? []) await expect(fetch(url)).rejects.toThrow();
    shared.servers = new Set([...(shared.servers ?? []), callTransferServer.url]);
    console.log(`server ${callTransferServer.url} in process ${process.pid}`);
  });

  test.concurrent.for(Array.from({ length: 20 }, (_, index) => index + 1))(
    "test %i has a sandbox of its own",
    async (count, { callTransfer, callTransferServer, expect }) => {
      const { baseUrl, apiKey, clock, deliveries, forwardWebhooksTo, inbox, requests } = callTransfer;
      servers.add(callTransferServer.url);
      const received: string[] = [];
      forwardWebhooksTo((request) => {
        received.push(request.url);
        return new Response();
      });
      await clock.advance({ by: count });
      for (let sent = 0; sent < count; sent += 1) {
        const response = await fetch(`${baseUrl}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
        expect(response.status).toBe(200);
        await deliveries.trigger({ destinationId: demo.destinations.app });
      }
      expect([requests.list().length, deliveries.list().length, received.length]).toEqual([count, count, count]);
      expect(inbox.list()).toEqual([]);
      expect(clock.now()).toBe(Date.parse("2026-03-02T12:00:00Z") + count);
      expect(servers.size).toBe(1);
    },
  );

  describe("with options of its own", () => {
    const options = { clockMode: "running", seed: {}, policies: { dailyCallLimit: 3 } } as const;
    test.override({ callTransferOptions: options });

    test("a sandbox starts with them", ({ callTransfer }) => {
      const { accountId, apiKey, backend, clock } = callTransfer;
      expect([accountId, apiKey, clock.mode, backend.policies.dailyCallLimit]).toEqual(["", "", "running", 3]);
    });
  });

  test("a sandbox without them starts with the demo data and a frozen clock", ({ callTransfer }) => {
    expect([callTransfer.accountId, callTransfer.clock.mode]).toEqual([demo.accountId, "frozen"]);
  });
}
