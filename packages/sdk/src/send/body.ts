// Reading answers: bounded, and once for all who want to look.
import { isFunction, isObject } from "../utils/guards.ts";

/** A body larger than the bound. */
export class BodyTooLarge extends Error {}

const tooLarge = (maxBytes: number) => new BodyTooLarge(`larger than ${maxBytes} bytes`);

/** What came of a body so far. */
export class Received {
  /** In bytes. */
  size = 0;
  readonly #decoder = new TextDecoder();
  // One piece waits, since most bodies have no more and are decoded fastest as a whole.
  #waiting: Uint8Array | undefined;
  #text = "";

  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk)) throw new TypeError("the body gives something else than bytes");
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
 * @param received Holds what was read of this body so far, for when the rest never comes.
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
  if (!isFunction(response.body?.getReader)) {
    // React Native gives no stream: its body can only be measured when it is there.
    const text = (await response.text()) || null;
    if (text === null || text.length <= maxBytes) return text;
    if (onTooLarge === "throw") throw tooLarge(maxBytes);
    return text.slice(0, maxBytes);
  }
  const reader = response.body.getReader();
  const cancel = () => {
    reader.cancel().catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  for (;;) {
    const { done, value } = await reader.read();
    // A body that was cancelled ends as if it were whole.
    signal.throwIfAborted();
    if (done) return received.text(true);
    if (received.size + value.byteLength > maxBytes) {
      cancel();
      if (onTooLarge === "throw") throw tooLarge(maxBytes);
      return received.text(false);
    }
    received.add(value);
  }
}

/** A response of a status that may have no constructor: a browser hides a redirect behind status 0. */
const bodiless = (init: ResponseInit & { readonly status: number }): Response =>
  init.status < 200 || init.status > 599 ? Response.error() : new Response(null, init);

/** Whether a fetch gave all that is read of a response; test doubles often have no more than a status and `json()`. */
export const isWhole = (given: Response): boolean =>
  typeof given?.ok === "boolean" &&
  isFunction(given.headers?.get) &&
  (given.body === null || isFunction(given.body?.getReader) || isFunction(given.text));

/**
 * A genuine response with what a stand-in has of one.
 *
 * @throws {TypeError} It is no response.
 */
export function completed(given: Partial<Response> | undefined): Response {
  if (!isObject(given) || typeof given.status !== "number") throw new TypeError("fetch returned no Response");
  const { status, headers } = given;
  const text = async () => (given.text ? given.text() : given.json && JSON.stringify(await given.json()));
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode((await text()) ?? ""));
      controller.close();
    },
  });
  const init = { status, ...(headers && { headers }) };
  const isBodiless = status < 200 || status > 599 || [204, 205, 304].includes(status);
  return isBodiless ? bodiless(init) : new Response(body, init);
}

const texts = new WeakMap<Response, string | null>();

/** The text that a replayed response answers; undefined for any other response. */
export const textOf = (response: Response): string | null | undefined => texts.get(response);

/** The same response, still genuine, with its body answered from the text that was read. */
export function replay(response: Response, text: string | null): Response {
  const fresh = () => new Response(text, { headers: response.headers });
  try {
    // Assigned, since defining properties costs more than all the rest of a request.
    response.text = async () => text ?? "";
    response.json = async () => JSON.parse(text ?? "");
    response.blob = () => fresh().blob();
    response.arrayBuffer = () => fresh().arrayBuffer();
    response.bytes = async () => new Uint8Array(await fresh().arrayBuffer());
    response.clone = () => replay(bodiless(response), text);
    const get = () => (text === null ? null : fresh().body);
    Object.defineProperty(response, "body", { get, configurable: true });
    Object.defineProperty(response, "bodyUsed", { value: false, configurable: true });
  } catch {
    // A frozen one, or one of a class whose parts cannot be replaced.
    return replay(bodiless(response), text);
  }
  texts.set(response, text);
  return response;
}
