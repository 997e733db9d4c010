// Response bodies: decoded as fetch decodes them, and never further ahead of their reader than a buffer.
import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";

/** Bytes that wait for their reader. Above it, the connection is not read. */
const maxWaitingBytes = 64 * 1024;

/** Codings of one body. Each takes memory, and a header has room for thousands. */
const maxCodings = 5;

// Lenient like fetch: what has arrived is decoded at once, also of a body whose end is missing.
const flushed = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const flushedBrotli = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(flushed),
  "x-gzip": () => zlib.createGunzip(flushed),
  br: () => zlib.createBrotliDecompress(flushedBrotli),
};

/** Decodes `deflate`, which some servers send without the header of zlib. The first byte shows it. */
function inflate(source: Readable, onEnd: (error?: Error | null) => void): Readable {
  const output = new PassThrough();
  const onEmpty = (): unknown => output.end();
  source.once("end", onEmpty);
  source.once("error", (error) => output.destroy(error));
  source.once("data", (first: Buffer) => {
    source.off("end", onEmpty);
    source.pause();
    source.unshift(first);
    const hasHeader = ((first[0] ?? 0) & 0x0f) === 8;
    pipeline(source, hasHeader ? zlib.createInflate(flushed) : zlib.createInflateRaw(flushed), output, onEnd);
  });
  return output;
}

/** The body without its content codings, the last of which is undone first. One with an unknown coding, or too many, stays as it is. */
function decode(response: IncomingMessage): Readable {
  const value = response.headers["content-encoding"];
  if (value === undefined) return response;
  const codings = value
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim());
  const areKnown = codings.every((coding) => coding === "deflate" || Object.hasOwn(decoders, coding));
  if (!areKnown || codings.length > maxCodings) return response;
  // An error reaches the reader as that of the last stream.
  const onEnd = (): void => {};
  return codings.reduceRight<Readable>((source, coding) => {
    const decoder = decoders[coding]?.();
    return decoder ? pipeline(source, decoder, onEnd) : inflate(source, onEnd);
  }, response);
}

/** A body under way. Reading begins at once, so that a short body that is never read frees its connection, too. */
export class Body {
  /** Whether a part was read, or the rest cancelled. */
  isUsed = false;
  readonly #cancel: () => void;
  readonly #source: Readable;
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  #isComplete = false;
  #failure: { readonly error: unknown } | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  #wake: (() => void) | undefined;

  /** `cancel` ends the connection of a body whose rest is not wanted. */
  constructor(response: IncomingMessage, cancel: () => void) {
    this.#cancel = cancel;
    this.#source = decode(response);
    this.#source.on("data", (chunk: Buffer<ArrayBuffer>) => this.#add(chunk));
    this.#source.on("end", () => {
      this.#isComplete = true;
      this.#wake?.();
    });
    this.#source.on("error", (error) => this.fail(error));
  }

  /** Ends the body with an error. What has arrived before is dropped, as fetch does. */
  fail(error: unknown): void {
    if (this.#isComplete || this.#failure) return;
    this.#failure = { error };
    this.#controller?.error(error);
    this.#wake?.();
    this.#source.destroy();
  }

  /** The body as a stream, once. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller;
          if (this.#failure) controller.error(this.#failure.error);
        },
        pull: (controller) => {
          this.isUsed = true;
          return this.#pull(controller);
        },
        cancel: () => {
          this.isUsed = true;
          this.#cancel();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes >= maxWaitingBytes) this.#source.pause();
    this.#wake?.();
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> | undefined {
    if (this.#failure) return undefined;
    const chunk = this.#waiting.shift();
    if (chunk) {
      this.#waitingBytes -= chunk.byteLength;
      if (this.#source.isPaused()) this.#source.resume();
      controller.enqueue(chunk);
      return undefined;
    }
    if (this.#isComplete) {
      controller.close();
      return undefined;
    }
    return new Promise<void>((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve(this.#pull(controller));
      };
    });
  }
}
