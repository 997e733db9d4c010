// Runs on each version of Node, in a project with the packed SDK. Sends over nodeFetch(), and loses requests before they leave.
import { createServer } from "node:http";
import { connect, createServer as createPlainServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { CallTransfer } from "@call-transfer/sdk";
import { nodeFetch } from "@call-transfer/sdk/node";

const placement = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };

async function listen(server) {
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  server.unref();
  return server.address().port;
}

const clientOf = (baseUrl, options = {}) => {
  const fetch = nodeFetch({ proxy: false, ...options });
  return new CallTransfer({ baseUrl, apiKey: "svc_live_runtime", fetch, retry: { max: 0 }, logLevel: "off" });
};

async function outcomeOf(url, options) {
  const { error } = await clientOf(url, options).calls.create(placement).result();
  return error?.outcome;
}

/** Answers a GET in gzip and a POST, through itself as a proxy too. */
async function startPlatform() {
  const server = createServer((request, response) => {
    request.resume();
    const body = request.method === "GET" ? '{"roles":[]}' : '{"type":"initiated","callId":"c"}';
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    return response.writeHead(request.method === "GET" ? 200 : 201, headers).end(gzipSync(body));
  });
  server.on("connect", (request, socket) => {
    const { port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    for (const one of [socket, target]) one.on("error", () => target.destroy());
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, end: () => server.closeAllConnections() };
}

/** Returns what was seen, which must be the same on each version. */
export async function sendOverNodeHttp() {
  const platform = await startPlatform();
  const plain = await listen(createPlainServer((socket) => socket.once("data", () => socket.end("no TLS"))));
  // Without a certificate, it has no cipher in common with anyone.
  const bare = await listen(createTlsServer({}));
  const dropping = await listen(createPlainServer((socket) => socket.once("data", () => socket.destroy())));
  const client = clientOf(platform.url);
  const aborted = new AbortController();
  const pending = nodeFetch({ proxy: false })(platform.url, { signal: aborted.signal }).catch(({ name }) => name);
  aborted.abort();
  const seen = {
    get: JSON.stringify(await client.roles.list()),
    post: (await client.calls.create(placement)).callId,
    proxied: (await nodeFetch({ proxy: platform.url })("http://api.example.com")).status,
    aborted: await pending,
    // No other program gets this port from the system.
    closed: await outcomeOf("http://127.0.0.1:1"),
    plain: await outcomeOf(`https://127.0.0.1:${plain}`),
    handshake: await outcomeOf(`https://127.0.0.1:${bare}`),
    tunnel: await outcomeOf(`https://127.0.0.1:${bare}`, { proxy: platform.url }),
    lost: await outcomeOf(`http://127.0.0.1:${dropping}`),
  };
  platform.end();
  return Object.values(seen).join(" ");
}
