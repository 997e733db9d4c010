import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/cli/connection.ts";
import { runLine } from "./run-line.ts";

/** A server that answers everything alike. */
async function serverOf(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  [["clock"], "GET /_control/v1/clock"],
  [["clock", "freeze"], "PATCH /_control/v1/clock"],
  [["clock", "advance", "1h"], "POST /_control/v1/clock/advance"],
  [["coverage"], "GET /_control/v1/coverage"],
  [["webhooks"], "GET /_control/v1/webhooks/deliveries"],
  [["events"], "GET /_control/v1/events"],
  [["fault"], "GET /_control/v1/faults"],
  [["webhooks", "inbox"], "GET /_control/v1/webhooks/inbox"],
  [["credentials", "keys"], "POST /_control/v1/credentials/api-keys"],
  [["requests"], "GET /_control/v1/requests"],
  [["sandbox", "reset"], "POST /_control/v1/reset"],
  [["credentials", "rotate"], "GET /_control/v1/records/destinations"],
  [["sandbox", "create", "one"], "POST /_control/v1/sandboxes"],
  [["snapshot"], "GET /_control/v1/snapshot"],
  [["records", "members"], "GET /_control/v1/records/members"],
  [["events", "--follow"], "GET /_control/v1/records/"],
  [["credentials", "token"], "POST /_control/v1/credentials/access-tokens"],
])("says of another server what it answered: %j", async ([name = "", ...rest], operation) => {
  const url = await serverOf(200, '{"hello":"world"}');
  await expect(runLine(url, name, ...rest)).rejects.toThrow(`The server at ${url} answered ${operation}`);
  await expect(runLine(url, name, ...rest)).rejects.toThrow("so it is not a mock server of this version. Check --url.");
});

it.each([
  ["a list", 200, "[]", "JSON that lacks now, mode, rate, pendingTimers, upcomingTimers, upcomingTimerCount"],
  ["a text", 200, '"ok"', "JSON that lacks now"],
  ["null", 200, "null", "JSON that lacks now"],
  [
    "a field of another type",
    200,
    '{"now":1,"mode":2,"rate":3,"pendingTimers":4,"upcomingTimers":{},"upcomingTimerCount":5}',
    "JSON that lacks upcomingTimers, so",
  ],
  ["another status", 202, "{}", "status 202"],
])("names what is wrong with the answer of another server: %s", async (_, status, body, what) => {
  const url = await serverOf(status, body);
  await expect(runLine(url, "clock")).rejects.toThrow(`answered GET /_control/v1/clock with ${what}`);
});

it.each<[string, RequestListener]>([
  ["answers nothing", () => {}],
  ["stops in the middle of its answer", (_, response) => void response.writeHead(200).write("{")],
])("does not wait forever for a server that %s", async (_, listener) => {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { control } = connect({ url, sandbox: "default", controlToken: undefined }, 300);
  await expect(control.GET("/_control/v1/clock")).rejects.toThrow(`No whole answer from ${url} within 300 ms.`);
});
