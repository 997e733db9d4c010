import type { ServerResponse } from "node:http";
import type { TransportFault } from "@call-transfer/backend/unstable";
import { resetConnection } from "./tls.ts";

/** Applies a transport fault instead of sending the response. `closing` ends a connection that hangs. */
export async function applyTransportFault(
  fault: TransportFault,
  outgoing: ServerResponse,
  response: Response,
  closing: AbortSignal,
): Promise<void> {
  const { socket } = outgoing;
  if (socket === null) return;
  switch (fault.kind) {
    case "reset":
      resetConnection(socket);
      return;
    case "empty":
      socket.destroySoon();
      return;
    case "hang": {
      const end = () => socket.destroy();
      closing.addEventListener("abort", end);
      socket.once("close", () => closing.removeEventListener("abort", end));
      return;
    }
    case "truncate": {
      const body = new Uint8Array(await response.arrayBuffer());
      const headers = { ...Object.fromEntries(response.headers), "content-length": body.byteLength };
      // Closing earlier could discard bytes that are not sent yet.
      outgoing.writeHead(response.status, headers);
      outgoing.write(body.subarray(0, fault.bytes), () => socket.destroySoon());
    }
  }
}
