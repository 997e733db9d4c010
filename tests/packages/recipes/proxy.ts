// Runs the recipes for proxies and certificates with real ones, those for Node on each Node, and sees that requests take them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
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

/** A program, and what the proxy of its environment must have been asked for. */
interface Run {
  readonly program: string;
  readonly options: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
}

/** A program beside the recipes, which takes the proxy from the environment. */
const fromEnvironment = (options: string) => `import { CallTransfer } from "@call-transfer/sdk";
import { EnvHttpProxyAgent } from "undici";
const { meta } = await new CallTransfer(${options}).calls.list({ limit: 1 });
console.log(meta.total, "calls");
`;

/** The recipes for Node as Node 20 runs them, by name, beside the packages of the recipes. */
async function compile(folder: string): Promise<Readonly<Record<string, string>>> {
  const outdir = join(folder, "node_modules/.cache/proxies");
  await build({
    entryPoints: ["proxy-node.ts", "certificates-node.ts"].map((name) => join(folder, name)),
    ...{ outdir, outExtension: { ".js": ".mjs" }, format: "esm", target: "node20" },
  });
  writeFileSync(join(outdir, "variable.mjs"), fromEnvironment(""));
  writeFileSync(
    join(outdir, "agent.mjs"),
    fromEnvironment("{ fetchOptions: { dispatcher: new EnvHttpProxyAgent() } }"),
  );
  const names = ["proxy-node", "certificates-node", "variable", "agent"];
  return Object.fromEntries(names.map((name) => [name, join(outdir, `${name}.mjs`)]));
}

/** The runs on each Node: by code, by the environment, and over TLS. */
async function nodeRuns(
  folder: string,
  target: string,
  tls: { url: string; cert: string; key: string },
  proxy: string,
) {
  const files = await compile(folder);
  const [certFile, keyFile] = ["cert.pem", "key.pem"].map((name) => join(dirname(files.agent ?? ""), name));
  writeFileSync(certFile ?? "", tls.cert);
  writeFileSync(keyFile ?? "", tls.key);
  const certificates = {
    ...{ CALL_TRANSFER_BASE_URL: tls.url, CA_FILE: certFile ?? "", CERT_FILE: certFile ?? "", KEY_FILE: keyFile ?? "" },
  };
  const { host } = new URL(target);
  const variables = { HTTP_PROXY: proxy };
  return Object.fromEntries(
    [20, 22, 24, 26].flatMap((major): [string, Run][] => {
      const run = (name: string, hosts: readonly string[], environment = {}): Run => ({
        ...{ program: `${runtimes}node-${major}/bin/node`, options: [files[name] ?? ""], hosts, environment },
      });
      const throughProxy = { ...certificates, PROXY_URL: proxy };
      return [
        [`node ${major}`, run("proxy-node", [host], { PROXY_URL: proxy })],
        [`node ${major}, certificates`, run("certificates-node", [], certificates)],
        [
          `node ${major}, certificates through a proxy`,
          run("certificates-node", [new URL(tls.url).host], throughProxy),
        ],
        [`node ${major}, EnvHttpProxyAgent`, run("agent", [host], variables)],
        ...(major > 20
          ? [
              [
                `node ${major}, NODE_USE_ENV_PROXY`,
                run("variable", [host], { ...variables, NODE_USE_ENV_PROXY: "1" }),
              ] as [string, Run],
            ]
          : []),
      ];
    }),
  );
}

/** Runs each recipe on its runtime. */
export async function checkProxies(folder: string, { environment }: Stage, python?: string): Promise<string[]> {
  const target = environment.CALL_TRANSFER_BASE_URL ?? "";
  const proxy = await openProxy();
  const tls = await openTls(new URL(target));
  const byUrl = { environment: { PROXY_URL: proxy.url }, hosts: [new URL(target).host] };
  const deno = ["run", "--quiet", "--check", "--allow-env", "--allow-net", "proxy-deno.ts"];
  const runs: Readonly<Record<string, Run>> = {
    ...(await nodeRuns(folder, target, tls, proxy.url)),
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
