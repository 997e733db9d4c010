import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What a connection can do to an answer that no status or body expresses. */
export type TransportFault =
  /** Nothing is answered and the connection is reset. */
  | { readonly kind: "reset" | "processThenDrop" }
  /** The connection is closed without a byte. */
  | { readonly kind: "empty" }
  /** The head promises the whole body, half of it comes, and the connection is closed. */
  | { readonly kind: "truncate" }
  /** Nothing is answered and the connection stays open. */
  | { readonly kind: "hang" }
  /** The body comes in `chunks` parts (default 10), `delayMs` apart (default 1000). */
  | { readonly kind: "slowBody"; readonly chunks?: number; readonly delayMs?: number };

/** Carries out a transport fault in place of answering. `closing` ends what would go on. */
export async function answerBadly(
  fault: TransportFault,
  outgoing: ServerResponse,
  response: Response,
  closing: AbortSignal,
): Promise<void> {
  const { socket } = outgoing;
  if (socket === null) return;
  switch (fault.kind) {
    case "reset":
    case "processThenDrop":
      socket.resetAndDestroy();
      return;
    case "empty":
      socket.end();
      return;
    case "hang": {
      const end = () => socket.destroy();
      closing.addEventListener("abort", end);
      socket.once("close", () => closing.removeEventListener("abort", end));
      return;
    }
    case "truncate": {
      const body = await writeHead(outgoing, response);
      outgoing.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => socket.destroySoon());
      return;
    }
    case "slowBody": {
      const body = await writeHead(outgoing, response);
      const { chunks = 10, delayMs = 1000 } = fault;
      const size = Math.max(1, Math.ceil(body.byteLength / chunks));
      outgoing.flushHeaders();
      for (let at = 0; at < body.byteLength && !outgoing.destroyed; at += size) {
        await sleep(delayMs, undefined, { signal: closing });
        outgoing.write(body.subarray(at, at + size));
      }
      outgoing.end();
    }
  }
}

async function writeHead(outgoing: ServerResponse, response: Response): Promise<Uint8Array> {
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { ...headers, "content-length": body.byteLength });
  return body;
}
