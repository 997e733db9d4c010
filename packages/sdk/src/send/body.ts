// Reading response bodies: up to a limit, and once for all readers.
import { reasonOf } from "../options/runtime.ts";

const maxBodyBytes = 10 * 1024 * 1024;
const maxErrorBodyBytes = 64 * 1024;

/** The body exceeds its limit. */
export class BodyTooLarge extends Error {}

/** Made once: a decoder for each body would cost more than the decoding. */
let decoder: TextDecoder | undefined;

export class BodyBuffer {
  size = 0;
  /** What has arrived. */
  readonly chunks: Uint8Array[] = [];
  /** Cancels the reading, even where fetch ignores its signal. */
  cancel: () => void = () => {};
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk)) throw new TypeError("the body contains something other than bytes");
    this.size += chunk.byteLength;
    this.chunks.push(chunk);
  }

  /** Returns it as text, without half a character at its end unless the body `isComplete`. */
  text(isComplete: boolean): string {
    const whole = this.chunks.length === 1 ? this.chunks[0] : this.bytes();
    if (!isComplete) return new TextDecoder().decode(whole, { stream: true });
    decoder ??= new TextDecoder();
    return decoder.decode(whole);
  }

  /** Returns what has arrived as it arrived. Not as a Blob, which is read outside the current turn of the event loop. */
  bytes(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.size);
    let at = 0;
    for (const { buffer, byteOffset, byteLength } of this.chunks) {
      whole.set(new Uint8Array(buffer, byteOffset, byteLength), at);
      at += byteLength;
    }
    return whole;
  }
}

/**
 * Reads a body as text, and cancels what exceeds `maxBytes`. The buffer keeps what has arrived, in case the rest never does.
 * The signal is only asked after each chunk: listening would cost more time than the reading. `buffer.cancel()` ends it.
 */
export async function readText(
  response: Response,
  maxBytes: number,
  onTooLarge: "throw" | "cut",
  signal: AbortSignal,
  buffer: BodyBuffer = new BodyBuffer(),
): Promise<string | null> {
  if (response.body === null) return null;
  const cut = (start: string) => {
    if (onTooLarge !== "throw") return start;
    throw new BodyTooLarge(`larger than ${maxBytes} bytes`);
  };
  if (typeof response.body?.getReader !== "function" || !globalThis.TextDecoder) {
    // React Native has no streams: the body can only be measured once it has arrived.
    const text = (await response.text()) || null;
    return text === null || text.length <= maxBytes ? text : cut(text.slice(0, maxBytes));
  }
  const reader = response.body.getReader();
  buffer.cancel = () => {
    (async () => reader.cancel())().catch(() => {});
  };
  if (signal.aborted) buffer.cancel();
  for (;;) {
    const { done, value } = await reader.read();
    // A cancelled body ends like a complete one.
    if (signal.aborted) throw reasonOf(signal);
    if (done) return buffer.text(true);
    if (buffer.size + value.byteLength > maxBytes) {
      buffer.cancel();
      return cut(buffer.text(false));
    }
    buffer.add(value);
  }
}

/** A response, without a body where its status has none. Some cannot be constructed: a browser hides a redirect behind status 0. */
const construct = (init: ResponseInit & { readonly status: number }, body: ReadableStream | null = null): Response =>
  init.status < 200 || init.status > 599
    ? Response.error()
    : new Response([204, 205, 304].includes(init.status) ? null : body, init);

/** Returns what fetch or middleware returned if it has every member that the SDK reads, also without a stream, as in React Native. */
export function toResponse(given: Response): Response {
  const isComplete =
    typeof given?.ok === "boolean" &&
    typeof given.status === "number" &&
    typeof given.headers?.get === "function" &&
    (given.body === null || typeof given.body?.getReader === "function" || typeof given.text === "function");
  if (isComplete) return given;
  throw new TypeError("fetch returned no Response");
}

const texts = new WeakMap<Response, string | null>();
/** Bodies that are kept as they arrived: their text may have lost bytes that are no text. */
const bodies = new WeakMap<Response, BodyBuffer>();

/** Text of a response whose body was read; undefined for any other response. */
export const textOf = (response: Response): string | null | undefined => texts.get(response);

export interface BodyState {
  /** The last response being read. Middleware may return another one than the server's. */
  reading?: { readonly response: Response; readonly buffer: BodyBuffer };
  readonly buffers: BodyBuffer[];
}

/** A response with its body, which was read. */
export interface ReadResponse {
  readonly response: Response;
  /** Null for a response without a body. */
  readonly text: string | null;
}

/** Reads the body of a response up to its limit, without the tokens in that of an error. */
export async function readBody(given: Response, stop: AbortSignal, state: BodyState, clean: (text: string) => string) {
  // A fetch may return the same object again, above all in tests.
  const known = textOf(given);
  if (known !== undefined) return { response: given, text: known };
  const response = toResponse(given);
  const buffer = new BodyBuffer();
  state.reading = { response, buffer };
  state.buffers.push(buffer);
  const read = await (response.ok
    ? readText(response, maxBodyBytes, "throw", stop, buffer)
    : readText(response, maxErrorBodyBytes, "cut", stop, buffer));
  const text = response.ok || read === null ? read : clean(read);
  texts.set(response, text);
  if (response.ok && buffer.size) bodies.set(response, buffer);
  return { response, text };
}

/** Makes a response, still genuine, read its body from the text, any number of times. */
export function replay(response: Response, text: string | null, buffer = bodies.get(response)): Response {
  const fresh = () => new Response(buffer?.bytes() ?? text, { headers: response.headers });
  try {
    // Assigned: defining properties costs more time than the rest of a request.
    response.text = async () => text ?? "";
    response.json = async () => JSON.parse(text ?? "");
    response.blob = () => fresh().blob();
    response.arrayBuffer = () => fresh().arrayBuffer();
    response.bytes = async () => new Uint8Array(await fresh().arrayBuffer());
    response.clone = () => replay(construct(response), text, buffer);
    const get = () => fresh().body;
    Object.defineProperty(response, "body", { get, configurable: true });
    Object.defineProperty(response, "bodyUsed", { value: false, configurable: true });
  } catch {
    // It is frozen, or its class does not allow replacing members.
    return replay(construct(response), text, buffer);
  }
  texts.set(response, text);
  if (buffer) bodies.set(response, buffer);
  return response;
}
