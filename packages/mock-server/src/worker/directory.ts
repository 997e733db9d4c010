import { InputError } from "@call-transfer/backend";
import {
  type ManagedSandboxes,
  type SandboxState,
  serveSandboxes,
  unknownSandbox,
} from "@call-transfer/backend/unstable";
import { checkOrder, isUnknownSandbox, readOrder, sendOrder } from "./orders.ts";
import { type ObjectState, type SqlStorage, sandboxNamed, type WorkerEnv } from "./platform.ts";
import { defaultSandbox } from "./running-sandbox.ts";
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

/** The sandboxes of the Worker by name. Each is an object of its own, so that a name may be left without its sandbox. */
class SandboxNames implements ManagedSandboxes {
  readonly #sql: SqlStorage;
  readonly #env: WorkerEnv;
  /** The end of what is being done about each name: one thing after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(sql: SqlStorage, env: WorkerEnv) {
    this.#sql = sql;
    this.#env = env;
    sql.exec("create table if not exists sandboxes (id integer primary key, name text not null unique)");
  }

  list(): readonly string[] {
    const rows = [...this.#sql.exec("select name from sandboxes order by id")];
    return [defaultSandbox, ...rows.map(({ name }) => String(name))];
  }

  async describe(name: string): Promise<SandboxState | undefined> {
    const response = await this.#order("describe", name);
    if (isUnknownSandbox(response)) await this.check(name);
    return response.ok ? ((await response.json()) as SandboxState) : undefined;
  }

  create(name: string, options: object): Promise<void> {
    return this.#inTurn(name, async () => {
      const isListed = this.list().includes(name);
      if (!isListed) this.#add(name);
      try {
        await checkOrder(await this.#order("create", name, JSON.stringify(options)));
      } catch (error) {
        if (error instanceof InputError && !isListed) await this.#removeUnknown(name);
        throw error;
      }
    });
  }

  delete(name: string): Promise<boolean> {
    if (name === defaultSandbox)
      throw new InputError("name", `sandbox "${defaultSandbox}" cannot be deleted. Reset it instead.`);
    return this.#inTurn(name, async () => {
      if (!this.list().includes(name)) return false;
      await this.#order("delete", name);
      this.#remove(name);
      return true;
    });
  }

  /** Removes a name whose sandbox is gone. */
  check(name: string): Promise<void> {
    return this.#inTurn(name, () => this.#removeUnknown(name));
  }

  async #removeUnknown(name: string): Promise<void> {
    if (isUnknownSandbox(await this.#order("describe", name))) this.#remove(name);
  }

  #add(name: string): void {
    const { maxSandboxes } = readSettings(this.#env);
    if (this.list().length >= maxSandboxes)
      throw new InputError(
        "name",
        `the limit of ${maxSandboxes} sandboxes is reached. Delete one with call-transfer-mock sandbox delete NAME (operation deleteSandbox), or raise MAX_SANDBOXES`,
      );
    this.#sql.exec("insert into sandboxes (name) values (?)", name);
  }

  #remove(name: string): void {
    this.#sql.exec("delete from sandboxes where name = ?", name);
  }

  #order(kind: "describe" | "create" | "delete", name: string, body: string | null = null): Promise<Response> {
    return sendOrder(sandboxNamed(this.#env, name), kind, name, { body });
  }

  #inTurn<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const done = (this.#turns.get(name) ?? Promise.resolve()).then(task);
    const end = done.then(
      () => {},
      () => {},
    );
    this.#turns.set(name, end);
    void end.then(() => {
      if (this.#turns.get(name) === end) this.#turns.delete(name);
    });
    return done;
  }
}
