// The sender of an attack: makes offers, signs them, and sends them over HTTP: whole, in parts, endless or cut off.
import { createHmac, randomUUID } from "node:crypto";
import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { clearTimeout, realNow, setTimeout } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";

/** An event, as the platform would send it. */
export interface Offer {
  /** Empty for a body that is no event. */
  readonly id: string;
  readonly body: string;
}

/** What a correct receiver does with a delivery. `accept`: 2xx. `refuse`: 4xx. `stop_reading`: 413, or part of the body is left. */
export type Expected = "accept" | "refuse" | "stop_reading";

/** What is changed of a genuine delivery. */
export interface Change {
  /** An event that was sent before, or that others copy; a new one by default. */
  readonly offer?: Offer;
  /** Fields of a new event, and how it is turned into text. */
  readonly fields?: object;
  readonly write?: (fields: object) => string;
  /** Whether the app may pass over the event although the receiver accepts it. */
  readonly mayIgnore?: boolean;
  /** The secrets that sign; the current one by default. */
  readonly secrets?: readonly string[];
  /** The time that is signed, in Unix seconds, or any other text; now by default. */
  readonly time?: string;
  /** Writes the header in another way; null for none. */
  readonly header?: ((time: string, v1: string) => string) | null;
  readonly headerName?: string;
  /** Changes the body after it was signed. */
  readonly body?: (text: string) => string;
  /** Sends the body in these parts, chunked. */
  readonly parts?: (bytes: Buffer) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  readonly method?: string;
  /** null for none. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The receiver's addresses take turns by default. */
  readonly url?: string;
  /** Keeps half a body open while others are sent. */
  readonly isLeftOpen?: boolean;
}

/** A delivery to send. */
export interface Delivery extends Change {
  readonly expected: Expected;
  /** The name of the change, if its check sends several. */
  readonly what?: string;
}

/** A delivery that was sent, and its answer. */
export interface Exchange {
  readonly check: string;
  readonly delivery: Delivery;
  /** The id of the event. */
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body that was sent, as text. */
  readonly body: string;
  readonly reply: Reply;
}

interface Reply {
  /** Without a status, `error` says why there is none. */
  readonly status?: number;
  readonly headers: string;
  readonly body: string;
  readonly error: string;
  /** The code of a network error, e.g. `ECONNREFUSED`, or `TIMEOUT`. */
  readonly code: string;
  /** Whether the receiver took all of the delivery before it answered. */
  readonly tookAll: boolean;
}

export interface SenderOptions {
  readonly urls: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly timeoutMs: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Makes offers, signs them and sends them. */
export class Sender {
  readonly options: SenderOptions;
  /** All deliveries with their answers, in the order of the answers. */
  readonly exchanges: Exchange[] = [];
  #turn = 0;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** A new offer. `write` turns its fields into the text of the body. */
  offer(fields: object = {}, write: (fields: object) => string = JSON.stringify, id: string = randomUUID()): Offer {
    const now = realNow();
    const body = write({
      transferId: randomUUID(),
      expiresAt: new Date(now + 30_000).toISOString(),
      type: webhookSignature.event,
      createdAt: new Date(now).toISOString(),
      destinationId: randomUUID(),
      ...this.options.payload,
      ...fields,
      id,
    });
    return { id, body };
  }

