import { InputError } from "@call-transfer/backend";
import { errorMessage, errorResponse } from "@call-transfer/backend/unstable";
import { readOrder, refusedOrder, sendOrder, unknownSandboxResponse } from "./orders.ts";
import { directoryOf, type ObjectState, type WorkerEnv } from "./platform.ts";
import { defaultSandbox, RunningSandbox } from "./running-sandbox.ts";
import { readSettings } from "./settings.ts";
import { readFacts, writeFacts } from "./sql-store.ts";

/**
 * The Durable Object class of a sandbox. Export it from the Worker, and name it under `new_sqlite_classes` of a migration. Its
 * storage is the only place of the sandbox's state.
 */
export class Sandbox {
  readonly #state: ObjectState;
  readonly #env: WorkerEnv;
  #running: RunningSandbox | undefined;
  /** Why the sandbox is not running. */
  #failure: string | undefined;

  constructor(state: ObjectState, env: WorkerEnv) {
    this.#state = state;
    this.#env = env;
    try {
      const facts = readFacts(state.storage);
      this.#running = facts && new RunningSandbox(state.storage, readSettings(env), facts);
    } catch (error) {
      this.#failure = `The stored sandbox cannot be loaded: ${errorMessage(error)}`;
    }
  }

  /** Follows an order of the Worker. Every request to an object is one. */
  async fetch(request: Request): Promise<Response> {
    const { kind, name, headers } = readOrder(request);
    if (kind === "delete") return this.#delete();
    if (this.#failure !== undefined) return errorResponse("internal_error", this.#failure);
    this.#running?.start();
    if (kind === "create") return this.#create(name, await request.text());
    if (this.#running === undefined && name === defaultSandbox) {
      const created = await this.#create(name, "{}");
      if (!created.ok) return errorResponse("internal_error", `Setting SANDBOX_OPTIONS: ${await created.text()}`);
    }
    if (this.#running === undefined) return unknownSandboxResponse();
    return kind === "describe" ? Response.json(this.#running.describe()) : this.#running.respond(request, headers);
  }

  /** Does what is due, also after a restart. Deletes a sandbox that has expired. */
  async alarm(): Promise<void> {
    const running = this.#running;
    if (running === undefined || !(await running.ring())) return;
    await this.#delete();
    // If this fails, the directory notices that when it lists the sandboxes.
    await sendOrder(directoryOf(this.#env), "check", running.name);
  }

  async #create(name: string, options: string): Promise<Response> {
    if (this.#running !== undefined)
      return refusedOrder(
        new InputError("name", `sandbox "${name}" already exists. Delete it first, or choose another name.`),
      );
    const { storage } = this.#state;
    const facts = { name, options: JSON.parse(options), usedAt: Date.now() };
    try {
      const running = new RunningSandbox(storage, readSettings(this.#env), facts);
      writeFacts(storage, facts);
      this.#running = running;
      running.start();
      return new Response(null, { status: 204 });
    } catch (error) {
      await this.#delete();
      if (error instanceof InputError) return refusedOrder(error);
      throw error;
    }
  }

  async #delete(): Promise<Response> {
    this.#running?.close();
    this.#running = undefined;
    this.#failure = undefined;
    await this.#state.storage.deleteAlarm();
    await this.#state.storage.deleteAll();
    return new Response(null, { status: 204 });
  }
}
