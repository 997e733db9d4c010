import { followHere } from "./follow.ts";
import type { Feed, Source, StreamListener, ToTab, ToWorker } from "./source.ts";
import workerAddress from "./stream-worker.ts?worker&url";

/** Follows a server's events through the worker that all tabs share. Without shared workers the tab follows them itself. */
export function createSharedFollow(feed: Feed): Source["follow"] {
  if (typeof SharedWorker === "undefined") return followHere(feed);
  const address = trusted(workerAddress);
  return (sandbox, token, listener) => {
    // A port for each sandbox: what is still on its way from the one before must not reach this listener.
    const { port } = new SharedWorker(address, { type: "module" });
    const send = (message: ToWorker) => port.postMessage(message);
    const join = () => send({ type: "follow", baseUrl: feed.baseUrl, sandbox, token });
    const leave = () => send({ type: "leave" });
    port.onmessage = ({ data }: MessageEvent<ToTab>) => deliver(data, listener);
    // A page that is left may be kept and shown again. The event also comes after the page was loaded.
    const rejoin = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      listener.state({ state: "lost" });
      join();
    };
    addEventListener("pagehide", leave);
    addEventListener("pageshow", rejoin);
    listener.state({ state: "connecting" });
    join();
    return () => {
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", rejoin);
      leave();
      port.onmessage = null;
      port.close();
    };
  };
}

function deliver(message: ToTab, listener: StreamListener): void {
  if (message.type === "events") listener.events(message.events);
  else if (message.type === "token") listener.token?.(message.token);
  else listener.state(message.state);
}

/** Browsers with Trusted Types, which TypeScript's types of the web do not have yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** Marks the address of the worker as one that may be loaded. The page's CSP names the policy, and allows no other. */
function trusted(address: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  return (
    trustedTypes?.createPolicy("call-transfer-inspector", { createScriptURL: () => address }).createScriptURL("") ??
    address
  );
}
