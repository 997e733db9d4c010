// A response that becomes a `Response` when a program needs one. The client reads its status, some headers and its body.
import type { IncomingMessage } from "node:http";
import { inspect } from "node:util";
import type { Body } from "./body.ts";
import { LazyHeaders } from "./headers.ts";

export class LazyResponse implements Response {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected = false;
  readonly type = "basic";
  readonly #body: Body | undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #whole: Response | undefined;

  static {
    // So it is an instance of Response, without the cost of one.
    Object.setPrototypeOf(LazyResponse.prototype, Response.prototype);
  }

  constructor({ statusCode = 0, statusMessage = "", rawHeaders }: IncomingMessage, url: string, body?: Body) {
    this.status = statusCode;
    this.statusText = statusMessage;
    this.headers = new LazyHeaders(rawHeaders);
    this.url = url;
    this.#body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#whole) return this.#whole.body;
    this.#stream ??= this.#body?.stream();
    return this.#stream ?? null;
  }

  get bodyUsed(): boolean {
    return this.#whole?.bodyUsed ?? this.#body?.isUsed ?? false;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#all().arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.#all().blob();
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#all().bytes();
  }

  formData(): Promise<FormData> {
    return this.#all().formData();
  }

  json(): Promise<unknown> {
    return this.#all().json();
  }

  text(): Promise<string> {
    return this.#all().text();
  }

  clone(): Response {
    return this.#all().clone();
  }

  [inspect.custom](): unknown {
    const { status, statusText, headers, url, ok, bodyUsed } = this;
    return { status, statusText, headers, url, ok, bodyUsed };
  }

  #all(): Response {
    const { status, statusText, headers } = this;
    this.#whole ??= new Response(this.body, { status, statusText, headers });
    return this.#whole;
  }
}
