import { InputError, type SandboxesOptions, type Seed } from "@call-transfer/backend";
import { type MockServer, startServer } from "../server/server.ts";
import type { MockServerOptions } from "../server/server-options.ts";
import { journalEntryOf } from "./journal-entry.ts";
import { createProxyFront } from "./proxy-front.ts";
import { createRecording } from "./recording.ts";
import { isItself, readTarget } from "./target.ts";

/** The options of {@link startProxy}. */
export interface ProxyOptions extends Omit<MockServerOptions, keyof SandboxesOptions> {
  /**
   * The base URL of the API to forward to, without `/api/v1`, a query, user name and password, e.g.
   * `https://staging.example.com`.
   */
  readonly target: string;
  /** Whether to refuse requests that deviate from the contract, instead of forwarding them; false by default. */
  readonly strict?: boolean;
  /** Milliseconds that the target may take for the head of its answer; 60,000 by default. */
  readonly timeoutMs?: number;
}

/** A running proxy. Its journal is that of `backend`; the rest of the backend is empty. */
export interface ProxyServer extends MockServer {
  /** The base URL of the API that it forwards to. */
  readonly target: string;
  /**
   * Returns what the successful answers showed so far, as a seed for a mock server. Secrets, names, phone numbers and URLs
   * are replaced by invented values, the same ones for the same values.
   */
  recordedSeed(): Seed;
}

/**
 * Starts a proxy in front of an API. It forwards each request once and unchanged, and checks both sides against the OpenAPI
 * document; its journal shows what deviates. Rejects with an Error when the port is in use, and with an InputError that
 * names a wrong option.
 */
export async function startProxy(options: ProxyOptions): Promise<ProxyServer> {
  const { target: address, strict = false, timeoutMs = 60_000, ...listening } = options;
  const target = readTarget("target", address);
  const base = target.href.replace(/\/+$/, "");
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw new InputError("timeoutMs", "must be a whole number of milliseconds above 0");
  const recording = createRecording();
  const server = await startServer({ ...listening, seed: {}, maxSandboxes: 1 }, (sandboxes) =>
    createProxyFront({
      ...{ target: base, strict, timeoutMs },
      onExchange(exchange) {
        recording.add(exchange);
        sandboxes.default.record(journalEntryOf(exchange));
      },
    }),
  );
  if (await isItself(target, listening.host ?? "127.0.0.1", server.port)) {
    await server.close();
    throw new InputError("target", "is the proxy itself. Name the API to forward to, or choose another port");
  }
  return { ...server, target: base, recordedSeed: recording.seed };
}