  nextUrl(): string {
    const { urls } = this.options;
    return urls[this.#turn++ % urls.length] ?? "";
  }

  /** Sends deliveries at once, after those that are left open. These are closed after the answers to the others. */
  async sendAll(check: string, deliveries: readonly Delivery[]): Promise<void> {
    const open = deliveries.filter(({ isLeftOpen }) => isLeftOpen).map((delivery) => this.#start(check, delivery));
    await Promise.all(open.map(({ written }) => written));
    const others = deliveries.filter(({ isLeftOpen }) => !isLeftOpen).map((delivery) => this.#start(check, delivery));
    await Promise.all(others.map(({ answered }) => answered));
    for (const { request } of open) request.destroy(new Error("closed in the middle of the body"));
    await Promise.all(open.map(({ answered }) => answered));
  }

  #start(check: string, delivery: Delivery) {
    const { fields, write, time = unixTime(), secrets = [this.options.secret], header, parts, isLeftOpen } = delivery;
    const { method = "POST", contentType = "application/json", url = this.nextUrl() } = delivery;
    const offer = delivery.offer ?? this.offer(fields, write);
    const body = delivery.body?.(offer.body) ?? offer.body;
    const signed = secrets.map((secret) => digest(offer.body, secret, time));
    const signature = header === undefined ? signatureHeader(time, signed) : header?.(time, signed[0] ?? "");
    const bytes = Buffer.from(body);
    const headers = {
      ...(contentType !== null && { "content-type": contentType }),
      ...(parts === undefined && { "content-length": String(bytes.length) }),
      ...(signature !== undefined && { [delivery.headerName ?? webhookSignature.header]: signature }),
      ...delivery.headers,
    };
    // No agent: each delivery has a connection of its own, so that none fails because another was cut off.
    const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, {
      ...{ method, headers: { ...headers, connection: "close" }, agent: false },
    });
    const answered = receive(request, this.options.timeoutMs).then((reply) => {
      this.exchanges.push({ check, delivery, id: offer.id, url, headers, body, reply });
    });
    if (!isLeftOpen) Readable.from(parts?.(bytes) ?? [bytes]).pipe(request);
    const half = bytes.subarray(0, bytes.length / 2);
    const written = isLeftOpen && new Promise((resolve) => request.write(half, resolve));
    // A connection that fails never calls back.
    return { request, answered, written: Promise.race([written, answered]) };
  }
}

/** The signature of a body (§6.1). */
export function digest(body: string, secret: string, time: string): string {
  return createHmac("sha256", secret).update(`${time}${webhookSignature.separator}${body}`).digest("hex");
}

const signatureHeader = (time: string, digests: readonly string[]) =>
  [`t=${time}`, ...digests.map((one) => `${webhookSignature.scheme}=${one}`)].join();

/** The time in Unix seconds, `ageSecs` before now. */
export const unixTime = (ageSecs = 0): string => String(Math.floor(realNow() / 1000 - ageSecs));

/** Waits for the answer. Never rejects. */
function receive(request: ClientRequest, timeoutMs: number): Promise<Reply> {
  return new Promise((resolve) => {
    const finish = (reply: Partial<Reply>): void => {
      clearTimeout(timer);
      resolve({ headers: "", body: "", error: "", code: "", tookAll: false, ...reply });
      // The receiver may have answered before it read everything.
      request.destroy();
    };
    const late = { error: `no answer within ${timeoutMs} ms`, code: "TIMEOUT" };
    const timer = setTimeout(() => finish(late), timeoutMs);
    // A name with several addresses fails with a code alone.
    request.on("error", ({ message, code = "" }: NodeJS.ErrnoException) => finish({ error: message || code, code }));
    request.once("response", async (response) => {
      const { statusCode: status = 0, rawHeaders } = response;
      const tookAll = request.writableFinished;
      const body = await readStart(response);
      finish({ status, headers: rawHeaders.join("\n"), body, tookAll });
    });
  });
}

const maxReplyBytes = 64 * 1024;

/** Reads the start of a body, at most 64 kB. A body that is cut off is what came. */
async function readStart(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxReplyBytes) break;
    }
  } catch {
    // Cut off.
  }
  return Buffer.concat(chunks).subarray(0, maxReplyBytes).toString();
}

/** Whether an answer accepts an offer. */
export const isAccepted = ({ reply: { status = 0 } }: Exchange): boolean => status >= 200 && status < 300;

/** An answer in words, e.g. `status 401` or `no answer within 10000 ms`. */
export function describeReply({ reply: { status, error, code } }: Exchange): string {
  if (status !== undefined) return `status ${status}`;
  if (code === "TIMEOUT") return error;
  return `no answer (${code === "ECONNRESET" || code === "EPIPE" ? "the connection was closed" : error})`;
}
