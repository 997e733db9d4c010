import { lookup } from "node:dns/promises";
import { InputError } from "@call-transfer/backend";
import { unbracketed } from "../net/urls.ts";
import { createForward } from "./forward.ts";
import { isOwnSocket } from "./own-address.ts";
import { type MockServer, startMockServer } from "./server.ts";
import { type MockServerOptions, readTarget } from "./server-options.ts";

/** Where a mock server forwards what it does not have. */
export interface FallbackOptions {
  /** The base URL of the server that gets each request that nothing else matches. */
  readonly fallbackUrl: string;
  /** Whether it gets headers with credentials, such as Authorization and Cookie; false by default. */
  readonly forwardCredentials?: boolean;
}

/** Milliseconds for the head of an answer, and for its body. */
const timeoutMs = 60_000;

/** Starts a mock server that forwards what it does not have. Rejects as `startMockServer` does, also for a URL of its own. */
export async function startForwardingServer(
  { fallbackUrl, forwardCredentials: credentials = false }: FallbackOptions,
  options: MockServerOptions,
): Promise<MockServer> {
  const target = readTarget(fallbackUrl);
  const ended = new AbortController();
  const elsewhere = createForward({ target, credentials, timeoutMs, signal: ended.signal });
  const server = await startMockServer({ ...options, elsewhere });
  const close = async (): Promise<void> => {
    await server.close();
    ended.abort();
  };
  if (!(await isItself(target, options.host ?? "127.0.0.1", server.port))) return { ...server, close };
  await close();
  throw new InputError("fallbackUrl", "is the mock server itself. Name another server");
}

/** Whether a target is the server's own socket. A name that does not resolve now may do so later. */
async function isItself(target: URL, host: string, port: number): Promise<boolean> {
  const targetPort = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
  const [bound = [], addresses = []] = await Promise.all(
    [host, target.hostname].map((name) => lookup(unbracketed(name), { all: true }).catch(() => [])),
  );
  return bound.some((own) => addresses.some(({ address }) => isOwnSocket({ ...own, port }, address, targetPort)));
}
