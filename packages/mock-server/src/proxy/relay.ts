import type { IncomingMessage, ServerResponse } from "node:http";

/** How a relayed body ended. */
export interface RelayEnd {
  /** The whole body; undefined if it is larger than the limit. */
  readonly bytes: Uint8Array | undefined;
  readonly isComplete: boolean;
}

/**
 * Sends the body of an answer on, as it arrives. `onEnd` is called before the last part is sent, so that who has read the
 * answer finds it recorded. A body that breaks off does so for the client too.
 */
export async function relay(
  from: IncomingMessage,
  to: ServerResponse,
  mostKept: number,
  onEnd: (end: RelayEnd) => void,
): Promise<void> {
  const kept: Uint8Array[] = [];
  let length = 0;
  let held: Uint8Array | undefined;
  const bytes = (): Uint8Array | undefined => (length > mostKept ? undefined : Buffer.concat(kept));
  try {
    for await (const part of from as AsyncIterable<Buffer>) {
      length += part.byteLength;
      if (length <= mostKept) kept.push(part);
      if (held !== undefined && !to.write(held) && !to.destroyed) await drained(to);
      held = part;
    }
  } catch {
    onEnd({ bytes: bytes(), isComplete: false });
    // Closing earlier could discard bytes that are not sent yet.
    if (held === undefined) to.destroy();
    else to.write(held, () => to.socket?.destroySoon());
    return;
  }
  const isComplete = from.complete && !to.destroyed;
  onEnd({ bytes: bytes(), isComplete });
  if (isComplete) to.end(held);
  else to.destroy();
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
