import type { TransportFault } from "@call-transfer/backend/unstable";
import { clientHeaders, transportOf } from "./orders.ts";

/** A stream of a known length. The connection closes if fewer bytes are written. Only Cloudflare's runtime has it. */
declare const FixedLengthStream: new (length: number) => TransformStream<Uint8Array, Uint8Array>;

/** How often a response that never comes waits again: the runtime ends a request that waits for nothing. */
const hangStepMs = 60_000;

/**
 * Plays the transport fault of a response, as far as a Worker can. It cannot close a connection without a response: the client
 * then gets 502, as from a proxy whose server closed the connection.
 */
export function withFault(response: Response): Response | Promise<Response> {
  const fault = transportOf(response);
  if (fault === undefined) return response;
  if (fault.kind === "truncate") return truncated(response, fault.bytes);
  return fault.kind === "hang" ? never() : closed(fault);
}

async function never(): Promise<never> {
  for (;;) await new Promise((resolve) => setTimeout(resolve, hangStepMs));
}

function closed({ kind }: TransportFault): Response {
  return new Response(`The fault ${kind} closes the connection here without a response.\n`, {
    status: 502,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

async function truncated(response: Response, bytes: number): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer());
  const { readable, writable } = new FixedLengthStream(whole.byteLength);
  const writer = writable.getWriter();
  // They settle when the client has read what there is, or has left.
  writer.write(whole.subarray(0, bytes)).catch(() => {});
  writer.close().catch(() => {});
  const headers = clientHeaders(response);
  // A proxy that compresses the body would end it properly.
  headers.set("Content-Encoding", "identity");
  headers.set("Cache-Control", "no-transform");
  return new Response(readable, { status: response.status, headers });
}
