// Servers on loopback for tests over real sockets, clients of them, and certificates.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallTransfer } from "../src/client.ts";
import { RequestError } from "../src/errors/request-error.ts";
import type { ClientOptions } from "../src/options/options.ts";

const opened: (() => unknown)[] = [];
/** Ends what the test opened. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((end) => end()));
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

interface Agent {
  close(): Promise<void>;
}

/** Creates an agent of the undici that this Node has, with TLS options, until the end of the test. */
export async function agentOf(tls: object): Promise<Agent> {
  // Node loads it for the first fetch.
  await fetch("data:,");
  const version = Number.parseInt(process.versions.undici ?? "", 10) < 8 ? 1 : 2;
  const global = (globalThis as unknown as Record<symbol, object>)[Symbol.for(`undici.globalDispatcher.${version}`)];
  const { constructor: AgentOfNode } = global as { constructor: new (options: object) => Agent };
  const agent = new AgentOfNode({ connect: tls });
  opened.push(() => agent.close());
  return agent;
}

export const placement = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };

/** A client that tries once. */
export const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}): CallTransfer =>
  new CallTransfer({ baseUrl, apiKey: "svc_live_socket-test", maxRetries: 0, ...options } as ClientOptions);

/** The error of a placement. */
export async function placementError(baseUrl: string, options?: Partial<ClientOptions>): Promise<RequestError> {
  const { error } = await clientOf(baseUrl, options).calls.create(placement).result();
  if (error instanceof RequestError) return error;
  throw new Error(`Expected a RequestError, not ${error}`);
}

/** Makes a certificate for a host, valid for a day, which signs itself. */
export function certify(host: string): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-certificate-"));
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
