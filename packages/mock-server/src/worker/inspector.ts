import { inspectorPage, type PageRequest } from "../web/inspector-page.ts";
import type { Fetcher } from "./platform.ts";

const advice = 'Name their folder under "assets" in wrangler.jsonc, with the binding ASSETS, and deploy again.';

/**
 * Answers a request for the inspector from the Worker's static assets. `inHost` is the sandbox that the host name selects: the
 * page then begins there.
 */
export async function inspectorResponse(
  request: PageRequest,
  url: URL,
  assets: Fetcher | undefined,
  inHost: string | undefined,
): Promise<Response> {
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    // The assets are at their root, where index.html has the address of its folder.
    const found = await assets?.fetch(new Request(new URL(name === "index.html" ? "/" : `/${name}`, url)));
    return found?.ok ? new Uint8Array(await found.arrayBuffer()) : undefined;
  };
  const { status, headers, body } = await inspectorPage(request, { read, advice });
  const own = new Headers(headers);
  const location = own.get("Location");
  if (location !== null && inHost !== undefined) own.set("Location", `${location}#/${inHost}`);
  return new Response(request.method === "HEAD" ? null : (body as BodyInit), { status, headers: own });
}
