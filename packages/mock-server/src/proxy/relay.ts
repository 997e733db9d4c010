import type { IncomingMessage, ServerResponse } from "node:http";

/** How a relayed body ended. */
export interface RelayEnd {
  /** The whole body; undefined if it is larger than the limit. */
  readonly bytes: Uint8Array | undefined;
  readonly isComplete: boolean;
}

/**
 * Sends the body of an answer on, as it arrives. `onEnd` is called before the end is sent, so that who has read the answer
 * finds it recorded. A body that breaks off does so for the client too.
 */
export async function relay(
  from: IncomingMessage,
  to: ServerResponse,
  mostKept: number,
  onEnd: (end: RelayEnd) => void,
): Promise<void> {
  const kept: Uint8Array[] = [];
  let length = 0;
  let last: Uint8Array | undefined;
  // By their length, not by the end of the connection, clients know the end of most bodies.
  const whole = Number(from.headers["content-length"] ?? Number.NaN);
  const bytes = (): Uint8Array | undefined => (length > mostKept ? undefined : Buffer.concat(kept));
  // A head without its body tells the client that the request was processed.
  if (whole !== 0 && hasBody(from, to)) to.flushHeaders();
  try {
    for await (const part of from as AsyncIterable<Buffer>) {
      length += part.byteLength;
      if (length <= mostKept) kept.push(part);
      if (length === whole) last = part;
      else if (!to.write(part) && !to.destroyed) await drained(to);
    }
  } catch {
    onEnd({ bytes: bytes(), isComplete: false });
    // Closing earlier could discard bytes that are not sent yet.
    to.socket?.destroySoon();
    return;
  }
  const isComplete = from.complete && !to.destroyed;
  onEnd({ bytes: bytes(), isComplete });
  if (isComplete) to.end(last);
  else to.destroy();
}

function hasBody({ statusCode = 0 }: IncomingMessage, { req }: ServerResponse): boolean {
  return req.method !== "HEAD" && ![204, 205, 304].includes(statusCode);
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const resume = (): void => {
      outgoing.off("drain", resume).off("close", resume);
      resolve();
    };
    outgoing.once("drain", resume).once("close", resume);
  });
}
