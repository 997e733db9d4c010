import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { clearTimeout, setTimeout } from "@call-transfer/backend/unstable";
import { http, loadHttps } from "./node-builtins.ts";

/** A request to send to the target. */
export interface SentRequest {
  readonly method: string;
  /** Path and query, in the form of a request line. */
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | undefined;
}

/** How to send it. */
interface Sending {
  /** How long the head of the answer may take, and each wait for a part of its body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The target gave no answer. */
export class TargetError extends Error {
  readonly status: 502 | 504;
  readonly code: "target_unreachable" | "target_closed" | "target_timeout";

  constructor(code: TargetError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.status = code === "target_timeout" ? 504 : 502;
  }
}

/**
 * Sends a request once, over a connection of its own: a second attempt could place a call twice. Resolves with the head
 * of the answer, whatever its status. Rejects with TargetError.
 */
export function sendOnce(
  target: string,
  request: SentRequest,
  { timeoutMs, signal }: Sending,
): Promise<IncomingMessage> {
  const isSecure = target.startsWith("https:");
  const { request: start, Agent } = isSecure ? loadHttps() : http;
  const { method, path, headers, body } = request;
  // Node's own connections go through a proxy of the environment if this is set; those without an agent would not.
  const agent = process.env.NODE_USE_ENV_PROXY === "1" ? new Agent({ proxyEnv: process.env }) : false;
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const options: RequestOptions = { method, path, headers, agent, signal };
    const outgoing: ClientRequest = start(target, options);
    const timer = setTimeout(() => {
      const advice = isConnected ? whetherProcessed : "The request was not sent.";
      const message = `${target} did not answer within ${timeoutMs / 1000} s. ${advice}`;
      outgoing.destroy(new TargetError("target_timeout", message));
    }, timeoutMs);
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    outgoing.once("socket", (socket) => {
      // That of a tunnel through a proxy may be open already.
      isConnected = !socket.connecting && !(isSecure && "secureConnecting" in socket && socket.secureConnecting);
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        isConnected = true;
      });
    });
    // An upgrade was not asked for.
    outgoing.once("upgrade", (_, socket) => socket.destroy());
    outgoing.once("close", () => settle(() => reject(errorOf(target, undefined, isConnected))));
    outgoing.on("error", (error) => settle(() => reject(errorOf(target, error, isConnected))));
    outgoing.once("response", (incoming) => {
      // A body that stops arriving ends as a broken one.
      incoming.socket.setTimeout(timeoutMs, () => incoming.destroy());
      settle(() => resolve(incoming));
    });
    outgoing.end(body);
  });
}

/** What to do after a request that was sent and has no whole answer. */
export const whetherProcessed =
  "It may have processed the request, which is not sent again. Look there before you repeat it.";

function errorOf(target: string, error: (Error & { code?: string }) | undefined, isConnected: boolean): TargetError {
  if (error instanceof TargetError) return error;
  const reason = error?.code ?? error?.message ?? "no answer";
  if (isConnected)
    return new TargetError("target_closed", `${target} closed the connection (${reason}). ${whetherProcessed}`, error);
  const advice = /CERT|SIGNATURE|SIGNED|ERR_TLS|EPROTO/.test(reason)
    ? "Its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the file with the certificate authority."
    : "Check the address of --fallback-url, and that the API runs there.";
  return new TargetError("target_unreachable", `${target} cannot be reached (${reason}). ${advice}`, error);
}
