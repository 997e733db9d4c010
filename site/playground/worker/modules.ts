import * as backend from "@call-transfer/backend";
import * as sdk from "@call-transfer/sdk";
import * as query from "@call-transfer/sdk/query";
import * as webhooks from "@call-transfer/sdk/webhooks";
import * as queryCore from "@tanstack/query-core";

/** Anything with the `fetch` of a backend. */
export type Fetching = Pick<backend.Backend, "fetch">;

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
