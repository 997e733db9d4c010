import { type AssembledBackend, assembleBackend, type Backend, defaultParts } from "./backend.ts";
import { sandboxState } from "./control/operations/sandboxes.ts";
import type { SandboxRegistry } from "./control/parts/exchange.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import { defaultSandbox } from "./http/transport/select-sandbox.ts";
import type { IdleWatch } from "./idle.ts";
import { InputError } from "./model/errors/input-error.ts";
import type { StoredSandbox } from "./model/storage/store.ts";
import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "./model/values/sandbox-name.ts";
import type { Sandboxes, SandboxesOptions, SandboxListener, SandboxOptions } from "./sandboxes.ts";

/** The sandboxes of `createSandboxes`, without the requests to them. */
export interface Registry
  extends Pick<Sandboxes, "get" | "create" | "delete" | "list" | "follow" | "close">,
    Pick<SandboxRegistry, "describe"> {
  /** Opens a stored sandbox. */
  resume(stored: StoredSandbox): void;
  /** Closes all sandboxes, but not what stores them. */
  closeAll(): void;
  /** The error message if no further sandbox can be created; starts in lower case, without a full stop. */
  limitError(): string | undefined;
}

/** Creates a registry without sandboxes. */
export function createRegistry(
  // A limit, because a loop over names must not fill a server that creates sandboxes on demand.
  { autoSandboxes: _, maxSandboxes = 1000, sandboxIdleMs: __, stores, ...common }: SandboxesOptions,
  idle: IdleWatch,
): Registry {
  const backends = new Map<string, AssembledBackend>();
  const followers = new Set<Follower>();
  const announce = (type: string, name: string): void => backends.get(defaultSandbox)?.events.emit(type, { name });
  const remove = (name: string): boolean => {
    const stored = stores?.list().find((one) => one.name === name);
    backends.get(name)?.close();
    idle.forget(name);
    const isRemoved = backends.delete(name);
    try {
      stores?.delete(name);
    } catch (error) {
      // It is still stored, so it stays.
      if (stored !== undefined) resume(stored);
      throw error;
    }
    announce("sandbox.deleted", name);
    return isRemoved;
  };
  // Expired sandboxes are removed on access; a timer would keep the process running.
  const current = (): ReadonlyMap<string, AssembledBackend> => {
    for (const name of idle.expired()) if (name !== defaultSandbox) removeExpired(name);
    return backends;
  };
  const removeExpired = (name: string): void => {
    try {
      remove(name);
    } catch {
      // The request of another sandbox must not fail. It is tried again once it has been idle again.
    }
  };
  const add = (name: string, own: SandboxOptions): Backend => {
    // Functions among the options are not stored.
    const store = stores?.open(name, JSON.stringify(own));
    const policies = { ...common.policies, ...own.policies };
    let backend: AssembledBackend;
    try {
      backend = assembleBackend(
        { ...common, ...own, controlPlane: true, policies, name, ...(store && { store }) },
        { ...defaultParts, sandboxes: registry, onFollow: () => idle.begin(name) },
      );
    } catch (error) {
      store?.close();
      throw error;
    }
    for (const follower of followers) followOne(follower, name, backend);
    backends.set(name, backend);
    idle.begin(name)();
    return backend;
  };
  const resume = ({ name, options }: StoredSandbox): void => {
    try {
      add(name, JSON.parse(options));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Sandbox "${name}": ${reason}`, { cause: error });
    }
  };
  const closeAll = (): void => {
    for (const backend of backends.values()) backend.close();
  };
  const registry: Registry = {
    get: (name) => current().get(name),
    list: () => [...current().keys()],
    describe(name) {
      const backend = current().get(name);
      return backend && sandboxState(backend);
    },
    limitError: () => (current().size < maxSandboxes ? undefined : limitReached(maxSandboxes)),
    create(name, own = {}) {
      if (!sandboxNamePattern.test(name))
        throw new InputError("name", `${sandboxNameRule}.${sandboxNameAdvice(String(name))}`);
      if (current().has(name))
        throw new InputError("name", `sandbox "${name}" already exists. Delete it first, or choose another name.`);
      const limitError = registry.limitError();
      if (limitError !== undefined) throw new InputError("name", limitError);
      if (name === defaultSandbox) return add(name, own);
      let backend: Backend;
      try {
        backend = add(name, own);
      } catch (error) {
        stores?.delete(name);
        throw error;
      }
      announce("sandbox.created", name);
      return backend;
    },
    resume,
    delete(name) {
      if (name === defaultSandbox)
        throw new InputError("name", `sandbox "${defaultSandbox}" cannot be deleted. Reset it instead.`);
      return current().has(name) && remove(name);
    },
    follow(listener) {
      const follower: Follower = { listener, stops: new Map() };
      followers.add(follower);
      for (const [name, backend] of current()) followOne(follower, name, backend);
      return () => {
        followers.delete(follower);
        for (const stop of follower.stops.values()) stop();
      };
    },
    closeAll,
    close() {
      closeAll();
      stores?.close();
    },
  };
  return registry;
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
