// Servers on loopback for the tests of nodeFetch, clients of them, and certificates.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallTransfer } from "../../src/client.ts";
import { RequestError } from "../../src/errors/request-error.ts";
import { type NodeFetch, type NodeFetchOptions, nodeFetch } from "../../src/node.ts";

const opened: (() => void)[] = [];
/** Ends what the test opened. */
export function closeAll(): void {
  for (const end of opened.splice(0)) end();
}

/** Starts a server on a free port until the end of the test, and returns the port. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A fetch whose connections end with the test. Without proxies of the environment, unless given. */
export function fetchOf(options: NodeFetchOptions = {}): NodeFetch {
  const fetch = nodeFetch({ proxy: false, ...options });
  opened.push(() => fetch.close());
  return fetch;
}

export const placement = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };

export const clientOf = (baseUrl: string, fetch: typeof globalThis.fetch = fetchOf()): CallTransfer =>
  new CallTransfer({ baseUrl, apiKey: "svc_live_node-test-secret", fetch, retry: { max: 0 } });

/** The error of a placement. */
export async function placementError(baseUrl: string, fetch?: typeof globalThis.fetch): Promise<RequestError> {
  const { error } = await clientOf(baseUrl, fetch).calls.create(placement).result();
  if (error instanceof RequestError) return error;
  throw new Error(`Expected a RequestError, not ${error}`);
}

/** Makes a certificate for a host, valid for a day, which signs itself. */
export function certify(host: string): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-node-"));
  const [cert, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
  try {
    execFileSync("openssl", ["req", "-x509", "-days", "1", ...key, "-out", cert, ...names], { stdio: "ignore" });
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(keyFile, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
