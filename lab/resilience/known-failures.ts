// Failures from before the first byte of a placement, of which the client knows that nothing was sent.
import { setGlobalProxyFromEnv } from "node:http";
import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { CallTransfer } from "@call-transfer/sdk";
import { answerOf, answers, refusedUrl, startFaultServer } from "./fault-server.ts";
import type { Figure } from "./figure.ts";

const clientOf = (baseUrl: string) => new CallTransfer({ baseUrl, apiKey: "svc_live_resilience", maxRetries: 0 });

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550200001" };

async function isKnown(client: CallTransfer): Promise<boolean> {
  const { error } = await client.calls.create(placement).result();
  return Object(error).outcome === "not_sent";
}

/** Whether the outcome is known if a server ends the handshake of TLS in its own way. */
async function isKnownAfter(server: Server): Promise<boolean> {
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  try {
    return await isKnown(clientOf(`https://127.0.0.1:${address.port}`));
  } finally {
    server.close();
  }
}

/** Whether the outcome is known if a proxy opens no tunnel. */
async function isKnownAfterProxy(): Promise<boolean> {
  const proxy = await startFaultServer({ answer: answerOf(403, "no tunnel") });
  // The global fetch has no other way to set a proxy later.
  const restore = setGlobalProxyFromEnv({ HTTPS_PROXY: proxy.url });
  try {
    return await isKnown(clientOf("https://api.example.com"));
  } finally {
    restore();
    await proxy.close();
  }
}

const failures: readonly (() => Promise<boolean>)[] = [
  async () => isKnown(clientOf(await refusedUrl())),
  async () => {
    const server = await startFaultServer({ ...answers(400, "plain"), at: "first-bytes", afterwards: "end" });
    try {
      return await isKnown(clientOf(server.url.replace("http:", "https:")));
    } finally {
      await server.close();
    }
  },
  () => isKnownAfter(createServer((socket) => socket.once("data", () => socket.end()))),
  // Without a certificate, the server has no cipher in common with anyone.
  () => isKnownAfter(createTlsServer({})),
  isKnownAfterProxy,
];

export const knownFailures: Figure = {
  name: "placements that failed before their first byte, and are known not to be sent",
  target: `${failures.length} of ${failures.length}`,
  async measure() {
    const known: boolean[] = [];
    for (const failure of failures) known.push(await failure());
    const count = known.filter(Boolean).length;
    return { figure: `${count} of ${failures.length}`, ok: count === failures.length };
  },
};
