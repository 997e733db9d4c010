import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

/** Starts an app's server, and a mock server that forwards to it. Returns what runs the command. */
async function forwardingTo(respond: (response: ServerResponse) => void, forwardHeaders = {}) {
  const received: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const receiver = createServer((request, response) => {
    headers.push(request.headers);
    request.setEncoding("utf8").on("data", (text) => received.push(text));
    request.on("end", () => respond(response));
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const forwardWebhooksTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/offers`;
  const server = await startMockServer({ port: 0, forwardWebhooksTo, forwardHeaders });
  onTestFinished(async () => {
    receiver.close().closeAllConnections();
    await server.close();
  });
  const webhooks = (...args: string[]) => runLine(server.url, "webhooks", ...args);
  return { received, headers, forwardWebhooksTo, webhooks };
}

it("sends to the forwarding URL and prints the delivery", async () => {
  const {
    received,
    forwardWebhooksTo: url,
    webhooks,
  } = await forwardingTo((response) => response.writeHead(204).end());
  const { status, stdout, stderr } = await webhooks("trigger", "--json");
  expect([status, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ accepted: true, status: 204, url, body: received.join("") });
});

it("sends own fields, and forwarded headers without printing them", async () => {
  const own = { Authorization: "Bearer hidden-0123456789" };
  const { received, headers, webhooks } = await forwardingTo((response) => response.writeHead(204).end(), own);
  const fields = ["callId=c1", "count=2", "about.name=Mia"].flatMap((field) => ["--field", field]);
  const { status, stdout } = await webhooks("trigger", ...fields);
  expect(JSON.parse(received.join(""))).toMatchObject({ callId: "c1", count: 2, about: { name: "Mia" } });
  expect(headers.map(({ authorization }) => authorization)).toEqual([own.Authorization]);
  expect([status, stdout.includes("hidden-")]).toEqual([0, false]);
});

it.each([
  ["destinationId=x", "--field destinationId: cannot be replaced. Choose the app with --destination."],
  ["type=x", "type: is set by the platform and cannot be replaced. Remove it"],
  ["callId", "callId: must be FIELD=VALUE"],
])("refuses --field %s", async (field, message) => {
  const { received, webhooks } = await forwardingTo((response) => response.end());
  await expect(webhooks("trigger", "--field", field)).rejects.toThrow(message);
  expect(received).toEqual([]);
});

it("fails when the app's server declines, with a message on stderr and JSON on stdout", async () => {
  const { webhooks } = await forwardingTo((response) => response.writeHead(401).end());
  const { status, stdout, stderr } = await webhooks("trigger", "--json");
  expect([status, stderr]).toEqual([1, expect.stringContaining("did not accept the offer: status 401.")]);
  expect(JSON.parse(stdout)).toMatchObject({ accepted: false, status: 401 });
});

it.each<[string, (response: ServerResponse) => void, string, string]>([
  [
    "a page of many lines",
    (response) =>
      response.writeHead(500, { "content-type": "text/html" }).end(`<h1>Failed</h1>\n${"x".repeat(20_000)}`),
    "… only the first 16384 bytes were read",
    "500 <h1>Failed</h1>",
  ],
  [
    "a picture",
    (response) => response.writeHead(409, { "content-type": "image/png" }).end(Buffer.from([137, 80, 78, 71])),
    "image/png, 4 bytes",
    "409",
  ],
])("shows the response before the request, and its first line in the list: %s", async (_, respond, shown, listed) => {
  const { webhooks } = await forwardingTo(respond);
  const { stdout } = await webhooks("trigger");
  const [start, end] = [stdout.indexOf("Response headers:"), stdout.indexOf("Request headers:")];
  expect(stdout.slice(start, end).split("\n")).toContain(shown);
  expect(stdout.slice(end)).toMatch(/Service-Signature .*\n\nRequest body:\n\{/s);
  expect((await webhooks()).stdout).toContain(listed);
});
