// One request and its response over node:http, which notes whether a byte of the request may have left.
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { Body } from "./body.ts";
import { coded, failureOf } from "./failure.ts";
import type { Outgoing } from "./outgoing.ts";
import { clearTimeout, elapsed, setImmediate, setTimeout } from "./real-time.ts";
import { LazyResponse } from "./response.ts";

/** Milliseconds after which an idle connection is looked at before it is used: its end may have arrived unseen. */
const idleMs = 100;

/** When the last response over a connection ended, by `elapsed()`. */
const lastUses = new WeakMap<Socket, number>();

const isRedirect = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;

/** A TLS connection whose server's certificate is not verified yet. */
const isInHandshake = (socket: Socket): boolean => "secureConnecting" in socket && socket.secureConnecting === true;

/** Sends a request that was created, but not written. */
export class Exchange {
  readonly #outgoing: Outgoing;
  readonly #request: ClientRequest;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  /** Whether a byte of the request may have left. Until then, nothing but a connection was made. */
  #mayHaveLeft = false;
  #isWritten = false;
  #hasResponse = false;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #body: Body | undefined;

  constructor(
    outgoing: Outgoing,
    request: ClientRequest,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ) {
    this.#outgoing = outgoing;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Sends it as soon as there is a connection, for which it waits `connectTimeoutMs`. */
  start(connectTimeoutMs: number): void {
    const request = this.#request;
    const { signal } = this.#outgoing;
    const onAbort = (): void => this.#end(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    request.on("socket", (socket) => this.#onSocket(socket, connectTimeoutMs));
    request.on("response", (response) => this.#onResponse(response));
    request.on("error", (error) => this.#fail(error));
    request.on("close", () => {
      clearTimeout(this.#limit);
      signal?.removeEventListener("abort", onAbort);
      if (request.socket) lastUses.set(request.socket, elapsed());
      // Such as after a switch of protocols, of which Node reports no error.
      if (!this.#hasResponse) this.#fail(new Error("the connection ended without a response"));
    });
  }

  #onSocket(socket: Socket, connectTimeoutMs: number): void {
    // A literal address without a route fails at once: its error follows.
    if (this.#request.destroyed || socket.destroyed) return;
    if (isInHandshake(socket)) {
      this.#limitTo(connectTimeoutMs);
      // Written before, it would leave in the moment in which the certificate is found to be wrong.
      socket.once("secureConnect", () => this.#send());
    } else if (socket.connecting) {
      this.#limitTo(connectTimeoutMs);
      // Node keeps what is written until there is a connection. A mock only connects for what is written.
      socket.once("connect", () => this.#connected());
      this.#write();
    } else if (elapsed() - (lastUses.get(socket) ?? Number.POSITIVE_INFINITY) > idleMs) {
      // The end of a connection arrives in a later turn of the event loop, if the process was busy or suspended.
      setImmediate(() => setImmediate(() => this.#send()));
    } else {
      this.#send();
    }
  }

  #limitTo(ms: number): void {
    this.#limit = setTimeout(() => this.#fail(coded("ETIMEDOUT", `no connection within ${ms} ms`)), ms);
  }

  #connected(): void {
    this.#mayHaveLeft = true;
    clearTimeout(this.#limit);
  }

  #send(): void {
    if (this.#request.destroyed) return;
    this.#connected();
    this.#write();
  }

  #write(): void {
    this.#isWritten = true;
    const { body } = this.#outgoing;
    if (body instanceof Readable) {
      body.once("error", (error) => this.#fail(error));
      body.pipe(this.#request);
    } else {
      this.#request.end(body ?? undefined);
    }
  }

  #onResponse(incoming: IncomingMessage): void {
    if (!this.#isWritten) {
      // As when a proxy ends an idle connection with 408. Taken for the response, the request would be written after it.
      this.#fail(new Error("the kept-alive connection brought a response before the request was sent"));
      return;
    }
    this.#hasResponse = true;
    const { method, redirect, url } = this.#outgoing;
    const { statusCode: status = 0 } = incoming;
    if (redirect !== "manual" && isRedirect(incoming)) {
      this.#fail(new Error(`a redirect (${status}), which is not followed. Pass redirect: "manual" to read it`));
      return;
    }
    const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
    if (isEmpty) incoming.resume();
    else this.#body = new Body(incoming, () => this.#request.destroy());
    this.#resolve(new LazyResponse(incoming, url.href, this.#body));
  }

  #fail(error: unknown): void {
    this.#end(failureOf(error, this.#mayHaveLeft));
  }

  /** Ends it wherever it is. */
  #end(reason: unknown): void {
    this.#reject(reason);
    this.#body?.fail(reason);
    if (this.#outgoing.body instanceof Readable) this.#outgoing.body.destroy();
    this.#request.destroy();
  }
}
