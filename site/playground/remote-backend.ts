import type { FromWorker, ToWorker } from "./messages.ts";

/** The backend of a program, in a worker. */
export interface RemoteBackend {
  fetch(request: Request): Promise<Response>;
}

type Answer = Extract<FromWorker, { type: "head" | "chunk" | "end" | "broken" }>;

/** A request that was sent to a worker. */
interface Exchange {
  head(status: number, headers: [string, string][]): void;
  readonly body: ReadableStreamDefaultController<Uint8Array>;
  fail(reason: Error): void;
}

/** Statuses whose responses have no body. */
const isEmpty = (status: number) => [101, 204, 205, 304].includes(status);

/** Creates the page's end of a worker's backend. */
export function createRemoteBackend(send: (message: ToWorker) => void) {
  const exchanges = new Map<number, Exchange>();
  let requests = 0;

  const begin = (id: number, resolve: (response: Response) => void, reject: (reason: Error) => void) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        exchanges.set(id, {
          body: controller,
          head: (status, headers) => resolve(new Response(isEmpty(status) ? null : body, { status, headers })),
          fail(reason) {
            exchanges.delete(id);
            reject(reason);
            controller.error(reason);
          },
        });
      },
      cancel() {
        exchanges.delete(id);
        send({ type: "abort", id });
      },
    });
  };

  return {
    async fetch(request: Request): Promise<Response> {
      const { method, url, signal } = request;
      signal.throwIfAborted();
      const body = await request.arrayBuffer();
      const id = requests++;
      return new Promise((resolve, reject) => {
        begin(id, resolve, reject);
        signal.addEventListener("abort", () => {
          send({ type: "abort", id });
          exchanges.get(id)?.fail(signal.reason);
        });
        const sent = { method, url, headers: [...request.headers], body: body.byteLength > 0 ? body : undefined };
        send({ type: "request", id, request: sent });
      });
    },
    /** Passes on a message of the worker. */
    receive(answer: Answer): void {
      const exchange = exchanges.get(answer.id);
      if (exchange === undefined) return;
      if (answer.type === "head") exchange.head(answer.status, answer.headers);
      else if (answer.type === "chunk") exchange.body.enqueue(answer.chunk);
      else if (answer.type === "broken") exchange.fail(new TypeError(answer.message));
      else {
        exchanges.delete(answer.id);
        exchange.body.close();
      }
    },
    /** Ends all requests. */
    end(): void {
      for (const exchange of exchanges.values()) exchange.fail(new TypeError("The program has ended."));
    },
  };
}
