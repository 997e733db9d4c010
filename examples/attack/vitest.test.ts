import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import { createWebhookHandler, toNodeHandler } from "@call-transfer/sdk/webhooks";
import { expect, test } from "vitest";

test("the receiver withstands an attack", { timeout: 60_000 }, async () => {
  const secret = "a-secret-for-tests";
  const handled = new Map<string, number>();
  const count = (id: string) => void handled.set(id, (handled.get(id) ?? 0) + 1);
  const receive = createWebhookHandler({ secret, onEvent: ({ id }) => count(String(id)) });
  const server = createServer(toNodeHandler(receive)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`;
  const report = await attackReceiver({ url, secret, handled: () => handled });
  server.close();
  expect(report.findings, formatReport(report)).toEqual([]);
});
