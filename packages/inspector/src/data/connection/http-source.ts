import { createSharedFollow } from "./shared-stream.ts";
import type { Source } from "./source.ts";

/** The server that the page came from. */
export function createHttpSource(): Source {
  // The page is at <base>/_inspector/, and the base may have a path behind a proxy.
  const baseUrl = new URL("../..", location.href.replace(/[?#].*$/, "")).href.replace(/\/$/, "");
  const fetch = (request: Request) => globalThis.fetch(request);
  return { baseUrl, isServer: true, address: baseUrl, fetch, follow: createSharedFollow({ baseUrl, fetch }) };
}
