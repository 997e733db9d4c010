// The backend of a program, and what its imports stand for.
import * as backend from "@call-transfer/backend";
import * as sdk from "@call-transfer/sdk";
import * as query from "@call-transfer/sdk/query";
import * as webhooks from "@call-transfer/sdk/webhooks";
import * as queryCore from "@tanstack/query-core";
import type { FromWorker, SentRequest } from "../messages.ts";
import { partsOf } from "../parts.ts";

/** Anything with the `fetch` of a backend. */
type Fetching = Pick<backend.Backend, "fetch">;

/** Answers requests of the page by the first backend of the program. */
export function createAnswers(post: (message: FromWorker, moved?: Transferable[]) => void) {
  let first: Fetching | undefined;
  const underWay = new Map<number, AbortController>();
  return {
    add(created: Fetching) {
      if (first === undefined) post({ type: "backend" });
      first ??= created;
    },
    /** Answers a request by messages. */
    async answer(id: number, { url, method, headers, body }: SentRequest): Promise<void> {
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
        const response = await first?.fetch(sent, undefined, { address: "127.0.0.1" });
        if (response === undefined) throw new Error("The program has no backend.");
        post({ type: "head", id, status: response.status, headers: [...response.headers] });
        if (response.body) for await (const chunk of partsOf(response.body)) post({ type: "chunk", id, chunk });
        post({ type: "end", id });
      } catch (error) {
        post({ type: "broken", id, message: String(error) });
      } finally {
        underWay.delete(id);
      }
    },
    abort: (id: number) => underWay.get(id)?.abort(),
  };
}

/** The function behind the imports of a program. `add` gets each backend that the program creates. */
export function createRequire(add: (backend: Fetching) => void): (name: string) => unknown {
  const followed = <Made extends Fetching>(made: Made): Made => {
    add(made);
    return made;
  };
  const modules: Readonly<Record<string, object>> = {
    "@call-transfer/mock-server/backend": {
      ...backend,
      createBackend: (options?: backend.BackendOptions) =>
        followed(backend.createBackend({ ...options, controlPlane: true })),
      createSandboxRegistry: (options?: backend.SandboxRegistryOptions) =>
        followed(backend.createSandboxRegistry(options)),
    },
    "@call-transfer/sdk": sdk,
    "@call-transfer/sdk/query": query,
    "@call-transfer/sdk/webhooks": webhooks,
    "@tanstack/query-core": queryCore,
  };
  return (name) => {
    const found = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (found) return { __esModule: true, ...found };
    throw new Error(`Cannot import "${name}" here. These can be imported: ${Object.keys(modules).join(", ")}.`);
  };
}
