/** What a server does to the connection instead of, or while, sending the answer. */
export type TransportFault =
  /** Resets the connection, closes it in an orderly way, or keeps it open, and never sends the answer. */
  | { readonly kind: "reset" | "empty" | "hang" }
  /** Sends the head and so many bytes of the body, and resets the connection. */
  | { readonly kind: "truncate"; readonly bytes: number };

/** What a backend reads of a request's headers; every `Headers` is one. Names are asked for in lower case. */
export interface AskedHeaders {
  get(name: string): string | null;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** What a backend reads of a request; every `Request` is one. */
export interface Asked extends Pick<Request, "method" | "url" | "body"> {
  readonly headers: AskedHeaders;
  /** The body, where the server has read it already; `body` is not looked at then. */
  readonly received?: Uint8Array;
  /** Ends a wait that a fault asks for. */
  readonly signal?: AbortSignal;
}

/** An answer as plain values. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; undefined for none. */
  readonly text: string | undefined;
}

/** An answer, and what befalls it on the way. */
export interface Handled {
  /** Where the fault lets no answer through: the one that is kept back, or an empty one. */
  readonly response: Response;
  /** The same as plain values, where it is that simple and nothing befalls it. */
  readonly plain?: PlainAnswer;
  readonly transport?: TransportFault;
}

/**
 * An answer whose Response is built when it is asked for: building one takes longer than all checks together. A class,
 * since a getter in an object literal gives each object a shape of its own, which costs more than it saves.
 */
export class LazyAnswer implements Handled {
  readonly plain: PlainAnswer;
  #built: Response | undefined;

  constructor(plain: PlainAnswer) {
    this.plain = plain;
  }

  get response(): Response {
    this.#built ??= new Response(this.plain.text ?? null, this.plain);
    return this.#built;
  }
}

/** Plays an answer as a fetch function shows it: a transport fault is a rejection, a wait, or a broken body. */
export async function asFetched(
  { response, transport, plain }: Handled,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  if (transport === undefined) {
    // Only a body that takes its time can be aborted.
    if (plain !== undefined || !signal || response.body === null) return response;
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), { status, headers });
  }
  if (transport.kind === "truncate") return truncated(response, transport.bytes);
  await response.body?.cancel();
  if (transport.kind === "hang") return new Promise((_, reject) => whenAborted(signal, reject));
  throw failure("fetch failed", transport.kind === "reset" ? "ECONNRESET" : "UND_ERR_SOCKET");
}

/** Waits for work as long as `signal` lets it; rejects with the reason of an abort. */
export function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    whenAborted(signal, reject);
    work.then(resolve, reject);
  });
}

function whenAborted(signal: AbortSignal | null | undefined, act: (reason: unknown) => void): void {
  if (signal?.aborted) act(signal.reason);
  else signal?.addEventListener("abort", () => act(signal.reason), { once: true });
}

function failure(message: string, code: string): TypeError {
  const cause = new Error(code === "ECONNRESET" ? "read ECONNRESET" : "other side closed");
  return new TypeError(message, { cause: Object.assign(cause, { code }) });
}

async function truncated(response: Response, bytes: number): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer());
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent || bytes === 0) controller.error(failure("terminated", "ECONNRESET"));
      else controller.enqueue(whole.slice(0, bytes));
      isSent = true;
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
