import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import { createWebhookHandler, toNodeHandler } from "@call-transfer/sdk/webhooks";

test("the receiver withstands an attack", async () => {
  const secret = "a-secret-for-tests";
  const handled = new Map();
  const count = (id) => void handled.set(id, (handled.get(id) ?? 0) + 1);
  const receive = createWebhookHandler({ secret, onEvent: ({ id }) => count(id) });
  const server = createServer(toNodeHandler(receive)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/offers`;
  const report = await attackReceiver({ url, secret, handled: () => handled });
  server.close();
  assert.deepEqual(report.findings, [], formatReport(report));
});
