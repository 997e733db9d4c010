// The sender of an attack: makes offers, signs them, and sends them over HTTP: whole, in parts, endless or cut off.
import { createHmac, randomUUID } from "node:crypto";
import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { clearTimeout, elapsed, realNow, setTimeout } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";

/** An event, as the platform would send it. */
export interface Offer {
  /** Empty for a body that is no event. */
  readonly id: string;
  readonly body: string;
}

/**
 * What a correct receiver does with a delivery. `accept`: 2xx. `refuse`: 4xx. `not_accept`: anything but 2xx. `stop_reading`: it
 * does not accept it, and does not take all of the body unless it answers 413.
 */
export type Expected = "accept" | "refuse" | "not_accept" | "stop_reading" | "any";

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
  /** Sends the body in these parts, chunked, `pauseMs` apart. */
  readonly parts?: (bytes: Buffer) => Iterable<Uint8Array>;
  readonly pauseMs?: number;
  readonly method?: string;
  /** null for none. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The receiver's addresses take turns by default. */
  readonly url?: string;
  /** `hang_up`: closes after the body. `never`: keeps half a body open while others are sent. */
  readonly end?: "hang_up" | "never";
}

/** A delivery to send. */
export interface Delivery extends Change {
  readonly expected: Expected;
  /** The name of the change, if its check sends several. */
  readonly what?: string;
}

export interface Reply {
  readonly status?: number;
  readonly body: string;
  readonly headers: string;
  readonly error?: string;
  /** The code of a network error, e.g. `ECONNREFUSED`, or `TIMEOUT`. */
  readonly code?: string;
  /** Milliseconds until the answer was complete. */
  readonly ms: number;
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
  /** Whether the receiver took all of the body before it answered. */
  readonly tookAll: boolean;
}

export interface SenderOptions {
  readonly urls: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly toleranceSecs: number;
  readonly timeoutMs: number;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whether the receiver is on this machine, and so has the same clock. */
  readonly isLocal: boolean;
}

const ringMs = 30_000;

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
      expiresAt: new Date(now + ringMs).toISOString(),
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

  /** Sends deliveries at once, after those whose body never ends. These are closed after the answers to the others. */
  async sendAll(check: string, deliveries: readonly Delivery[]): Promise<readonly Exchange[]> {
    const open = deliveries.filter(({ end }) => end === "never").map((delivery) => this.#start(check, delivery));
    await Promise.all(open.map(({ written }) => written));
    const others = deliveries.filter(({ end }) => end !== "never").map((delivery) => this.#start(check, delivery));
    const exchanges = await Promise.all(others.map(({ exchange }) => exchange));
    for (const { close } of open) close();
    return [...exchanges, ...(await Promise.all(open.map(({ exchange }) => exchange)))];
  }

  #start(check: string, delivery: Delivery) {
    const { fields, write, time = unixTime(), secrets = [this.options.secret], header, parts, end } = delivery;
    const { method = "POST", contentType = "application/json", headers = {}, url = this.nextUrl() } = delivery;
    const offer = delivery.offer ?? this.offer(fields, write);
    const body = delivery.body?.(offer.body) ?? offer.body;
    const signed = secrets.map((secret) => digest(offer.body, secret, time));
    const signature = header === undefined ? signatureHeader(time, signed) : header?.(time, signed[0] ?? "");
    const bytes = Buffer.from(body);
    const sent = {
      ...(contentType !== null && { "content-type": contentType }),
      ...(parts === undefined && { "content-length": String(bytes.length) }),
      ...(signature !== undefined && { [delivery.headerName ?? webhookSignature.header]: signature }),
      ...headers,
    };
    // No agent: each delivery has a connection of its own, so that none fails because another was cut off.
    const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, {
      ...{ method, headers: { ...sent, connection: "close" }, agent: false },
    });
    const answer = receive(request, this.options.timeoutMs);
    let tookAll = false;
    const send = async (): Promise<void> => {
      const whole = [end === "never" ? bytes.subarray(0, bytes.length / 2) : bytes];
      tookAll = await writeParts(request, parts?.(bytes) ?? whole, delivery.pauseMs);
      if (end === "hang_up") request.once("finish", () => request.destroy(new Error("hung up")));
      if (end !== "never") request.end();
    };
    const exchange = answer.then((reply): Exchange => {
      const sentDelivery = { check, delivery, id: offer.id, url, headers: sent, body, reply, tookAll };
      this.exchanges.push(sentDelivery);
      return sentDelivery;
    });
    const close = () => void request.destroy(new Error("closed in the middle of the body"));
    // A connection that fails never calls back.
    return { exchange, close, written: Promise.race([send(), answer]) };
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
  const started = elapsed();
  return new Promise((resolve) => {
    const finish = (reply: Omit<Reply, "ms">): void => {
      clearTimeout(timer);
      resolve({ ...reply, ms: elapsed() - started });
      // The receiver may have answered before it read everything.
      request.destroy();
    };
    const timer = setTimeout(
      () => finish({ body: "", headers: "", error: `no answer within ${timeoutMs} ms`, code: "TIMEOUT" }),
      timeoutMs,
    );
    request.on("error", ({ message, code }: NodeJS.ErrnoException) =>
      // A name with several addresses fails with a code alone.
      finish({ body: "", headers: "", error: message || String(code), ...(code !== undefined && { code }) }),
    );
    request.once("response", async (response) => {
      const body = await readStart(response);
      finish({ status: response.statusCode ?? 0, body, headers: response.rawHeaders.join("\n") });
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

/** Writes the parts until an answer comes. Returns whether all were written before it. */
async function writeParts(request: ClientRequest, parts: Iterable<Uint8Array>, pauseMs = 0): Promise<boolean> {
  let isAnswered = false;
  request.once("response", () => {
    isAnswered = true;
  });
  for (const part of parts) {
    const error = await new Promise<unknown>((resolve) => request.write(part, resolve));
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (error || isAnswered || request.destroyed) return false;
  }
  return true;
}

/** Whether an answer accepts an offer. */
export function isAccepted({ status }: Reply): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** An answer in words, e.g. `status 401` or `no answer within 10000 ms`. */
export function describeReply({ status, error, code = "" }: Reply): string {
  if (status !== undefined) return `status ${status}`;
  if (code === "TIMEOUT" && error !== undefined) return error;
  const isClosed = error === undefined || code === "ECONNRESET" || code === "EPIPE";
  return `no answer (${isClosed ? "the connection was closed" : error})`;
}
