import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { expect, it, onTestFinished } from "vitest";
import { hintFor, startHint } from "../../src/cli/output.ts";
import { hintOf } from "../../src/cli/ready.ts";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

const token = "control-token-of-a-test";
const connection = ["--sandbox", "other", "--control-token", token];

/** A server with a sandbox, whose clock stands still, and the options that lead to it. */
async function startServer() {
  // An app that declines every offer.
  const app = createServer((_, response) => response.writeHead(400).end()).listen(0, "127.0.0.1");
  await once(app, "listening");
  const forwardWebhooksTo = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
  const server = await startMockServer({ port: 0, controlToken: token, clockMode: "frozen", forwardWebhooksTo });
  server.sandboxes.create("other");
  onTestFinished(async () => {
    app.close();
    await server.close();
  });
  return { server, url: server.url, options: `--url ${server.url} --sandbox other --control-token ${token}` };
}

it.each([
  [["transfer", "list"], "transfer TARGET"],
  [["webhooks"], "webhooks trigger"],
  [["fault", "add", "createCall 503"], "fault delete fault-1"],
  [["fault", "add", "* latency 2s"], "clock advance next"],
  [["webhooks", "trigger"], "sandbox reset"],
] as const)("%j suggests %s with the options that it had", async ([name, ...args], command) => {
  const { url, options } = await startServer();
  const { stdout, stderr } = await runLine(url, name, ...args, ...connection);
  expect(stdout + stderr).toContain(`npm -s start -- ${command} ${options}`);
});

it("a list that was cut suggests the whole of it with the options that the command had", async () => {
  const { server, url, options } = await startServer();
  const { transfers } = server.sandboxes.get("other") ?? server.backend;
  for (let count = 0; count < 21; count += 1) transfers.start({ destinationId: demo.destinations.phone });
  const { stdout } = await runLine(url, "clock", ...connection);
  expect(stdout).toContain(`List them: npm -s start -- clock --json ${options}`);
});

it("the example of a missing operand has the options that the command had", async () => {
  const failure = runLine("http://127.0.0.1:9", "clock", "advance", ...connection);
  await expect(failure).rejects.toThrow(
    `Missing STEP. Usage: npm -s start -- clock advance 24h --url http://127.0.0.1:9 --sandbox other --control-token ${token}`,
  );
});

it("a server that does not run is started on the port that the command named", async () => {
  await expect(runLine("http://127.0.0.1:9", "clock", ...connection)).rejects.toThrow(
    "or start a server: npm -s start -- --port 9",
  );
});

it.each([
  [{}, "npm -s start --"],
  [{ url: "http://127.0.0.1:4010" }, "npm -s start --"],
  [
    { url: "http://localhost:4999", config: "mock.json", controlToken: token },
    "npm -s start -- --config mock.json --port 4999",
  ],
  [{ url: "http://mock.example.com:4999" }, "npm -s start --"],
])("with %j, a server is started by %s", (given, command) => {
  expect(startHint(given)).toBe(command);
});

it("a hint is one line for a shell, whatever the options contain", () => {
  expect(hintFor({ sandbox: "it's $(mine)", config: "a b.json" })("sandbox reset")).toBe(
    `npm -s start -- sandbox reset --config 'a b.json' --sandbox 'it'\\''s $(mine)'`,
  );
});

it("a server that starts suggests commands that reach it", () => {
  expect(hintOf({ url: "http://127.0.0.1:4010" })("clock")).toBe("npm -s start -- clock");
  expect(hintOf({ url: "http://127.0.0.1:5000", controlToken: token })("clock")).toBe(
    `npm -s start -- clock --url http://127.0.0.1:5000 --control-token ${token}`,
  );
});
