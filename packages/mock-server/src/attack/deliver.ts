// Bytes over HTTP: whole, in parts, without an end, and cut off.

import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { clearTimeout, elapsed, setTimeout } from "@call-transfer/backend/unstable";
import { lookupOf } from "../net/lookup.ts";

export interface Message {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body. They are written `pauseMs` apart. */
  readonly parts: readonly Uint8Array[];
  readonly pauseMs?: number;
  /** The IP address to connect to, in place of a look-up of the host's name. */
  readonly address?: string;
}

export interface Reply {
  readonly status?: number;
  /** The start of the body as text, 64 kB at most. */
  readonly body: string;
  readonly headers: string;
  readonly error?: string;
  /** The code of a network error, e.g. `ECONNREFUSED`. */
  readonly code?: string;
  /** Milliseconds until the answer was complete. */
  readonly ms: number;
}

const maxReplyBytes = 64 * 1024;

/** Sends a message and resolves with the answer. Never rejects. */
export function deliver(url: string, message: Message, timeoutMs: number): Promise<Reply> {
  return exchange(url, message, timeoutMs, (request) => void write(request, message));
}

/** Sends a message, and closes the connection when it is written, without waiting for the answer. Never rejects. */
export function deliverAndHangUp(url: string, message: Message, timeoutMs: number): Promise<Reply> {
  return exchange(url, message, timeoutMs, (request) => {
    request.once("finish", () => request.destroy(new Error("hung up")));
    void write(request, message);
  });
}

/** A delivery whose body never ends. */
export interface HeldDelivery {
  /** Resolves when the parts are written, or when the connection is closed. */
  readonly written: Promise<void>;
  /** Closes the connection and resolves with the answer, if one came before. */
  close(): Promise<Reply>;
}

/** Sends the parts of a message, and keeps the connection open without ending the body. */
export function deliverWithoutEnd(url: string, message: Message, timeoutMs: number): HeldDelivery {
  let open: ClientRequest | undefined;
  let isWritten = (): void => {};
  const written = new Promise<void>((resolve) => {
    isWritten = resolve;
  });
  const reply = exchange(url, message, timeoutMs, (request) => {
    open = request;
    void writeParts(request, message).then(isWritten);
  });
  return {
    // A connection that fails never calls back.
    written: Promise.race([written, reply.then(() => {})]),
    close() {
      open?.destroy(new Error("closed in the middle of the body"));
      return reply;
    },
  };
}

/** What a receiver did with a long body. */
export interface FloodResult {
  readonly reply: Reply;
  /** Bytes that were written before the answer or the end of the connection. */
  readonly bytesTaken: number;
  /** Whether all bytes were written before the answer. */
  readonly tookAll: boolean;
}

/** Streams a body of `bytes` bytes until the receiver answers or closes the connection. */
export async function flood(url: string, message: Message, bytes: number, timeoutMs: number): Promise<FloodResult> {
  const chunk = Buffer.alloc(64 * 1024, "x");
  let bytesTaken = 0;
  let isAnswered = false;
  const reply = await exchange(url, message, timeoutMs, (request) => {
    request.once("response", () => {
      isAnswered = true;
    });
    const next = (): void => {
      if (isAnswered || request.destroyed) return;
      if (bytesTaken >= bytes) {
        request.end();
        return;
      }
      request.write(chunk, (error) => {
        if (error) return;
        bytesTaken += chunk.length;
        next();
      });
    };
    next();
  });
  return { reply, bytesTaken, tookAll: bytesTaken >= bytes };
}

function exchange(
  url: string,
  { method, headers, address }: Message,
  timeoutMs: number,
  begin: (request: ClientRequest) => void,
): Promise<Reply> {
  const started = elapsed();
  return new Promise((resolve) => {
    // No agent: each delivery has a connection of its own, so that none fails because another was cut off.
    const options: RequestOptions = {
      ...{ method, headers: { ...headers, connection: "close" }, agent: false },
      ...(address !== undefined && { lookup: lookupOf(address) }),
    };
    const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, options);
    const finish = (reply: Omit<Reply, "ms">): void => {
      clearTimeout(timer);
      resolve({ ...reply, ms: elapsed() - started });
    };
    const timer = setTimeout(() => {
      finish({ body: "", headers: "", error: `no answer within ${timeoutMs} ms`, code: "TIMEOUT" });
      request.destroy();
    }, timeoutMs);
    request.on("error", ({ message, code }: NodeJS.ErrnoException) =>
      // A name with several addresses fails with a code alone.
      finish({ body: "", headers: "", error: message || String(code), ...(code !== undefined && { code }) }),
    );
    request.once("response", (response) => {
      void readBody(response).then((body) => {
        const { statusCode = 0, rawHeaders } = response;
        finish({ status: statusCode, body, headers: rawHeaders.join("\n") });
        // The receiver may have answered before it read everything.
        request.destroy();
      });
    });
    begin(request);
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxReplyBytes) break;
    }
  } catch {
    // Cut off: what came is the body.
  }
  return Buffer.concat(chunks).subarray(0, maxReplyBytes).toString();
}

async function write(request: ClientRequest, message: Message): Promise<void> {
  await writeParts(request, message);
  request.end();
}

async function writeParts(request: ClientRequest, { parts, pauseMs = 0 }: Message): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (request.destroyed) return;
    await new Promise<void>((resolve) => request.write(part, () => resolve()));
  }
}
