import { bodyLimit, controlError, errorResponse, isSandboxName, selectSandbox } from "@call-transfer/backend/unstable";
import { controlPaths, isOfOtherSite } from "../web/admission.ts";
import { corsHeaders, preflightHeaders } from "../web/cors.ts";
import { isForInspector, rootAnswer } from "../web/inspector-page.ts";
import { admit } from "./gate.ts";
import { inspectorResponse } from "./inspector.ts";
import { isUnknownSandbox, type OrderRequest, sendOrder } from "./orders.ts";
import { directoryOf, sandboxNamed, type WorkerEnv } from "./platform.ts";
import { readSettings, type Settings } from "./settings.ts";
import { withFault } from "./transport.ts";

/** The paths that the directory answers, without the prefix of a sandbox. */
const directoryPaths = /^\/_control\/v1\/sandboxes(?:\/|$)/;

/** Responds to a request of a client. Throws InputError that names a wrong setting. */
export async function serve(request: Request, env: WorkerEnv): Promise<Response> {
  const { method, headers } = request;
  const url = new URL(request.url);
  const isRead = method === "GET" || method === "HEAD";
  if (url.pathname === "/health" && isRead && !isOfOtherSite((name) => headers.get(name)))
    return Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
  const settings = readSettings(env);
  const admitted = admit(request, url, settings);
  if ("code" in admitted) return errorResponse(admitted.code, admitted.detail);
  if (admitted.isPreflight)
    return new Response(null, { status: 204, headers: preflightHeaders(admitted, (name) => headers.get(name)) });
  const inHost = sandboxOfHost(url.hostname, settings);
  const page = { method, pathname: url.pathname, accept: headers.get("accept") ?? undefined };
  if (isForInspector(page)) return inspectorResponse(page, url, env.ASSETS, inHost);
  const root = inHost === undefined ? rootAnswer(page) : undefined;
  if (root !== undefined)
    return new Response(root.body, { ...root, headers: { ...root.headers, ...corsHeaders(admitted) } });
  return withHeaders(await responseOf(request, url, inHost, env, settings), corsHeaders(admitted));
}

/** The sandbox that a host name stands for; undefined for none. */
function sandboxOfHost(hostname: string, { hostSuffix }: Settings): string | undefined {
  return hostSuffix !== undefined && hostname.endsWith(hostSuffix) ? hostname.slice(0, -hostSuffix.length) : undefined;
}

/** The response of the sandbox that a request selects, or of the directory. */
async function responseOf(
  request: Request,
  url: URL,
  inHost: string | undefined,
  env: WorkerEnv,
  { isAuto }: Settings,
): Promise<Response> {
  const { method, headers } = request;
  const { name, path, conflict } = selectSandbox(url.pathname, headers, inHost);
  const refuse = controlPaths.test(path) ? controlError : errorResponse;
  if (conflict !== undefined) return refuse("bad_request", conflict);
  const maxBytes = bodyLimit(method, path);
  const read = await readBody(request, maxBytes);
  if (read === "too large" && refuse === controlError)
    return refuse("bad_request", `The request body is larger than ${maxBytes / 2 ** 20} MiB.`);
  // The sandbox judges the size where the operation reads a body, after the checks that come before.
  const body = read === "too large" ? new Uint8Array(maxBytes + 1) : read;
  url.pathname = path;
  const order: OrderRequest = { method, url: url.href, headers, body };
  if (directoryPaths.test(path)) return sendOrder(directoryOf(env), "manage", name, order);
  if (!isSandboxName(name)) return refuse("not_found", await explain(name, env));
  const respond = () => sendOrder(sandboxNamed(env, name), "respond", name, order);
  const response = await respond();
  if (!isUnknownSandbox(response)) return withFault(response);
  if (!isAuto) return refuse("not_found", await explain(name, env));
  const failure = await create(name, env);
  const second = await respond();
  return isUnknownSandbox(second) ? refuse("not_found", failure) : withFault(second);
}

async function explain(name: string, env: WorkerEnv): Promise<string> {
  return (await sendOrder(directoryOf(env), "explain", name)).text();
}

/** Creates a sandbox without options of its own. Returns why that failed; it may also exist by now. */
async function create(name: string, env: WorkerEnv): Promise<string> {
  const url = "https://directory.invalid/_control/v1/sandboxes";
  const headers = new Headers({ "Content-Type": "application/json" });
  const response = await sendOrder(directoryOf(env), "manage", name, { url, headers, body: JSON.stringify({ name }) });
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
  return `Sandbox "${name}" could not be created: ${error?.message ?? "it is gone already"}.`;
}

/**
 * Reads the whole body: an object could not read it after the client's request has ended. The rest of one that is too large is
 * read too, since the runtime closes a connection with unread bytes, which could discard the response.
 */
async function readBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null | "too large"> {
  if (body === null) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    length += chunk.byteLength;
    if (length <= maxBytes) chunks.push(chunk);
  }
  return length > maxBytes ? "too large" : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
  if (Object.keys(more).length === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}
