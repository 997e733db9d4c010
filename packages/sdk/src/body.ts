// Reading answers: bounded, and once for all who want to look.

/** A body larger than the bound. */
export class BodyTooLarge extends Error {}

/** What came of a body so far. */
export class Received {
  /** In bytes. */
  size = 0;
  readonly #decoder = new TextDecoder();
  // One piece waits, since most bodies have no more and are decoded fastest as a whole.
  #waiting: Uint8Array | undefined;
  #text = "";

  add(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    if (this.#waiting) this.#text += this.#decoder.decode(this.#waiting, { stream: true });
    this.#waiting = chunk;
  }

  /** As text; without half a character at its end, unless the body `isWhole`. */
  text(isWhole: boolean): string {
    this.#text += this.#decoder.decode(this.#waiting, { stream: !isWhole });
    this.#waiting = undefined;
    return this.#text;
  }
}

/**
 * Reads a body as text.
 *
 * @param received Holds what was read so far, for when the rest never comes.
 * @param signal Cancels the reading, also where the fetch that gave the response looks at no signal.
 * @param onTooLarge What happens beyond `maxBytes` of decoded body: `throw`, or `cut` the rest off. Either way the
 *   rest is cancelled, never downloaded.
 */
export async function readText(
  response: Response,
  maxBytes: number,
  onTooLarge: "throw" | "cut",
  signal: AbortSignal,
  received: Received = new Received(),
): Promise<string | null> {
  if (response.body === null) return null;
  const reader = response.body.getReader();
  const cancel = () => {
    reader.cancel().catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return received.text(true);
    if (received.size + value.byteLength > maxBytes) {
      cancel();
      if (onTooLarge === "throw") throw new BodyTooLarge(`larger than ${maxBytes} bytes`);
      return received.text(false);
    }
    received.add(value);
  }
}

const texts = new WeakMap<Response, string | null>();

/** The text that a replayed response answers; undefined for any other response. */
export const textOf = (response: Response): string | null | undefined => texts.get(response);

/** The same response, still genuine, with its body answered from the text that was read. */
export function replay(response: Response, text: string | null): Response {
  const fresh = () => new Response(text, { headers: response.headers });
  // Assigned, since defining properties costs more than all the rest of a request.
  response.text = async () => text ?? "";
  response.json = async () => JSON.parse(text ?? "");
  response.blob = () => fresh().blob();
  response.arrayBuffer = () => fresh().arrayBuffer();
  response.bytes = async () => new Uint8Array(await fresh().arrayBuffer());
  response.clone = () => replay(new Response(null, response), text);
  Object.defineProperty(response, "body", { get: () => (text === null ? null : fresh().body) });
  Object.defineProperty(response, "bodyUsed", { value: false });
  texts.set(response, text);
  return response;
}
