// Runs the recipes for proxies and certificates with real ones, those for Node on the oldest and the newest, and sees that requests take them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { build } from "esbuild";
import { certify } from "../../../packages/sdk/tests/socket-servers.ts";
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

/** Puts TLS before an address, with a certificate that signs itself and is demanded of clients too. */
async function openTls(target: URL) {
  const own = certify("localhost");
  const server = createTlsServer({ ...own, ca: own.cert, requestCert: true }, (socket) => {
    const behind = connect(Number(target.port), target.hostname);
    for (const one of [behind, socket])
      one.on("error", () => {}).on("close", () => [behind, socket].map((end) => end.destroy()));
    socket.pipe(behind).pipe(socket);
  });
  const { port } = new URL(await listen(server));
  const url = new URL(target);
  return { url: Object.assign(url, { protocol: "https:", hostname: "localhost", port }).href, ...own, server };
}

/** A program, and what the proxy must have been asked for. */
interface Run {
  readonly program: string;
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
}

/** The runs on the oldest and the newest Node, from files as Node 20 runs them, beside the packages of the recipes. */
async function nodeRuns(folder: string, target: string, tls: Awaited<ReturnType<typeof openTls>>, proxy: string) {
  const outdir = join(folder, "node_modules/.cache/proxies");
  await build({
    entryPoints: ["proxy-node.ts", "certificates-node.ts"].map((name) => join(folder, name)),
    ...{ outdir, outExtension: { ".js": ".mjs" }, format: "esm", target: "node20" },
  });
  const [certFile, keyFile] = [join(outdir, "cert.pem"), join(outdir, "key.pem")];
  writeFileSync(certFile, tls.cert);
  writeFileSync(keyFile, tls.key);
  const certificates = { CALL_TRANSFER_BASE_URL: tls.url, CA_FILE: certFile, CERT_FILE: certFile, KEY_FILE: keyFile };
  const throughProxy = { PROXY_URL: proxy };
  return [20, 26].flatMap((major): [string, Run][] => {
    const run = (name: string, hosts: readonly string[], environment: Run["environment"]): Run => ({
      ...{ program: `${runtimes}node-${major}/bin/node`, options: [join(outdir, `${name}.mjs`)], hosts, environment },
    });
    const tunnelled = run("certificates-node", [new URL(tls.url).host], { ...certificates, ...throughProxy });
    return [
      [`node ${major}`, run("proxy-node", [new URL(target).host], throughProxy)],
      [`node ${major}, certificates`, run("certificates-node", [], certificates)],
      [`node ${major}, certificates through a proxy`, tunnelled],
    ];
  });
}

/** Runs each recipe on its runtime. */
export async function checkProxies(folder: string, { environment }: Stage, python?: string): Promise<string[]> {
  const target = environment.CALL_TRANSFER_BASE_URL ?? "";
  const proxy = await openProxy();
  const tls = await openTls(new URL(target));
  const byUrl = { environment: { PROXY_URL: proxy.url }, hosts: [new URL(target).host] };
  const deno = ["run", "--quiet", "--check", "--allow-env", "--allow-net", "proxy-deno.ts"];
  const runs: Readonly<Record<string, Run>> = {
    ...Object.fromEntries(await nodeRuns(folder, target, tls, proxy.url)),
    bun: { program: `${runtimes}.bin/bun`, options: ["proxy-bun.ts"], ...byUrl },
    deno: { program: `${runtimes}.bin/deno`, options: deno, ...byUrl },
    ...(python && { python: { program: python, options: ["../python/proxy.py"], ...byUrl } }),
  };
  try {
    for (const [name, { program, options, environment: own, hosts }] of Object.entries(runs)) {
      const printed = await runProgram(folder, [program, ...options], { ...environment, ...pythonEnvironment, ...own });
      assert.match(printed, /^\d+ calls\n$/);
      assert.deepEqual(proxy.hosts.splice(0), hosts, `${name} used the proxy`);
    }
  } finally {
    tls.server.close();
    proxy.close();
  }
  return Object.keys(runs);
}
