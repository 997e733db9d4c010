import type { ServerResponse } from "node:http";
import type { TransportFault } from "@call-transfer/backend";

/** Carries out a transport fault in place of answering. `closing` ends a connection that would hang. */
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
      socket.resetAndDestroy();
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
      // The reset would take back what still waits to be sent, so it comes after.
      outgoing.writeHead(response.status, headers);
      outgoing.write(body.subarray(0, fault.bytes), () => socket.destroySoon());
    }
  }
}
