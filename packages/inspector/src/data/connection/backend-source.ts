import type { Backend, SandboxRegistry } from "@call-transfer/backend";
import { follow } from "./follow.ts";
import type { Source } from "./source.ts";

/** The client runs in the same page as the backend. */
const caller = { address: "127.0.0.1" };

/** A backend in the page. `baseUrl` is the address that its clients use, with or without a path. */
export function createBackendSource(backend: Pick<Backend | SandboxRegistry, "fetch">, baseUrl: string): Source {
  const address = baseUrl.replace(/\/+$/, "");
  // The backend serves the root of its address.
  const ownUrl = new URL(address).origin;
  const fetch = (request: Request) => backend.fetch(request, undefined, caller);
  return {
    baseUrl: ownUrl,
    isServer: false,
    address,
    fetch,
    follow: (...args) => follow({ baseUrl: ownUrl, fetch }, ...args),
  };
}
