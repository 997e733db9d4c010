// Sends the deliveries of an attack, and records what came back.

import { createHash } from "node:crypto";
import { realNow, signatureHeader } from "@call-transfer/backend/unstable";
import { webhookSignature } from "@call-transfer/spec";
import { deliver, type Message, type Reply } from "./deliver.ts";

/** An event, as the platform would send it. */
export interface Offer {
  readonly id: string;
  readonly body: string;
}

/** How to send an offer. By default as the platform does: signed with the current secret, now. */
export interface Sending {
  /** The signature header; null for none. */
  readonly signature?: string | null;
  /** The body to send in place of the offer's. */
  readonly body?: string;
  /** Sends the body in these parts, chunked. */
  readonly parts?: readonly Uint8Array[];
  readonly pauseMs?: number;
  readonly method?: string;
  /** null for none. */
  readonly contentType?: string | null;
  /** The name of the signature header, to write it in another case. */
  readonly headerName?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of the receiver's addresses to send to. By default they take turns. */
  readonly url?: string;
}

/** How to sign. By default with the current secret, now. */
export interface Signing {
  readonly secrets?: readonly string[];
  /** Seconds before now; below 0 for a time in the future. */
  readonly ageSecs?: number;
}

/** A delivery that was sent, for the checks of leaks and the report. */
export interface SentDelivery {
  readonly message: Message;
  readonly signature: string;
  readonly body: string;
  readonly reply: Reply;
  readonly url: string;
  readonly check: string;
}

/** What the senders of all checks share. */
interface Shared {
  readonly exchanges: SentDelivery[];
  turn: number;
}

export interface SenderOptions {
  readonly urls: readonly string[];
  readonly secret: string;
  readonly timeoutMs: number;
  readonly seed: number;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The IP address of the receiver, in place of a look-up of its name. */
  readonly address?: string | undefined;
}

const ringMs = 30_000;

/** Makes offers, signs them and sends them, for one check. */
export class Sender {
  readonly options: SenderOptions;
  readonly #check: string;
  readonly #shared: Shared;
  #ids = 0;

  constructor(options: SenderOptions, check = "", shared: Shared = { exchanges: [], turn: 0 }) {
    this.options = options;
    this.#check = check;
    this.#shared = shared;
  }

  /** The sender of a check. Its deliveries are among those of all. */
  of(check: string): Sender {
    return new Sender(this.options, check, this.#shared);
  }

  /** The deliveries of all checks, as they were answered. */
  get exchanges(): readonly SentDelivery[] {
    return this.#shared.exchanges;
  }

  /** A new offer. `write` turns its fields into the text of the body; `JSON.stringify` by default. */
  offer(write: (fields: object) => string = JSON.stringify, fields: object = {}, id: string = this.id()): Offer {
    const [transferId, destinationId] = [this.id(), this.id()];
    const now = realNow();
    const body = write({
      transferId,
      expiresAt: new Date(now + ringMs).toISOString(),
      type: webhookSignature.event,
      createdAt: new Date(now).toISOString(),
      destinationId,
      ...this.options.payload,
      ...fields,
      id,
    });
    return { id, body };
  }

  /** The next id in the form of a UUID. Seed and check decide it, whatever else is sent meanwhile. */
  id(): string {
    const hex = createHash("sha256")
      .update(`${this.options.seed}/${this.#check}/${this.#ids++}`)
      .digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** The signature header of a body (§6.1). */
  sign(body: string, { secrets = [this.options.secret], ageSecs = 0 }: Signing = {}): string {
    return signatureHeader(body, secrets, realNow() - ageSecs * 1000);
  }

  /** The message that sends an offer. */
  message(offer: Offer, sending: Sending = {}): Message {
    const { body = offer.body, method = "POST", contentType = "application/json", pauseMs } = sending;
    const { signature = this.sign(offer.body), headerName = webhookSignature.header, headers = {} } = sending;
    const parts = sending.parts ?? [Buffer.from(body)];
    return {
      method,
      headers: {
        ...(contentType !== null && { "content-type": contentType }),
        ...(sending.parts === undefined && { "content-length": String(Buffer.byteLength(body)) }),
        ...(signature !== null && { [headerName]: signature }),
        ...headers,
      },
      parts,
      ...(pauseMs !== undefined && { pauseMs }),
      ...(this.options.address !== undefined && { address: this.options.address }),
    };
  }

  nextUrl(): string {
    const { urls } = this.options;
    return urls[this.#shared.turn++ % urls.length] ?? "";
  }

  /** Sends an offer, or a forgery that begins with one. Never rejects. */
  async send(offer: Offer, sending: Sending = {}): Promise<Reply> {
    const url = sending.url ?? this.nextUrl();
    const message = this.message(offer, sending);
    const reply = await deliver(url, message, this.options.timeoutMs);
    this.record(message, reply, url);
    return reply;
  }

  /** Records a delivery that was sent in another way. */
  record(message: Message, reply: Reply, url: string): void {
    const [, signature = ""] =
      Object.entries(message.headers).find(([name]) => name.toLowerCase() === webhookSignature.header.toLowerCase()) ??
      [];
    const body = Buffer.concat(message.parts).toString();
    this.#shared.exchanges.push({ message, signature, body, reply, url, check: this.#check });
  }
}

/** Whether an answer accepts an offer. */
export function isAccepted({ status }: Reply): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** An answer in words, e.g. `status 401` or `no answer within 10000 ms`. */
export function describe({ status, error, code = "" }: Reply): string {
  if (status !== undefined) return `status ${status}`;
  if (code === "TIMEOUT" && error !== undefined) return error;
  const isClosed = error === undefined || code === "ECONNRESET" || code === "EPIPE";
  return `no answer (${isClosed ? "the connection was closed" : error})`;
}
