// Runs the recipes for proxies with a real one, and sees that their requests take it.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tools } from "../../../scripts/packed.ts";
import { pythonEnvironment } from "../../receiving/python.ts";
import { listen, runProgram } from "./processes.ts";
import type { Stage } from "./stage.ts";

const runtimes = `${tools}/node_modules/`;

/** Starts a proxy for tunnels (CONNECT) and for requests with a whole URL. It keeps the hosts that it was asked for. */
async function openProxy() {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    hosts.push(new URL(url).host);
    const forwarded = request(url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.on("connect", ({ url = "" }, socket) => {
    hosts.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const tunnel = connect(Number(port), hostname, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const one of [tunnel, socket])
      one.on("error", () => {}).on("close", () => [tunnel, socket].map((end) => end.destroy()));
    tunnel.pipe(socket).pipe(tunnel);
  });
  server.on("connection", (socket) => sockets.add(socket));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: await listen(server), hosts, close };
}

/** The command of each runtime. */
const commands: Readonly<Record<string, { readonly program: string; readonly options: readonly string[] }>> = {
  node: { program: process.execPath, options: ["proxy-node.ts"] },
  bun: { program: `${runtimes}.bin/bun`, options: ["proxy-bun.ts"] },
  deno: {
    program: `${runtimes}.bin/deno`,
    options: ["run", "--quiet", "--check", "--allow-env", "--allow-net", "proxy-deno.ts"],
  },
};

/** Runs each recipe on its runtime. */
export async function checkProxies(folder: string, { environment }: Stage, python?: string): Promise<string[]> {
  const shown: string[] = [];
  const all = { ...commands, ...(python && { python: { program: python, options: ["../python/proxy.py"] } }) };
  for (const [name, { program, options }] of Object.entries(all)) {
    const proxy = await openProxy();
    try {
      const printed = await runProgram(folder, [program, ...options], {
        ...environment,
        ...pythonEnvironment,
        PROXY_URL: proxy.url,
      });
      assert.match(printed, /^\d+ calls\n$/);
      assert.deepEqual(proxy.hosts, [new URL(environment.CALL_TRANSFER_BASE_URL ?? "").host], `${name} used the proxy`);
    } finally {
      proxy.close();
    }
    shown.push(name);
  }
  return shown;
}
