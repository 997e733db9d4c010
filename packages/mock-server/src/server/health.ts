import type { IncomingMessage, ServerResponse } from "node:http";
import { isOfOtherSite } from "../web/admission.ts";

/** Whether the server answers, or, when it was asked for that, whether it also stores what requests change. */
type Health = "ok" | "not ready";

/**
 * Answers a request that asks if the server runs (`/health`), or if it takes changes (`/health/ready`), under any host name and
 * without a token, as load balancers do. So the answer does not say why. Undefined for any other request.
 */
export function healthOf(
  { method, url: target = "", headers }: IncomingMessage,
  checkReady: () => void = () => {},
): Health | undefined {
  // Every request comes by here.
  if (!target.startsWith("/health")) return undefined;
  const [, ready] = /^\/health(\/ready)?(?:\?|$)/.exec(target) ?? [undefined, false];
  if (ready === false || (method !== "GET" && method !== "HEAD")) return undefined;
  if (isOfOtherSite((name) => headers[name]?.toString())) return undefined;
  if (ready === undefined) return "ok";
  try {
    checkReady();
    return "ok";
  } catch {
    return "not ready";
  }
}

/** Sends the answer: 200, or 503 for a server that is not ready. */
export function sendHealth(method: string, outgoing: ServerResponse, status: Health): void {
  const text = JSON.stringify({ status });
  const headers = { "content-type": "application/json", "content-length": text.length, "cache-control": "no-store" };
  outgoing.writeHead(status === "ok" ? 200 : 503, headers).end(method === "HEAD" ? undefined : text);
}
