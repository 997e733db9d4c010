import { type AssembledBackend, assembleBackend, type Backend, defaultParts } from "./backend.ts";
import { sandboxState } from "./control/operations/sandboxes.ts";
import type { SandboxRegistry, SandboxState } from "./control/parts/exchange.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import { defaultSandbox } from "./http/transport/select-sandbox.ts";
import type { IdleWatch } from "./idle.ts";
import type { SandboxStores, StoredSandbox } from "./model/store.ts";
import type { SandboxesOptions, SandboxListener, SandboxOptions } from "./sandbox-options.ts";
import { InputError } from "./utils/input-error.ts";
import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "./utils/names.ts";
import { messageOf } from "./utils/values.ts";

/** The sandboxes of `createSandboxes`, without the requests to them. */
export class Registry implements SandboxRegistry {
  readonly #backends = new Map<string, AssembledBackend>();
  readonly #followers = new Set<Follower>();
  readonly #idle: IdleWatch;
  readonly #maxSandboxes: number;
  readonly #stores: SandboxStores | undefined;
  /** The options of each sandbox. */
  readonly #common: SandboxOptions;

  constructor(
    // A limit, because a loop over names must not fill a server that creates sandboxes on demand.
    { autoSandboxes: _, maxSandboxes = 1000, sandboxIdleMs: __, stores, ...common }: SandboxesOptions,
    idle: IdleWatch,
  ) {
    this.#idle = idle;
    this.#maxSandboxes = maxSandboxes;
    this.#stores = stores;
    this.#common = common;
  }

  get(name: string): Backend | undefined {
    return this.#current().get(name);
  }

  list(): readonly string[] {
    return [...this.#current().keys()];
  }

  describe(name: string): SandboxState | undefined {
    const backend = this.#current().get(name);
    return backend && sandboxState(backend);
  }

  /** The error message if no further sandbox can be created; starts in lower case, without a full stop. */
  limitError(): string | undefined {
    return this.#current().size < this.#maxSandboxes ? undefined : limitReached(this.#maxSandboxes);
  }

  create(name: string, own: SandboxOptions = {}): Backend {
    if (!sandboxNamePattern.test(name))
      throw new InputError("name", `${sandboxNameRule}.${sandboxNameAdvice(String(name))}`);
    if (this.#current().has(name))
      throw new InputError("name", `sandbox "${name}" already exists. Delete it first, or choose another name.`);
    const limitError = this.limitError();
    if (limitError !== undefined) throw new InputError("name", limitError);
    if (name === defaultSandbox) return this.#add(name, own);
    let backend: Backend;
    try {
      backend = this.#add(name, own);
    } catch (error) {
      this.#stores?.delete(name);
      throw error;
    }
    this.#announce("sandbox.created", name);
    return backend;
  }

  /** Opens a stored sandbox. */
  resume({ name, options }: StoredSandbox): void {
    try {
      this.#add(name, JSON.parse(options));
    } catch (error) {
      throw new Error(`Sandbox "${name}": ${messageOf(error)}`, { cause: error });
    }
  }

  delete(name: string): boolean {
    if (name === defaultSandbox)
      throw new InputError("name", `sandbox "${defaultSandbox}" cannot be deleted. Reset it instead.`);
    return this.#current().has(name) && this.#remove(name);
  }

  copy(): Uint8Array | undefined {
    return this.#stores?.copy?.();
  }

  follow(listener: SandboxListener): () => void {
    const follower: Follower = { listener, stops: new Map() };
    this.#followers.add(follower);
    for (const [name, backend] of this.#current()) followOne(follower, name, backend);
    return () => {
      this.#followers.delete(follower);
      for (const stop of follower.stops.values()) stop();
    };
  }

  /** Closes all sandboxes, but not what stores them. */
  closeAll(): void {
    for (const backend of this.#backends.values()) backend.close();
  }

  close(): void {
    this.closeAll();
    this.#stores?.close();
  }

  #announce(type: string, name: string): void {
    this.#backends.get(defaultSandbox)?.events.emit(type, { name });
  }

  /** Expired sandboxes are removed on access; a timer would keep the process running. */
  #current(): ReadonlyMap<string, AssembledBackend> {
    for (const name of this.#idle.expired())
      try {
        if (name !== defaultSandbox) this.#remove(name);
      } catch {
        // The request of another sandbox must not fail. It is tried again once it has been idle again.
      }
    return this.#backends;
  }

  #add(name: string, own: SandboxOptions): Backend {
    // Functions among the options are not stored.
    const store = this.#stores?.open(name, JSON.stringify(own));
    const policies = { ...this.#common.policies, ...own.policies };
    let backend: AssembledBackend;
    try {
      backend = assembleBackend(
        { ...this.#common, ...own, controlPlane: true, policies, name, ...(store && { store }) },
        { ...defaultParts, sandboxes: this, onFollow: () => this.#idle.begin(name) },
      );
    } catch (error) {
      store?.close();
      throw error;
    }
    for (const follower of this.#followers) followOne(follower, name, backend);
    this.#backends.set(name, backend);
    this.#idle.begin(name)();
    return backend;
  }

  #remove(name: string): boolean {
    const stored = this.#stores?.list().find((one) => one.name === name);
    this.#backends.get(name)?.close();
    this.#idle.forget(name);
    const isRemoved = this.#backends.delete(name);
    try {
      this.#stores?.delete(name);
    } catch (error) {
      // It is still stored, so it stays.
      if (stored !== undefined) this.resume(stored);
      throw error;
    }
    this.#announce("sandbox.deleted", name);
    return isRemoved;
  }
}

/** A follower of all sandboxes, with what ends the following of each. */
interface Follower {
  readonly listener: SandboxListener;
  readonly stops: Map<string, () => void>;
}

function followOne({ listener, stops }: Follower, name: string, { events }: AssembledBackend): void {
  const options = { keepsSandbox: false, ended: () => void stops.delete(name) };
  stops.set(
    name,
    events.follow((event) => listener(name, event), options),
  );
}

function limitReached(limit: number): string {
  const remedies = [
    `Delete one with DELETE ${controlPrefix}/sandboxes/{name}`,
    "raise the limit (--max-sandboxes, maxSandboxes)",
    "or let idle ones be removed (--sandbox-idle, sandboxIdleMs)",
  ];
  return `the limit of ${limit} sandbox${limit === 1 ? "" : "es"} is reached. ${remedies.join(", ")}`;
}
