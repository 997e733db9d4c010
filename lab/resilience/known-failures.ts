// Failures from before the first byte of a placement: over which transport the client knows that nothing was sent.
import { setGlobalProxyFromEnv } from "node:http";
import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { CallTransfer } from "@call-transfer/sdk";
import { nodeFetch } from "@call-transfer/sdk/node";
import { answerOf, answers, refusedUrl, startFaultServer } from "./fault-server.ts";
import type { Figure } from "./figure.ts";

type Fetch = typeof globalThis.fetch;

interface Transport {
  readonly direct: Fetch;
  readonly through: (proxy: string) => Fetch;
}

const clientOf = (baseUrl: string, fetch: Fetch) =>
  new CallTransfer({ baseUrl, apiKey: "svc_live_resilience", fetch, retry: { max: 0 } });

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550200001" };

async function isKnown(client: CallTransfer): Promise<boolean> {
  const { error } = await client.calls.create(placement).result();
  return Object(error).outcome === "not_sent";
}

/** Whether the outcome is known if a server ends the handshake of TLS in its own way. */
async function isKnownAfter(server: Server, fetch: Fetch): Promise<boolean> {
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  try {
    return await isKnown(clientOf(`https://127.0.0.1:${address.port}`, fetch));
  } finally {
    server.close();
  }
}

/** Whether the outcome is known if a proxy opens no tunnel. */
async function isKnownAfterProxy(_direct: Fetch, through: Transport["through"]): Promise<boolean> {
  const proxy = await startFaultServer({ answer: answerOf(403, "no tunnel") });
  // The global fetch has no other way to set a proxy later.
  const restore = setGlobalProxyFromEnv({ HTTPS_PROXY: proxy.url });
  try {
    return await isKnown(clientOf("https://api.example.com", through(proxy.url)));
  } finally {
    restore();
    await proxy.close();
  }
}

const failures: readonly ((direct: Fetch, through: Transport["through"]) => Promise<boolean>)[] = [
  async (fetch) => isKnown(clientOf(await refusedUrl(), fetch)),
  async (fetch) => {
    const server = await startFaultServer({ ...answers(400, "plain"), at: "first-bytes", afterwards: "end" });
    try {
      return await isKnown(clientOf(server.url.replace("http:", "https:"), fetch));
    } finally {
      await server.close();
    }
  },
  (fetch) =>
    isKnownAfter(
      createServer((socket) => socket.once("data", () => socket.end())),
      fetch,
    ),
  // Without a certificate, the server has no cipher in common with anyone.
  (fetch) => isKnownAfter(createTlsServer({}), fetch),
  isKnownAfterProxy,
];

async function count({ direct, through }: Transport): Promise<number> {
  const known: boolean[] = [];
  for (const failure of failures) known.push(await failure(direct, through));
  return known.filter(Boolean).length;
}

const { fetch: globalFetch } = globalThis;
const global: Transport = { direct: globalFetch, through: () => globalFetch };
const own: Transport = { direct: nodeFetch({ proxy: false }), through: (proxy) => nodeFetch({ proxy }) };

export const knownFailures: Figure = {
  name: "placements that failed before their first byte, and are known not to be sent",
  target: `${failures.length} of ${failures.length} over both`,
  async measure() {
    const [known, knownOverFetch] = [await count(own), await count(global)];
    const figure = `${known} of ${failures.length} over nodeFetch(), ${knownOverFetch} over fetch`;
    return { figure, ok: Math.min(known, knownOverFetch) === failures.length };
  },
};
