import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";

const cli = commandFile();
/** Node reads the setting from this version on. */
const canUseProxies = Number.parseInt(process.versions.node, 10) >= 24;

/** A proxy that notes what it is asked for, and passes nothing on. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.url}`);
    outgoing.end("{}");
  }).on("connect", (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    env: { ...process.env, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, http_proxy: url, NO_PROXY: "", no_proxy: "" },
  };
}

it("with a proxy of the environment, this machine is reached directly and others through it", async () => {
  const { asked, env } = await startProxy();
  const server = spawn(
    process.execPath,
    [cli, "--port", "0", "--json", "--fallback-url", "http://staging.example.test"],
    { env },
  );
  onTestFinished(() => void server.kill());
  const [line] = await once(createInterface(server.stdout), "line");
  const { url } = JSON.parse(line) as { url: string };

  for (const [address, noProxy] of [
    [url, ""],
    [url.replace("127.0.0.1", "localhost"), "example.com"],
  ]) {
    const own = { ...env, NO_PROXY: noProxy, no_proxy: noProxy };
    const command = spawn(process.execPath, [cli, "requests", "--url", address ?? ""], { env: own });
    expect(await text(command.stdout)).toContain("No requests yet.");
  }
  expect(asked).toEqual([]);

  await (await fetch(`${url}/other?a=1`)).text();
  if (canUseProxies) expect(asked).toEqual(["http://staging.example.test/other?a=1"]);
});

it("with a proxy of the environment, deliveries and an attack connect to the addresses that were checked", async () => {
  const { asked, env } = await startProxy();
  const received: string[] = [];
  const receiver = createServer((incoming, outgoing) => {
    received.push(`${incoming.url}`);
    incoming.resume().on("end", () => outgoing.writeHead(204).end());
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => receiver.close().closeAllConnections());
  const { port } = receiver.address() as AddressInfo;
  const server = spawn(process.execPath, [cli, "--port", "0", "--json"], { env });
  onTestFinished(() => void server.kill());
  const [line] = await once(createInterface(server.stdout), "line");
  const { url } = JSON.parse(line) as { url: string };
  const run = async (...args: string[]) => text(spawn(process.execPath, [cli, ...args], { env }).stdout);

  for (const host of ["127.0.0.1", "localhost"]) {
    const target = `config.url=http://${host}:${port}/${host}`;
    await run("records", "update", "destinations", "Front desk app", target, "--url", url);
    await run("webhooks", "trigger", "--url", url);
  }
  expect(received).toEqual(["/127.0.0.1", "/localhost"]);
  await run("attack", `http://127.0.0.1:${port}/attacked`, "--secret", "x".repeat(32));
  expect(received).toContain("/attacked");
  expect(asked).toEqual([]);
});
