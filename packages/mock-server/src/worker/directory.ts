import { serveSandboxes, unknownSandbox } from "@call-transfer/backend/unstable";
import { readOrder } from "./orders.ts";
import type { ObjectState, WorkerEnv } from "./platform.ts";
import { SandboxNames } from "./sandbox-names.ts";
import { dayMs, readSettings } from "./settings.ts";

/**
 * The Durable Object class of the directory, which lists the sandboxes by name. Export it from the Worker, and name it under
 * `new_sqlite_classes` of a migration. Requests to a sandbox do not pass through it.
 */
export class SandboxDirectory {
  readonly #names: SandboxNames;
  readonly #env: WorkerEnv;

  constructor(state: ObjectState, env: WorkerEnv) {
    this.#names = new SandboxNames(state.storage.sql, env);
    this.#env = env;
  }

  /** Follows an order of the Worker. Every request to an object is one. */
  async fetch(request: Request): Promise<Response> {
    const { kind, name, headers } = readOrder(request);
    if (kind === "explain") return new Response(this.#explain(name));
    if (kind === "check") {
      await this.#names.check(name);
      return new Response(null, { status: 204 });
    }
    const { method, url, body } = request;
    return serveSandboxes(this.#names, { method, url, headers, body }, new URL(url));
  }

  #explain(name: string): string {
    const { expiryMs } = readSettings(this.#env);
    const expiry =
      expiryMs === undefined ? undefined : `Sandboxes are deleted after ${expiryMs / dayMs} days without a request.`;
    return unknownSandbox(name, this.#names.list(), expiry);
  }
}
