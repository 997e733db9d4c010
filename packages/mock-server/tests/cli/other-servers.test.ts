// What a command says of a server that is none, or that it cannot reach.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { demo } from "@call-transfer/backend";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/cli/connection.ts";
import { hintFor } from "../../src/cli/output.ts";
import { startMockServer } from "../../src/index.ts";
import { runLine } from "./run-line.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ["application/json", '{"hello":"world"}', "does not answer as a mock server of this version. Check --url."],
  ["text/html", "<p>Hello</p>", "does not answer as a mock server of this version. Check --url."],
  ["application/problem+json", '{"detail":"no route"}', "has no control plane: it is Prism or another program"],
])("says of a server that answers %s that it is none", async (type, body, message) => {
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": type }).end(body);
  });
  for (const name of ["clock", "coverage", "webhooks", "events", "requests"])
    await expect(runLine(url, name), name).rejects.toThrow(message);
});

it.each<[string, RequestListener]>([
  ["answers nothing", () => {}],
  ["stops in the middle of its answer", (_, response) => void response.writeHead(200).write("{")],
])("does not wait forever for a server that %s", async (_, listener) => {
  const { control } = connect({ url: await serve(listener), sandbox: "default", controlToken: undefined }, 300);
  await expect(control.GET("/_control/v1/clock")).rejects.toMatchObject({ name: "TimeoutError" });
});

it("says how to start a server that does not run", async () => {
  await expect(runLine("http://127.0.0.1:9", "clock")).rejects.toThrow(
    "No server is running at http://127.0.0.1:9. Check --url, or start a server: npm -s start -- start",
  );
});

it("suggests commands with the options that lead to the same server, as one line for a shell", async () => {
  const [token, sandbox] = ["control-token-of-a-test", "other"];
  const server = await startMockServer({ port: 0, controlToken: token, clockMode: "frozen" });
  onTestFinished(() => server.close());
  const { transfers } = server.sandboxes.create(sandbox);
  for (let count = 0; count < 21; count += 1) transfers.start({ destinationId: demo.destinations.phone });
  const own = ["--sandbox", sandbox, "--control-token", token];
  const options = `--url ${server.url} ${own.join(" ")}`;
  const printed = async (...args: [string, ...string[]]) => (await runLine(server.url, ...args, ...own)).stdout;
  expect(await printed("webhooks")).toContain(`npm -s start -- webhooks trigger ${options}`);
  expect(await printed("fault", "add", "503")).toContain(`npm -s start -- fault delete fault-1 ${options}`);
  expect(await printed("clock")).toContain(`List them: npm -s start -- clock --json ${options}`);
  await expect(printed("clock", "advance")).rejects.toThrow(
    `Missing STEP. Usage: npm -s start -- clock advance 24h ${options}`,
  );
  expect(hintFor({ sandbox: "it's $(mine)" })("clock")).toBe(`npm -s start -- clock --sandbox 'it'\\''s $(mine)'`);
});
