import { type FromWorker, mostBackends, type SentRequest } from "../messages.ts";
import { partsOf } from "../parts.ts";
import type { Fetching } from "./modules.ts";

/** Backends of a program that answer requests of the page. */
export interface Backends {
  readonly add: (backend: Fetching) => void;
  /** Answers a request by messages. */
  answer(id: number, backend: number, request: SentRequest): Promise<void>;
  abort(id: number): void;
}

/** Creates the list of a program's backends. */
export function createBackends(post: (message: FromWorker, moved?: Transferable[]) => void): Backends {
  const backends: Fetching[] = [];
  const underWay = new Map<number, AbortController>();
  return {
    add(backend) {
      // A backend beyond the limit is not kept, so that a loop that creates backends does not fill the memory.
      if (backends.length >= mostBackends) return;
      backends.push(backend);
      post({ type: "backend" });
    },
    async answer(id, index, { url, method, headers, body }) {
      const aborting = new AbortController();
      underWay.set(id, aborting);
      try {
        const { signal } = aborting;
        const sent = new Request(url, {
          method,
          headers: headers.map(([...pair]) => pair),
          body: body ?? null,
          signal,
        });
        const response = await backends[index]?.fetch(sent, undefined, { address: "127.0.0.1" });
        if (response === undefined) throw new Error(`The program has no backend ${index}.`);
        post({ type: "head", id, status: response.status, headers: [...response.headers] });
        if (response.body) for await (const chunk of partsOf(response.body)) post({ type: "chunk", id, chunk });
        post({ type: "end", id });
      } catch (error) {
        post({ type: "broken", id, message: String(error) });
      } finally {
        underWay.delete(id);
      }
    },
    abort: (id) => underWay.get(id)?.abort(),
  };
}
