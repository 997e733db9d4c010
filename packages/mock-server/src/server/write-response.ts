import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { endOfTurn, type PlainResponse, type TransportFault } from "@call-transfer/backend/unstable";
import { type Admission, corsHeaders } from "../web/admission.ts";
import { resetConnection } from "./tls.ts";

/** Sends a response that is a text. */
export function writePlain(
  outgoing: ServerResponse,
  { status, headers, text }: PlainResponse,
  admission: Admission,
): void {
  const own: OutgoingHttpHeaders = { ...headers };
  if (admission.origin !== undefined) Object.assign(own, corsHeaders(admission));
  if (text !== undefined) own["Content-Length"] = Buffer.byteLength(text);
  outgoing.writeHead(status, own).end(text);
}

/** Sends a response with any body. `closing` ends a streamed one. */
export async function write(
  outgoing: ServerResponse,
  response: Response,
  admission: Admission | undefined,
  closing: AbortSignal | undefined,
): Promise<void> {
  const cookies = response.headers.getSetCookie();
  const headers: OutgoingHttpHeaders = {
    ...Object.fromEntries(response.headers),
    ...(cookies.length > 0 && { "set-cookie": cookies }),
    ...corsHeaders(admission),
  };
  if (response.body === null) {
    outgoing.writeHead(response.status, headers).end();
    return;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  closing?.addEventListener("abort", cancel);
  outgoing.once("close", cancel);
  const { socket } = outgoing;
  try {
    await stream(reader, outgoing, response.status, headers);
    // A streamed response promised to keep the connection alive, which would delay a closing server.
    if (closing?.aborted) socket?.destroySoon();
  } finally {
    closing?.removeEventListener("abort", cancel);
  }
}

/** Streams a body. A body that is available at once is sent with a length. */
async function stream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const ready: Uint8Array[] = [];
  let next = reader.read();
  const turn = endOfTurn().then(() => undefined);
  for (let part = await Promise.race([next, turn]); part !== undefined; part = await Promise.race([next, turn])) {
    if (part.done) {
      const body = Buffer.concat(ready);
      outgoing.writeHead(status, { ...headers, "content-length": body.byteLength }).end(body);
      return;
    }
    ready.push(part.value);
    next = reader.read();
  }
  outgoing.writeHead(status, headers).flushHeaders();
  for (const chunk of ready) outgoing.write(chunk);
  for (let part = await next; !part.done; part = await next) {
    // Backpressure: the body waits for a slow client.
    if (!outgoing.write(part.value) && !outgoing.destroyed) await drained(outgoing);
    next = reader.read();
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const resume = () => {
      outgoing.off("drain", resume).off("close", resume);
      resolve();
    };
    outgoing.once("drain", resume).once("close", resume);
  });
}

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
